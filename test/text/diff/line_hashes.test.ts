/** Hashes of lines: where lines begin, and equal hashes for equal lines wherever they stand. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHashKey, hashLines } from '../../../src/text/diff/line_hashes.ts'
import { countLines } from '../../../src/text/lines.ts'
import { encodeText } from '../../../src/text/utf8.ts'

function hashed(text: string, key = createHashKey()) {
  const bytes = encodeText(text)
  const count = countLines(bytes)
  const [offsets, hashes] = [new Int32Array(count), new Int32Array(count)]
  hashLines(bytes, 0, bytes.length, key, offsets, hashes)
  return { offsets: [...offsets], hashes: [...hashes] }
}

test('lines begin where they do, and are told apart by their bytes alone', () => {
  const line = fc.stringMatching(/^[ab\0é]{0,20}\n$/)
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'a', 'ab'), (lines, last) => {
      const { offsets, hashes } = hashed(lines.join('') + last)
      const all = last === '' ? lines : [...lines, last]
      expect(offsets).toEqual(all.map((_, i) => encodeText(all.slice(0, i).join('')).length))
      const distinct = new Set(all)
      expect(new Set(hashes).size).toBe(distinct.size)
      for (const [i, one] of all.entries()) expect(hashes[i]).toBe(hashes[all.indexOf(one)])
    }),
  )
})

test('a line has its hash wherever the blocks are cut, and whatever its length', () => {
  const key = createHashKey()
  for (const length of [7, 8, 300, 262_142, 262_143, 262_144, 300_000]) {
    const line = `${'x'.repeat(length - 1)}y\n`
    const [alone] = hashed(line, key).hashes
    const { hashes, offsets } = hashed(`${'other\n'.repeat(50_000)}${line}${line}end`, key)
    expect(hashes.slice(50_000, 50_002), `${length}`).toEqual([alone, alone])
    expect(offsets.slice(50_000)).toEqual([300_000, 300_001 + length, 300_002 + 2 * length])
  }
})
