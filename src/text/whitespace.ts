/** Whole lines found by their text without white space (P-53). */
import { CR, LF } from './bytes.ts'
import { lineEnd, textEnd } from './lines.ts'
import { type Found, type Range, type Replacement, withCrlf } from './match.ts'

const SPACE = 32
const TAB = 9

/**
 * Windows of as many whole lines as the search text has, equal to it without indentation and trailing blanks and with runs of
 * blanks as one. Windows may overlap: more than one is ambiguous, however they lie. The last line end belongs to a window only
 * when the search text has one. Lines that end in CRLF get a replacement that does, when the search text has LF only (C-19).
 */
export function findByLines(bytes: Uint8Array, { search, replace }: Replacement, range: Range): Found {
  const wanted = linesOf(search, { start: 0, end: search.length })
  const ids = new Map<string, number>()
  for (const line of wanted) if (!ids.has(line.key)) ids.set(line.key, ids.size)
  const pattern = wanted.map((line) => ids.get(line.key) as number)
  const border = borders(pattern)
  const lines = linesOf(bytes, range)
  const hits: Range[] = []
  let matched = 0
  for (const [i, line] of lines.entries()) {
    const id = ids.get(line.key) ?? -1
    while (matched > 0 && id !== pattern[matched]) matched = border[matched - 1] as number
    if (id === pattern[matched]) matched++
    if (matched < pattern.length) continue
    hits.push({ start: (lines[i - pattern.length + 1] as Line).start, end: search[search.length - 1] === LF ? line.end : line.textEnd })
    matched = border[matched - 1] as number
  }
  const first = hits[0]
  const crlf = first !== undefined && !search.includes(CR) && search.includes(LF) && allCrlf(bytes, first)
  return {
    places: { count: hits.length, starts: Int32Array.from(hits, (hit) => hit.start), ends: Int32Array.from(hits, (hit) => hit.end) },
    replace: crlf ? withCrlf(replace) : replace,
  }
}

interface Line {
  readonly start: number
  readonly textEnd: number
  readonly end: number
  readonly key: string
}

function linesOf(bytes: Uint8Array, range: Range): Line[] {
  const text = bytes.subarray(0, range.end)
  const lines: Line[] = []
  for (let start = range.start; start < text.length; ) {
    const end = lineEnd(text, start)
    const stop = textEnd(text, start, end)
    lines.push({ start, textEnd: stop, end, key: squeezed(text, start, stop) })
    start = end
  }
  return lines
}

/** A line without its outer blanks and with runs of blanks as one space; one UTF-16 unit a byte, so that bad bytes stay apart. */
export function squeezed(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  let blank = false
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === SPACE || byte === TAB) {
      blank = true
      continue
    }
    if (blank && text !== '') text += ' '
    blank = false
    text += String.fromCharCode(byte)
  }
  return text
}

/** For each beginning of the pattern, the length of its longest proper beginning that is also its end. */
function borders(pattern: readonly number[]): number[] {
  const border = [0]
  for (let i = 1, k = 0; i < pattern.length; i++) {
    while (k > 0 && pattern[i] !== pattern[k]) k = border[k - 1] as number
    if (pattern[i] === pattern[k]) k++
    border.push(k)
  }
  return border
}

function allCrlf(bytes: Uint8Array, { start, end }: Range): boolean {
  for (let feed = bytes.indexOf(LF, start); feed >= 0 && feed < end; feed = bytes.indexOf(LF, feed + 1)) {
    if (bytes[feed - 1] !== CR) return false
  }
  return bytes.subarray(start, end).includes(LF)
}
