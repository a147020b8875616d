/** UTF-8 against the platform's own decoder. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bomLength,
  boundaryBelow,
  checkWellFormed,
  countChars,
  cutChars,
  cutTail,
  decodeLossy,
  decodeStrict,
  encodeText,
  firstInvalid,
  isBinary,
  isUtf8,
  sequenceAt,
} from '../../src/text/utf8.ts'
import { bytes, text } from './arbitraries.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lossy = new TextDecoder('utf-8', { ignoreBOM: true })

function valid(input: Uint8Array): boolean {
  try {
    strict.decode(input)
    return true
  } catch {
    return false
  }
}

/** The boundaries between characters or bad sequences, by decoding ever longer parts. */
function boundaries(input: Uint8Array): Set<number> {
  const found = new Set<number>([0, input.length])
  let at = 0
  for (const char of lossy.decode(input)) {
    found.add(at)
    // A bad sequence is as long as the decoder takes it: what is left decodes to the rest of the text.
    let length = char === '\ufffd' ? 1 : encodeText(char).length
    if (char === '\ufffd') {
      const rest = [...lossy.decode(input.subarray(at))].slice(1).join('')
      while (lossy.decode(input.subarray(at + length)) !== rest) length++
    }
    at += length
  }
  return found
}

describe('utf8', () => {
  it('counts, cuts and finds boundaries as the platform decodes', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const chars = [...lossy.decode(input)]
        expect(countChars(input)).toBe(chars.length)
        expect(decodeLossy(input)).toEqual({ text: chars.join(''), replaced: !valid(input) })
        expect(isUtf8(input)).toBe(valid(input))
        const places = boundaries(input)
        for (let n = 0; n <= chars.length; n++) expect(lossy.decode(input.subarray(0, cutChars(input, n)))).toBe(chars.slice(0, n).join(''))
        for (let at = 0; at <= input.length; at++) {
          let below = at
          while (!places.has(below)) below--
          expect(boundaryBelow(input, at)).toBe(below)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('finds the first bad byte', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const at = firstInvalid(input)
        expect(at < 0).toBe(valid(input))
        if (at < 0) return
        expect(valid(input.subarray(0, at))).toBe(true)
        expect(sequenceAt(input, at)).toBeLessThan(0)
      }),
    )
  })

  it('tells how much of a character the end cuts off', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 200 }), (input, cut) => {
        const all = encodeText(input)
        const part = all.subarray(0, Math.min(cut, all.length))
        const tail = cutTail(part)
        expect(valid(part.subarray(0, part.length - tail))).toBe(true)
        expect(tail === 0).toBe(valid(part))
      }),
    )
    expect(cutTail(Uint8Array.of(0x61, 0xe0, 0x80))).toBe(0)
    expect(cutTail(Uint8Array.of(0x61, 0xff))).toBe(0)
  })

  it.each([
    ['C0 AF', [0xc0, 0xaf]],
    ['ED A0 80', [0xed, 0xa0, 0x80]],
    ['F4 90 80 80', [0xf4, 0x90, 0x80, 0x80]],
    ['E6 BC', [0xe6, 0xbc]],
  ])('refuses %s', (_, bad) => {
    const input = Uint8Array.from([0x61, ...bad])
    expect(() => decodeStrict(input, 'a.txt')).toThrowError(expect.objectContaining({ code: 'invalid_utf8', details: { offset: 1 } }))
  })

  it('keeps a BOM and knows its length', () => {
    const input = encodeText('\ufeffx')
    expect(decodeStrict(input, 'a')).toBe('\ufeffx')
    expect(decodeLossy(input).text).toBe('\ufeffx')
    expect(bomLength(input)).toBe(3)
    expect(bomLength(encodeText('x'))).toBe(0)
  })

  it('refuses lone surrogates by field', () => {
    expect(() => checkWellFormed('a\ud800', 'content')).toThrowError(
      expect.objectContaining({ code: 'invalid_argument', field: 'content' }),
    )
    expect(() => checkWellFormed('😀', 'content')).not.toThrow()
  })

  it.each([
    ['nothing', [], false],
    ['text with tabs and line ends', [...encodeText('a\tb\r\nc')], false],
    ['a NUL', [97, 0], true],
    ['three controls in ten bytes', [1, 2, 3, 97, 97, 97, 97, 97, 97, 97], false],
    ['four controls in ten bytes', [1, 2, 3, 4, 97, 97, 97, 97, 97, 97], true],
    ['a NUL after the first 8,192 bytes', [...new Array<number>(8192).fill(97), 0], false],
    ['UTF-16', [0xff, 0xfe, 0x61, 0], true],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9], false],
  ])('tells %s from binary', (_, input, binary) => {
    expect(isBinary(Uint8Array.from(input))).toBe(binary)
  })
})
