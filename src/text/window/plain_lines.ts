/** Lines of a text as they are: bounded in number, in characters, and each in its length. */
import type { Reader } from '../../core/file_system.ts'
import { LF } from '../bytes.ts'
import { bomLength, cutChars, decodeLossy } from '../utf8.ts'
import { offsetOfLine, readRange } from './locate.ts'
import type { TextFacts } from './text_facts.ts'

/** Which lines are wanted, and how much of them. */
export interface PlainLinesRequest {
  /** From 1; must exist. */
  readonly first: number
  readonly count: number
  /** UTF-16 units of all lines; the first line is given whatever it has. */
  readonly maxChars: number
  /** Characters of one line; what is longer is cut. */
  readonly maxLineChars: number
}

/** The lines that fit. */
export interface PlainLines {
  /** Without their ends. At least one. */
  readonly lines: readonly string[]
  /** The last of them ends in a line feed. */
  readonly closed: boolean
  /** The first line that was cut, the byte offset at which it goes on, and the lines after it that were cut too; null when none was. */
  readonly cut: { readonly line: number; readonly offset: number; readonly others: readonly number[] } | null
}

/** Bytes that hold the lines of every answer but for very long lines. */
const REGION_BYTES = 256 * 1024

/** Reads lines from `first` on, which must exist. A line that goes on beyond what is read at once is the last one given. */
export async function readPlainLines(reader: Reader, facts: TextFacts, request: PlainLinesRequest): Promise<PlainLines> {
  const { first, count, maxChars, maxLineChars } = request
  const offset = await offsetOfLine(reader, facts, first)
  const bytes = await readRange(reader, offset, offset + REGION_BYTES)
  const whole = offset + bytes.length >= reader.size
  const lastFeed = bytes.lastIndexOf(LF)
  const shown = whole || lastFeed < 0 ? bytes : bytes.subarray(0, lastFeed + 1)
  const open = shown.length === 0 || shown[shown.length - 1] !== LF
  const all = decodeLossy(shown.subarray(offset === 0 ? bomLength(shown) : 0)).text.split('\n')
  if (!open) all.pop()
  const lines: string[] = []
  const cutLines: number[] = []
  let left = maxChars
  for (const line of all) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    const kept = text.length > maxLineChars ? firstChars(text, maxLineChars) : text
    left -= kept.length + 1
    if (lines.length === count || (left < 0 && lines.length > 0)) break
    if (kept !== text) cutLines.push(first + lines.length)
    lines.push(kept)
  }
  const closed = lines.length < all.length || !open
  const [line, ...others] = cutLines
  return { lines, closed, cut: line === undefined ? null : { line, offset: await offsetIn(reader, facts, line, maxLineChars), others } }
}

function firstChars(text: string, chars: number): string {
  let units = 0
  for (let left = chars; left > 0 && units < text.length; left--) units += (text.charCodeAt(units) & 0xfc00) === 0xd800 ? 2 : 1
  return text.slice(0, units)
}

/** The byte offset behind the first characters of a line. */
async function offsetIn(reader: Reader, facts: TextFacts, line: number, chars: number): Promise<number> {
  const start = await offsetOfLine(reader, facts, line)
  const bytes = await readRange(reader, start, start + 4 * (chars + 1))
  const bom = start === 0 ? bomLength(bytes) : 0
  return start + bom + cutChars(bytes.subarray(bom), chars)
}
