/** Edits that name whole lines by what they hold, with the line where they should be as a hint (F-80). */
import { concatBytes } from '../../core/bytes.ts'
import { createLineTable, indexAtOrAfter, type LineTable } from '../line_table.ts'
import { eolStyle } from '../lines.ts'
import { encodeText } from '../utf8.ts'

/** Lines around the hint among which a text is looked for before it is looked for everywhere. */
const NEAR = 5

/** One edit. */
export interface WholeLineEdit {
  /** Where the lines should begin, from 1, in the text before all edits. */
  readonly line?: number | undefined
  /** Whole lines; a line end after the last of them means nothing. */
  readonly oldText: string
  /** What takes their place; empty: nothing does. */
  readonly newText: string
}

/** Why an edit cannot be made. */
export interface WholeLineProblem {
  readonly edit: number
  readonly code: 'no_match' | 'ambiguous_match' | 'invalid_argument'
  readonly message: string
  /** A line to look at. */
  readonly line: number | null
}

/** What edits come to: the bytes after all of them, or why some cannot be made. */
export interface WholeLinePlan {
  readonly bytes: Uint8Array
  readonly problems: readonly WholeLineProblem[]
  /** The line where each edit begins; 0 for one that cannot be made. */
  readonly lines: readonly number[]
}

/** Lines that an edit replaces, the second exclusive, counted from 0. */
interface Place {
  readonly edit: number
  readonly first: number
  readonly last: number
}

/**
 * Plans edits of a text, all of them by the lines that it has before. A text that stands at its hint is taken there; else the nearest
 * one within five lines of it; else the only one in the file. What is not replaced stays as it is, byte for byte, and new lines end as
 * those in whose place they stand.
 */
export function planWholeLines(bytes: Uint8Array, edits: readonly WholeLineEdit[]): WholeLinePlan {
  const table = createLineTable(bytes)
  const problems: WholeLineProblem[] = []
  const places: Place[] = []
  for (const [edit, { line, oldText }] of edits.entries()) {
    const wanted = textLines(oldText)
    const found = choose(table.find(wanted, 'exact', 0), line)
    if (typeof found === 'number') places.push({ edit, first: found, last: found + wanted.length })
    else problems.push({ edit, ...found })
  }
  places.sort((a, b) => a.first - b.first || a.edit - b.edit)
  for (const [at, place] of places.entries()) {
    const before = places[at - 1]
    if (before && before.last > place.first) problems.push({ edit: place.edit, ...overlap(before.edit, place.first + 1) })
  }
  const began = edits.map(() => 0)
  for (const { edit, first } of places) began[edit] = first + 1
  if (problems.length > 0) return { bytes, problems: problems.sort((a, b) => a.edit - b.edit), lines: began }
  return { bytes: replaced(bytes, table, places, edits), problems, lines: began }
}

/** The lines of an argument, without their ends. */
function textLines(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

/** The place that is meant, or why it cannot be told. */
function choose(places: Int32Array, hint: number | undefined): number | Omit<WholeLineProblem, 'edit'> {
  const [first, second] = places
  if (first === undefined) return { code: 'no_match', message: 'these lines are not in the file', line: hint ?? null }
  if (hint !== undefined) {
    const distance = (at: number): number => Math.abs(at + 1 - hint)
    const from = indexAtOrAfter(places, hint - 1 - NEAR)
    const near = Array.from(places.subarray(from, from + 2 * NEAR + 1)).filter((at) => distance(at) <= NEAR)
    const [nearest, next] = near.sort((a, b) => distance(a) - distance(b))
    if (nearest !== undefined && (next === undefined || distance(nearest) < distance(next))) return nearest
    if (nearest !== undefined) return ambiguous(places, nearest, `as far before line ${hint} as after it`)
  }
  return second === undefined
    ? first
    : ambiguous(places, first, hint === undefined ? 'and no line says where' : `and none near line ${hint}`)
}

function ambiguous(places: Int32Array, at: number, why: string): Omit<WholeLineProblem, 'edit'> {
  return { code: 'ambiguous_match', message: `these lines stand in ${places.length} places, ${why}`, line: at + 1 }
}

function overlap(other: number, line: number): Omit<WholeLineProblem, 'edit'> {
  return { code: 'invalid_argument', message: `it replaces lines that edit ${other} replaces too`, line }
}

function replaced(bytes: Uint8Array, table: LineTable, places: readonly Place[], edits: readonly WholeLineEdit[]): Uint8Array {
  const parts: Uint8Array[] = []
  let from = 0
  for (const { edit, first, last } of places) {
    parts.push(bytes.subarray(from, table.startOf(first)))
    const { newText } = edits[edit] as WholeLineEdit
    if (newText !== '') {
      const firstEol = bytes.subarray(table.textEndOf(first), table.startOf(first + 1))
      const eol = firstEol.length > 0 ? firstEol : encodeText(eolStyle(bytes))
      for (const [i, text] of textLines(newText).entries()) {
        if (i > 0) parts.push(eol)
        parts.push(encodeText(text))
      }
      parts.push(bytes.subarray(table.textEndOf(last - 1), table.startOf(last)))
    }
    from = table.startOf(last)
  }
  parts.push(bytes.subarray(from))
  return concatBytes(parts)
}
