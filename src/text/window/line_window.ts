/** Windows of numbered lines, from a line on or from the end of the file (P-21 to P-26). */
import type { Reader } from '../../core/file_system.ts'
import { LF } from '../bytes.ts'
import { lineStart, skipLines } from '../lines.ts'
import { bomLength, decodeLossy } from '../utf8.ts'
import { charsBefore, offsetOfLine, readRange } from './locate.ts'
import type { TextFacts } from './text_facts.ts'
import type { TruncatedReason, WindowPart } from './text_window.ts'

/** Most lines in a window. */
const MAX_LINES = 500
/** Most characters of line text in a window; numbers and line ends do not count (settled detail 2). */
const MAX_CHARS = 50_000
/** Lines of a longer file that are shown when no range is asked for (P-23). */
const PREVIEW_LINES = 200

/** Enough for most windows. */
const FIRST_READ = 64 * 1024
/** Enough for every window: no character is longer than 4 bytes, no line end than 2. */
const MOST_READ: number = 4 * MAX_CHARS + 2 * MAX_LINES + 4

/** Lines `start` to `end`; without both, the whole file or its preview. */
export async function lineWindow(
  reader: Reader,
  facts: TextFacts,
  start: number | undefined,
  end: number | undefined,
): Promise<WindowPart> {
  const total = facts.totalLines
  const first = start ?? 1
  if (first > total) return { ...ofLines(first, []), eof: true, truncated: false }
  const preview = start === undefined && end === undefined && total > MAX_LINES
  const wanted = Math.min(end ?? total, total) - first + 1
  const count = Math.min(wanted, preview ? PREVIEW_LINES : MAX_LINES)
  const offset = await offsetOfLine(reader, facts, first)
  const lines = await readLines(reader, offset, count, first + count > total)
  const fitting = countFitting(lines)
  if (fitting === 0) return longLine(reader, facts, first, offset, lines[0] as string)
  const shown = lines.slice(0, fitting)
  const last = first + fitting - 1
  const reason: TruncatedReason = fitting < count ? 'max_output_chars' : preview ? 'large_file_preview' : 'max_lines'
  return {
    ...ofLines(first, shown),
    eof: last === total,
    truncated: fitting < wanted,
    ...(fitting < wanted && { truncated_reason: reason }),
    ...(last < total && { next_start_line: last + 1 }),
  }
}

/** The last `count` lines, the newest kept when they are too many or too long. */
export async function tailWindow(reader: Reader, facts: TextFacts, count: number): Promise<WindowPart> {
  const total = facts.totalLines
  const requested = { requested_tail_lines: count }
  if (total === 0) return { ...ofLines(1, []), ...requested, eof: true, truncated: false }
  const wanted = Math.min(count, MAX_LINES, total)
  const lines = await readLastLines(reader, wanted)
  const fitting = countFitting(lines.toReversed())
  if (fitting === 0) {
    const offset = await offsetOfLine(reader, facts, total)
    const [line] = await readLines(reader, offset, 1, true)
    return { ...(await longLine(reader, facts, total, offset, line as string)), ...requested }
  }
  const reason: TruncatedReason | null = fitting < wanted ? 'max_output_chars' : wanted < Math.min(count, total) ? 'max_lines' : null
  return {
    ...ofLines(total - fitting + 1, lines.slice(lines.length - fitting)),
    ...requested,
    eof: true,
    truncated: reason !== null,
    ...(reason && { truncated_reason: reason }),
  }
}

/** The beginning of a line that is longer than a window; only characters can go on inside it (P-24). */
async function longLine(reader: Reader, facts: TextFacts, line: number, offset: number, text: string): Promise<WindowPart> {
  const bom = offset === 0 ? bomLength(await readRange(reader, 0, 3)) : 0
  return {
    ...ofLines(line, [text.slice(0, unitsOf(text, MAX_CHARS))]),
    eof: false,
    truncated: true,
    truncated_reason: 'line_too_long',
    next_offset_chars: (await charsBefore(reader, facts, offset + bom)) + MAX_CHARS,
  }
}

/** What stands before a line. */
function numberOf(line: number): string {
  return `${String(line).padStart(4)}\t`
}

/** Those of the lines that are seen most, made once: that costs more than all else that is done with a line. */
const NUMBERS: readonly string[] = Array.from({ length: 1000 }, (_, line) => numberOf(line))

function ofLines(first: number, lines: readonly string[]): Pick<WindowPart, 'content' | 'mode' | 'start_line' | 'end_line'> {
  let content = ''
  for (let i = 0; i < lines.length; i++) {
    if (i > 0) content += '\n'
    content += NUMBERS[first + i] ?? numberOf(first + i)
    content += lines[i]
  }
  return { content, mode: 'line', start_line: first, end_line: first + lines.length - 1 }
}

/** Text of up to `count` lines from `offset` on, `toEnd` when these are the last: all of them, or more than fit into a window. */
async function readLines(reader: Reader, offset: number, count: number, toEnd: boolean): Promise<string[]> {
  for (const most of [FIRST_READ, MOST_READ]) {
    const bytes = await readRange(reader, offset, offset + most)
    const whole = offset + bytes.length >= reader.size
    const end = whole && toEnd ? bytes.length : skipLines(bytes, count)
    const complete = whole || end >= 0
    if (complete || most === MOST_READ) return linesOf(bytes.subarray(offset === 0 ? bomLength(bytes) : 0, end < 0 ? bytes.length : end))
  }
  return []
}

/** Text of the last `count` lines: all of them, or so many that they do not fit into a window. */
async function readLastLines(reader: Reader, count: number): Promise<string[]> {
  for (const most of [FIRST_READ, MOST_READ]) {
    const offset = Math.max(0, reader.size - most)
    const bytes = await readRange(reader, offset, reader.size)
    let start = bytes.length
    let found = 0
    while (found < count && start > 0) {
      start = lineStart(bytes, start - 1)
      // A line that begins before what was read is not whole.
      if (start > 0 || offset === 0) found++
    }
    if (found === count || offset === 0 || most === MOST_READ)
      return linesOf(bytes.subarray(offset + start === 0 ? bomLength(bytes) : start))
  }
  return []
}

/** The lines of whole text, without their ends. No bytes are one empty line: what a BOM alone leaves. */
function linesOf(bytes: Uint8Array): string[] {
  const { text } = decodeLossy(bytes)
  const lines = text.split('\n')
  const closed = bytes[bytes.length - 1] === LF
  if (closed) lines.pop()
  if (!text.includes('\r')) return lines
  return lines.map((line, i) => (line.endsWith('\r') && (closed || i < lines.length - 1) ? line.slice(0, -1) : line))
}

/** How many of the lines fit into a window, from the first on. */
function countFitting(lines: readonly string[]): number {
  let chars = 0
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    chars += chars + line.length <= MAX_CHARS ? line.length : charsOf(line)
    if (chars > MAX_CHARS) return i
  }
  return lines.length
}

/** Characters of well-formed text. */
function charsOf(text: string): number {
  let chars = text.length
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) chars--
  return chars
}

/** Length in UTF-16 units of the first `chars` characters. */
function unitsOf(text: string, chars: number): number {
  let units = 0
  for (let left = chars; left > 0 && units < text.length; left--) units += (text.charCodeAt(units) & 0xfc00) === 0xd800 ? 2 : 1
  return units
}
