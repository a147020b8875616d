/** From a line or character to its offset and back, reading only from the nearest mark. */
import type { Reader } from '../../core/file_system.ts'
import { skipLines } from '../lines.ts'
import { boundaryBelow, countChars, cutChars } from '../utf8.ts'
import { BLOCK_BYTES } from './block_counts.ts'
import { fill, type Mark, type TextFacts } from './text_facts.ts'

/** Bytes `from` (inclusive) to `to` (exclusive) of a file, fewer where it ends. */
export async function readRange(reader: Reader, from: number, to: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, Math.min(to, reader.size) - from))
  const filled = await fill(reader, from, bytes)
  return filled === bytes.length ? bytes : bytes.subarray(0, filled)
}

/** Offset of the first byte of line `line` (from 1), which must exist. */
export async function offsetOfLine(reader: Reader, facts: TextFacts, line: number): Promise<number> {
  if (line === 1) return 0
  const mark = lastMark(facts.marks, (candidate) => candidate.feeds < line - 1)
  let left = line - 1 - mark.feeds
  for (let offset = mark.offset; ; ) {
    const block = await readRange(reader, offset, offset + BLOCK_BYTES)
    const end = skipLines(block, left)
    if (end >= 0) return offset + end
    if (block.length === 0) return offset
    for (const byte of block) if (byte === 10) left--
    offset += block.length
  }
}

/** Offset of character `char` (from 0), which must not lie beyond the end. */
export async function offsetOfChar(reader: Reader, facts: TextFacts, char: number): Promise<number> {
  const mark = lastMark(facts.marks, (candidate) => candidate.chars <= char)
  let left = char - mark.chars
  let offset = mark.offset
  while (left > 0) {
    const block = await readBlock(reader, offset)
    if (block.length === 0) break
    const cut = cutChars(block, left)
    left -= cut < block.length ? left : countChars(block)
    offset += cut
  }
  return offset
}

/** Characters before `offset`, which must be on a boundary. */
export async function charsBefore(reader: Reader, facts: TextFacts, offset: number): Promise<number> {
  const mark = lastMark(facts.marks, (candidate) => candidate.offset <= offset)
  let chars = mark.chars
  for (let at = mark.offset; at < offset; ) {
    const block = (await readBlock(reader, at)).subarray(0, offset - at)
    if (block.length === 0) break
    chars += countChars(block)
    at += block.length
  }
  return chars
}

/** A block from a boundary to a boundary. */
async function readBlock(reader: Reader, offset: number): Promise<Uint8Array> {
  const block = await readRange(reader, offset, offset + BLOCK_BYTES)
  const atEnd = offset + block.length >= reader.size
  return atEnd ? block : block.subarray(0, boundaryBelow(block, block.length - 1))
}

/** The last mark that is early enough; the first always is. */
function lastMark(marks: readonly Mark[], early: (mark: Mark) => boolean): Mark {
  let [low, high] = [0, marks.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (early(marks[middle] as Mark)) low = middle
    else high = middle
  }
  return marks[low] as Mark
}
