/** A few at work, some waiting, the rest refused. */
import { expect, test } from 'vitest'
import { createTurnstile } from '../../src/http/turnstile.ts'

/** Work that ends when it is told to. */
function held(): { readonly work: () => Promise<void>; readonly end: () => void; readonly begun: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = false
  const work = () => {
    begun = true
    return promise
  }
  return { work, end: resolve, begun: () => begun }
}

test('as many work as may, in the order they came, and one too many is told to come back', async () => {
  const enter = createTurnstile({ working: 2, waiting: 2 })
  const tasks = Array.from({ length: 4 }, held)
  const done = tasks.map(({ work }) => enter(work))
  await Promise.resolve()
  expect(tasks.map(({ begun }) => begun())).toEqual([true, true, false, false])
  await expect(enter(async () => {})).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '1' } })

  tasks[1]?.end()
  await done[1]
  await new Promise((wake) => setTimeout(wake, 0))
  expect(tasks.map(({ begun }) => begun())).toEqual([true, true, true, false])
  for (const { end } of tasks) end()
  await Promise.all(done)
})

test('work that fails gives its place free', async () => {
  const enter = createTurnstile({ working: 1, waiting: 10 })
  const answers = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) =>
      enter(async () => {
        if (index % 2 === 0) throw new Error('failed')
        return index
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(await enter(async () => 'free')).toBe('free')
})
