/** Lines as numbers: equal lines of two texts get equal numbers, without decoding or copying them. */

import type { Range } from '../edit/match.ts'
import { createHashKey, type HashKey, hashLines } from './line_hashes.ts'

/** The lines of a part of a text. */
export interface LineIds {
  readonly count: number
  /** One number a line. */
  readonly ids: Int32Array
  /** Where each line begins, and, last, where the part ends. */
  readonly offsets: Int32Array
}

/** The lines of parts of two texts, numbered together. */
export interface NumberedLines {
  readonly a: LineIds
  readonly b: LineIds
  /** Numbers that were given: they are 0 to `distinct` - 1. */
  readonly distinct: number
}

/** Numbers the lines, line ends included. `aLines` and `bLines` say how many there are. */
export function numberLines(a: Uint8Array, aRange: Range, aLines: number, b: Uint8Array, bRange: Range, bLines: number): NumberedLines {
  const table = createTable(aLines + bLines)
  return { a: numberSide(table, a, aRange, aLines), b: numberSide(table, b, bRange, bLines), distinct: table.size }
}

/** An open-addressed hash table of lines; a line is known by the text it was first seen in and its place there. */
interface Table {
  /** The numbers do not depend on it. */
  readonly key: HashKey
  readonly slots: Int32Array
  readonly mask: number
  readonly hashes: Int32Array
  readonly starts: Int32Array
  readonly lengths: Int32Array
  readonly texts: Uint8Array[]
  /** Index of the first number that was given for the second text. */
  second: number
  size: number
}

function createTable(lines: number): Table {
  let slots = 16
  while (slots < 2 * lines) slots *= 2
  return {
    key: createHashKey(),
    slots: new Int32Array(slots).fill(-1),
    mask: slots - 1,
    hashes: new Int32Array(lines),
    starts: new Int32Array(lines),
    lengths: new Int32Array(lines),
    texts: [],
    second: 0,
    size: 0,
  }
}

function numberSide(table: Table, text: Uint8Array, range: Range, count: number): LineIds {
  const { slots, mask, hashes, starts, lengths } = table
  if (table.texts.length === 1) table.second = table.size
  table.texts.push(text)
  const firstText = table.texts[0] as Uint8Array
  const second = table.texts.length === 1 ? Number.MAX_SAFE_INTEGER : table.second
  const offsets = new Int32Array(count + 1)
  // Each hash gives its place to the number of its line.
  const ids = new Int32Array(count)
  hashLines(text, range.start, range.end, table.key, offsets, ids)
  offsets[count] = range.end
  for (let line = 0; line < count; line++) {
    const start = offsets[line] as number
    const length = (offsets[line + 1] as number) - start
    const hash = ids[line] as number
    let slot = (hash ^ (hash >>> 15)) & mask
    let id = slots[slot] as number
    while (id >= 0) {
      if (hashes[id] === hash && lengths[id] === length) {
        const other = id < second ? firstText : text
        const otherStart = starts[id] as number
        let i = 0
        while (i < length && other[otherStart + i] === text[start + i]) i++
        if (i === length) break
      }
      slot = (slot + 1) & mask
      id = slots[slot] as number
    }
    if (id < 0) {
      id = table.size++
      slots[slot] = id
      hashes[id] = hash
      starts[id] = start
      lengths[id] = length
    }
    ids[line] = id
  }
  return { count, ids, offsets }
}
