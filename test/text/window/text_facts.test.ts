/** Facts of a file in one pass, and their cache. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { platformHasher } from '../../../src/core/hash.ts'
import { countChars, encodeText, isBinary, isUtf8 } from '../../../src/text/utf8.ts'
import { charsBefore, offsetOfChar, offsetOfLine } from '../../../src/text/window/locate.ts'
import { createFactsCache, readFacts } from '../../../src/text/window/text_facts.ts'
import { bytes } from '../arbitraries.ts'
import { readerOf } from '../reader.ts'

const hasher = platformHasher()

/** Repeats a part until the text has about `length` bytes. */
function grow(part: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(Math.ceil(length / part.length) * part.length)
  for (let at = 0; at < result.length; at += part.length) result.set(part, at)
  return result
}

const LARGE = 900_000

describe('readFacts', () => {
  it('counts what is in the bytes, however they are read', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), fc.boolean(), async (part, large, late) => {
        const input = large && part.length > 0 ? grow(part, LARGE) : part
        if (isBinary(input)) return
        const facts = await readFacts(readerOf(input, { late, most: large ? 100_003 : 3 }), { hasher })
        const feeds = input.filter((byte) => byte === 10).length
        expect(facts).toMatchObject({
          binary: false,
          totalBytes: input.length,
          totalLines: feeds + (input.length > 0 && input[input.length - 1] !== 10 ? 1 : 0),
          totalChars: countChars(input),
          validUtf8: isUtf8(input),
          hash: hasher.hash(input),
        })
        for (const mark of facts.marks) {
          const before = input.subarray(0, mark.offset)
          expect(mark).toEqual({ offset: mark.offset, feeds: before.filter((byte) => byte === 10).length, chars: countChars(before) })
        }
      }),
      { numRuns: 60 },
    )
  })

  it('stops at a binary beginning', async () => {
    const reader = readerOf(grow(Uint8Array.of(0, 97), 10_000_000))
    expect(await readFacts(reader)).toMatchObject({ binary: true, totalBytes: 10_000_000, totalLines: 0 })
    expect(reader.bytesRead()).toBeLessThan(300_000)
  })

  it('stops when the call is canceled', async () => {
    let reads = 0
    const endless = {
      ...readerOf(new Uint8Array(0)),
      size: 1e15,
      read(_: number, into: Uint8Array) {
        reads++
        into.fill(97)
        return into.length
      },
    }
    const canceling = new AbortController()
    const reading = readFacts(endless, { signal: canceling.signal })
    canceling.abort()
    await expect(reading).rejects.toMatchObject({ code: 'canceled' })
    expect(reads).toBeGreaterThan(0)
  })

  it('finds lines and characters by its marks', async () => {
    const input = grow(encodeText('a line\nézwei\r\n漢字 😀\n\n'), 3_000_000)
    const facts = await readFacts(readerOf(input))
    expect(facts.marks.length).toBeGreaterThan(8)
    const reader = readerOf(input)
    for (const line of [1, 2, 3, 4, 5, 1000, 65_537, facts.totalLines]) {
      const offset = await offsetOfLine(reader, facts, line)
      const before = input.subarray(0, offset)
      expect(before.filter((byte) => byte === 10).length).toBe(line - 1)
      expect(offset === 0 || input[offset - 1] === 10).toBe(true)
    }
    for (const char of [0, 1, 7, 8, 9, 17, 18, 19, 100_000, facts.totalChars - 1, facts.totalChars]) {
      const offset = await offsetOfChar(reader, facts, char)
      expect(countChars(input.subarray(0, offset))).toBe(char)
      expect(await charsBefore(reader, facts, offset)).toBe(char)
    }
    // Each look-up reads about a block, not the file.
    expect(reader.bytesRead()).toBeLessThan(32 * 300_000)
  })
})

describe('createFactsCache', () => {
  const input = encodeText('one\ntwo\n')

  it('reads a version once, again only for its hash', async () => {
    const cache = createFactsCache()
    const reader = readerOf(input)
    expect((await cache.facts(reader)).hash).toBeNull()
    await cache.facts(reader)
    expect(reader.bytesRead()).toBe(input.length)
    expect((await cache.facts(reader, { hasher })).hash).toBe(hasher.hash(input))
    expect((await cache.facts(reader)).hash).toBe(hasher.hash(input))
    expect(reader.bytesRead()).toBe(2 * input.length)
    await cache.facts(readerOf(encodeText('x')))
    expect((await cache.facts(readerOf(encodeText('x')))).totalLines).toBe(1)
  })

  it('forgets the version that was used least recently', async () => {
    const cache = createFactsCache(2)
    const [first, second, third] = [readerOf(input), readerOf(input), readerOf(input)]
    for (const reader of [first, second, first, third, first]) await cache.facts(reader)
    expect(first.bytesRead()).toBe(input.length)
    await cache.facts(second)
    expect(second.bytesRead()).toBe(2 * input.length)
  })

  it('keeps nothing of an entry without a version', async () => {
    const cache = createFactsCache()
    const { entry, ...rest } = readerOf(input)
    const reader = { ...rest, entry: { ...entry, version: null } }
    await cache.facts(reader)
    await cache.facts(reader)
    expect(reader.bytesRead()).toBe(2 * input.length)
  })
})
