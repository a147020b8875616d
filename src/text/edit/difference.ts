/** The smallest difference between a search text and the region it was meant for, in words. */
import { alignWithin } from '../diff/align.ts'

/** Most characters of each side that are shown. */
const MAX_SHOWN = 80

/**
 * Where `region`, which begins on line `firstLine`, first differs from `search`: the line, the column, and what stands on each
 * side, white space and look-alikes written so that they can be seen.
 */
export function describeDifference(search: string, region: string, firstLine: number): string {
  const wanted = splitLines(search)
  const found = splitLines(region)
  const differing: number[] = []
  for (let i = 0; i < wanted.length; i++) {
    if (!fits(wanted[i] as string, found[i], i === 0, i === wanted.length - 1)) differing.push(i)
  }
  const first = differing[0]
  if (first === undefined) return search.includes('\r') === region.includes('\r') ? 'the end of the text differs' : 'the line ends differ'
  const place = describeLine(wanted[first] as string, found[first] ?? '', firstLine + first, first === 0, first === wanted.length - 1)
  const more = differing.length - 1
  return more === 0 ? place : `${place}; ${more} more ${more === 1 ? 'line differs' : 'lines differ'}`
}

function splitLines(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop()
  return lines
}

/** Whether a wanted line stands in the found one; the first may begin and the last may end inside it. */
function fits(wanted: string, found: string | undefined, first: boolean, last: boolean): boolean {
  if (found === undefined) return false
  if (first && last) return found.includes(wanted)
  return first ? found.endsWith(wanted) : last ? found.startsWith(wanted) : found === wanted
}

function describeLine(wanted: string, found: string, line: number, first: boolean, last: boolean): string {
  const part = first || last ? alignWithin(wanted, found) : null
  let start = first && part ? part.start : 0
  let end = last && part ? part.end : found.length
  let [from, to] = [0, wanted.length]
  while (start < end && from < to && found[start] === wanted[from]) {
    start++
    from++
  }
  while (start < end && from < to && found[end - 1] === wanted[to - 1]) {
    end--
    to--
  }
  // Never between the halves of a surrogate pair.
  const low = (unit: string | undefined) => unit !== undefined && unit >= '\udc00' && unit <= '\udfff'
  if (from > 0 && (low(found[start]) || low(wanted[from]))) {
    start--
    from--
  }
  if (low(found[end]) || low(wanted[to])) {
    end++
    to++
  }
  const column = [...found.slice(0, start)].length + 1
  return `line ${line}, column ${column}: the file has ${visible(found.slice(start, end))}, the search text ${visible(wanted.slice(from, to))}`
}

/** A text in quotes, with escapes for what cannot be seen or told from something else. */
function visible(text: string): string {
  if (text === '') return 'nothing'
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text
  return JSON.stringify(shown).replace(/[^\x20-\x7e…\p{L}\p{N}\p{Emoji_Presentation}]/gu, (char) => {
    const code = (char.codePointAt(0) as number).toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })
}
