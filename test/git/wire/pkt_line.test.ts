/** Lines of the protocol: read however they are cut into pieces, and refused when they are none. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../../src/core/bytes.ts'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { createPacketReader, DELIM, FLUSH, packetLine, packetMark, packets, shown, textOf } from '../../../src/git/wire/pkt_line.ts'
import { sideBand } from '../../../src/git/wire/side_band.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function* pieces(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}

const readerOf = (text: string | Uint8Array, size = 3) => createPacketReader(pieces(typeof text === 'string' ? bytes(text) : text, size))

/** A packet of one band. */
function band(code: number, text: string | Uint8Array): Uint8Array {
  const body = typeof text === 'string' ? bytes(text) : text
  return concatBytes([bytes((body.length + 5).toString(16).padStart(4, '0')), Uint8Array.of(code), body])
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    if (isFilewrightError(error)) return error.code
    throw error
  }
  return 'nothing was thrown'
}

describe('lines', () => {
  test('come back as they were written, in pieces of any size', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => text.replace(/\n+$/, '')),
      fc.constantFrom(0 as const, 1 as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), async (lines, size) => {
        fc.pre(lines.every((one) => typeof one !== 'string' || !one.startsWith('ERR ')))
        const reader = readerOf(packets(...lines), size)
        for (const one of lines) expect(await reader.text()).toBe(typeof one === 'string' ? textOf(bytes(one)) : one)
        expect(await reader.text()).toBeNull()
      }),
    )
  })

  test('marks', async () => {
    const reader = readerOf('0000000100020004')
    expect([await reader.next(), await reader.next(), await reader.next()]).toEqual([FLUSH, DELIM, 2])
    expect(await reader.next()).toEqual(new Uint8Array(0))
    expect(await reader.next()).toBeNull()
  })

  test.each([
    ['a page', '<!DOCTYPE html>'],
    ['no digits', 'zzzz'],
    ['a length that is none', '0003'],
    ['a length beyond what is allowed', `fff1${'x'.repeat(70_000)}`],
    ['an end within the length', '00'],
    ['an end within the line', '000ahe'],
    ['an end right behind the length', '000a'],
  ])('%s is corrupt', async (_, text) => {
    expect(await codeOf(() => readerOf(text).next())).toBe('corrupt')
  })

  test('the longest line is read', async () => {
    const text = 'x'.repeat(65_515)
    expect(await readerOf(packetLine(text), 4096).text()).toBe(text)
  })

  test.each([
    ['upload-pack: not our ref 1234', 'not_found'],
    ['Repository not found.', 'not_found'],
    ['access denied', 'permission_denied'],
    ['the server is on fire', 'io_error'],
  ])('an error of the server: %s', async (text, code) => {
    expect(await codeOf(() => readerOf(packetLine(`ERR ${text}`)).text())).toBe(code)
  })
})

describe('side band', () => {
  const read = async (all: Uint8Array, said: string[] = []) => {
    const parts: Uint8Array[] = []
    for await (const part of sideBand(readerOf(all, 7), (text) => said.push(text))) parts.push(part)
    return textOf(concatBytes(parts))
  }

  test('data and words are taken apart; words come by line', async () => {
    const said: string[] = []
    const all = [
      band(1, 'PA'),
      band(2, 'Counting: 1\rCount'),
      band(2, 'ing: 2\n'),
      band(1, ''),
      band(1, 'CK'),
      band(2, 'end'),
      packetMark(FLUSH),
    ]
    expect(await read(concatBytes(all), said)).toBe('PACK')
    expect(said).toEqual(['Counting: 1', 'Counting: 2', 'end'])
  })

  test('an error of the server is thrown with its words', async () => {
    await expect(read(concatBytes([band(1, 'PA'), band(3, 'out of memory')]))).rejects.toMatchObject({
      code: 'io_error',
      details: { remote: 'out of memory' },
    })
  })

  test('an end without a mark is corrupt', async () => {
    expect(await codeOf(() => read(band(1, 'PACK')))).toBe('corrupt')
  })

  test('a band that does not exist is corrupt', async () => {
    expect(await codeOf(() => read(concatBytes([band(9, 'x'), packetMark(FLUSH)])))).toBe('corrupt')
  })
})

test('words of a server are shown without what a terminal would obey', () => {
  expect(shown('a\u001b[31mred\u0007\u202e\r\nb')).toBe('a [31mred b')
  expect(shown('x'.repeat(1000))).toHaveLength(501)
})
