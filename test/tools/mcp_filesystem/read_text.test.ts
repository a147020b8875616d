/** Lines of either end of a file, against the plain way to find them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { type Part, readText } from '../../../src/tools/mcp_filesystem/read_text.ts'
import { createView } from '../../../src/workspace/view.ts'
import { plant } from '../setup.ts'

const NEVER = new AbortController().signal

async function read(content: string | Uint8Array, part: Part, textBytes = 1e6, signal = NEVER): Promise<string> {
  const fs = createMemoryFs({ limits: { textBytes } })
  await plant(fs, { f: content })
  const view = createView(fs)
  return readText(view, await view.resolve('f'), part, signal)
}

/** Lines as an editor counts them: a line end at the end begins no other line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** What stands there, all but the last line end. */
function expected(text: string, end: 'head' | 'tail', count: number): string {
  const lines = linesOf(text)
  const wanted = end === 'head' ? lines.slice(0, count) : lines.slice(-count)
  const closed = text.endsWith('\n') || (end === 'head' && count < lines.length)
  return wanted.map((line, i) => (closed && i === wanted.length - 1 ? line.replace(/\r$/, '') : line)).join('\n')
}

describe.each(['head', 'tail'] as const)('%s', (end) => {
  test('gives the lines of any text', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r'), maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 12 }), async (content, lines) => {
        expect(await read(content, { end, lines })).toBe(expected(content, end, lines))
      }),
    )
  })

  test('finds them beyond what is read first, and within a long line', async () => {
    const long = 'x'.repeat(200_000)
    const content = `first\n${long}\nmiddle\n${long}\nlast\n`
    for (const lines of [1, 2, 3, 4, 5, 6]) expect(await read(content, { end, lines })).toBe(expected(content, end, lines))
  })

  test('reads no more than may be read, whatever the size of the file', async () => {
    const content = `${'x\n'.repeat(50)}${'y'.repeat(5000)}\n${'x\n'.repeat(50)}`
    expect(await read(content, { end, lines: 3 }, 1000)).toBe('x\nx\nx')
    await expect(read(content, { end, lines: 51 }, 1000)).rejects.toSatisfy((error) => isFilewrightError(error, 'too_large'))
    await expect(read(content, { end: 'whole' }, 1000)).rejects.toSatisfy((error) => isFilewrightError(error, 'too_large'))
  })

  test('stops when it is cancelled', async () => {
    await expect(read('a\n', { end, lines: 1 }, 1000, AbortSignal.abort())).rejects.toThrow()
  })
})

test('what is not text is never told as if it were', async () => {
  expect(await read(new Uint8Array([0x61, 0xff]), { end: 'whole' })).toMatch(/^a\ufffd\n\[not valid UTF-8/)
  await expect(read(new Uint8Array([0x61, 0]), { end: 'whole' })).rejects.toSatisfy((error) => isFilewrightError(error, 'binary_file'))
  // U+FFFD that stands in the file itself is text like any other.
  expect(await read('a\ufffd', { end: 'whole' })).toBe('a\ufffd')
})
