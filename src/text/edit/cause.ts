/** Why a search text is not in a text: which single property, left aside, would make it match. */

import { indexOfBytes } from '../bytes.ts'
import { BOM_LENGTH, decodeLossy, encodeText } from '../utf8.ts'
import { foldText } from './confusables.ts'
import type { Range } from './match.ts'
import { examinedRange, type Region } from './nearest.ts'

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

/** What is left aside, and a text without it. */
type Leaving = readonly [Cause, (text: string) => string]

/** In order: the first that makes the texts agree is the cause; the last ones leave several things aside. */
const LEAVING: readonly Leaving[] = [
  ['line_endings', withoutCr],
  ['trailing_blanks', (text) => byLine((line) => line.trimEnd())(withoutCr(text))],
  ['indentation', (text) => byLine((line) => line.trimStart())(withoutCr(text))],
  ['white_space', squeezed],
  ['look_alikes', foldText],
  ['case', (text) => text.toLowerCase()],
  ['look_alikes', (text) => squeezed(foldText(text))],
  ['case', (text) => squeezed(foldText(text)).toLowerCase()],
]
const ESCAPES: readonly Leaving[] = [
  ['escapes', unescaped],
  ['escapes', (text) => squeezed(unescaped(text))],
]

/** Finds the cause. `nearest` is the best region, if there is one. */
export function findCause(bytes: Uint8Array, search: string, replace: string, range: Range, nearest: Region | undefined): Cause {
  const scoped = range.start > BOM_LENGTH || range.end < bytes.length
  if (scoped && indexOfBytes(bytes, encodeText(search)) >= 0) return 'outside_lines'
  if (isApplied(bytes, search, replace, range, nearest)) return 'already_applied'
  const agrees = (text: string, [, change]: Leaving) => {
    const wanted = change(search)
    return wanted.trim() !== '' && change(text).includes(wanted)
  }
  // Leaving these aside makes the texts equal, so the region that holds the text is the nearest.
  const region = nearest ? textOf(bytes, nearest.range) : ''
  const left = LEAVING.find((leaving) => agrees(region, leaving))
  if (left) return left[0]
  const text = textOf(bytes, examinedRange(bytes, range))
  const escaped = text.includes('\\') || search.includes('\\')
  if (escaped && ESCAPES.some((leaving) => agrees(text, leaving))) return 'escapes'
  return nearest && nearest.candidate.similarity >= SLIP ? 'typo' : 'stale'
}

const textOf = (bytes: Uint8Array, { start, end }: Range): string => decodeLossy(bytes.subarray(start, end)).text

/** Whether the new text stands where the search text should: at the nearest region, or anywhere when there is none. */
function isApplied(bytes: Uint8Array, search: string, replace: string, range: Range, nearest: Region | undefined): boolean {
  const text = encodeText(replace)
  const telling = nearest ? 2 * replace.length >= search.length : replace.trim().length >= TELLING_CHARS
  if (!telling || replace.trim() === '' || replace === search) return false
  const place = nearest?.range ?? range
  const at = indexOfBytes(bytes.subarray(0, range.end), text, Math.max(range.start, place.start - text.length + 1))
  return at >= 0 && at < place.end
}

const ESCAPED: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }

/** A text with `\n`, `\t`, `\"` and the like as the characters they stand for. */
function unescaped(text: string): string {
  return text.replace(/\\([nrt"'`\\])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
}
