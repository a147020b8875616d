/** The one error of the product. */
import { expect, test } from 'vitest'
import { FilewrightError } from '../../src/core/errors.ts'

test('a message that repeats a very long text is cut in its middle, and ends with what to do', () => {
  const path = '\u{1F600}'.repeat(100_000)
  const { message } = new FilewrightError('not_found', `a${path} does not exist. List the tree.`)
  expect(message.length).toBeLessThan(10_100)
  expect(message.startsWith('a\u{1F600}')).toBe(true)
  expect(message.endsWith('does not exist. List the tree.')).toBe(true)
  expect(message.isWellFormed()).toBe(true)
})

test('any other message stays as it is', () => {
  const message = `${'x'.repeat(4096)} does not exist.`
  expect(new FilewrightError('not_found', message).message).toBe(message)
})
