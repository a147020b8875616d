/** Why a search text is not in a text: which single property, left aside, would make it match. */
import { foldText } from './confusables.ts'
import { findPlaces, type Range } from './match.ts'
import { examinedRange, type Region } from './nearest.ts'
import { decodeLossy, encodeText } from './utf8.ts'

/**
 * - `outside_lines`: it is there, but not within the lines that were given
 * - `already_applied`: the new text is there
 * - `line_endings`, `trailing_blanks`, `indentation`, `white_space`, `look_alikes`, `case`, `escapes`: it would match without these
 * - `typo`: a region differs in a few characters
 * - `stale`: nothing near it is there; the text was another when it was read
 */
export type Cause =
  | 'outside_lines'
  | 'already_applied'
  | 'line_endings'
  | 'trailing_blanks'
  | 'indentation'
  | 'white_space'
  | 'look_alikes'
  | 'case'
  | 'escapes'
  | 'typo'
  | 'stale'

/** Regions more alike than this differ by a slip; others by their content. */
const SLIP = 0.85
/** Shorter texts are found anywhere by chance. */
const TELLING_CHARS = 8

const byLine = (change: (line: string) => string) => (text: string) => text.split('\n').map(change).join('\n')
const withoutCr = (text: string) => text.replaceAll('\r\n', '\n')
const squeezed = byLine((line) => line.trim().replace(/[ \t]+/g, ' '))

/** In order: the first that makes both texts agree is the cause. */
const SINGLE: readonly (readonly [Cause, (text: string) => string])[] = [
  ['line_endings', withoutCr],
  ['trailing_blanks', (text) => byLine((line) => line.trimEnd())(withoutCr(text))],
  ['indentation', (text) => byLine((line) => line.trimStart())(withoutCr(text))],
  ['white_space', squeezed],
  ['look_alikes', foldText],
  ['case', (text) => text.toLowerCase()],
  ['escapes', unescaped],
]
const COMBINED: readonly (readonly [Cause, (text: string) => string])[] = [
  ['look_alikes', (text) => squeezed(foldText(text))],
  ['case', (text) => squeezed(foldText(text)).toLowerCase()],
  ['escapes', (text) => squeezed(unescaped(text))],
]

/** Finds the cause. `nearest` is the best region, if there is one. */
export function findCause(bytes: Uint8Array, search: string, replace: string, range: Range, nearest: Region | undefined): Cause {
  const whole = { start: 0, end: bytes.length }
  const scoped = range.start > 3 || range.end < bytes.length
  if (scoped && findPlaces(bytes, encodeText(search), whole).count > 0) return 'outside_lines'
  if (isApplied(bytes, search, replace, range, nearest)) return 'already_applied'
  const examined = examinedRange(bytes, range)
  const text = decodeLossy(bytes.subarray(examined.start, examined.end)).text
  for (const [cause, change] of [...SINGLE, ...COMBINED]) {
    const wanted = change(search)
    if (wanted.trim() !== '' && change(text).includes(wanted)) return cause
  }
  return nearest && nearest.candidate.similarity >= SLIP ? 'typo' : 'stale'
}

/** Whether the new text stands where the search text should: over the nearest region, or anywhere when there is none. */
function isApplied(bytes: Uint8Array, search: string, replace: string, range: Range, nearest: Region | undefined): boolean {
  const text = encodeText(replace)
  if (replace.trim() === '' || replace === search) return false
  const places = findPlaces(bytes, text, range)
  if (places.count === 0) return false
  if (!nearest) return replace.trim().length >= TELLING_CHARS
  const overlaps = places.starts.some((start, i) => start < nearest.range.end && (places.ends[i] as number) > nearest.range.start)
  return overlaps && 2 * replace.length >= search.length
}

const ESCAPED: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }

/** A text with `\n`, `\t`, `\"` and the like as the characters they stand for. */
function unescaped(text: string): string {
  return text.replace(/\\([nrt"'`\\])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
}
