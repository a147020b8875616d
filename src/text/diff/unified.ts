/** Unified diffs: the format that `patch` and `git apply` read (C-43, C-44). */

import { LF } from '../bytes.ts'
import { lineEnd, lineStart } from '../lines.ts'
import { countChars, decodeLossy, encodeText } from '../utf8.ts'
import { diffLines, type LineEdit } from './diff.ts'

/** Most characters of a diff's text (C-44). */
const MAX_DIFF_CHARS = 100_000

/** How a diff is written. */
export interface UnifiedOptions {
  /** Path of each side, relative to the root; null for a side that does not exist. */
  readonly oldPath: string | null
  readonly newPath: string | null
  /** Equal lines shown around changes; default 3. */
  readonly context?: number | undefined
  /** Most characters; default {@link MAX_DIFF_CHARS}. */
  readonly maxChars?: number | undefined
}

/** A diff as text. */
export interface UnifiedDiff {
  /** Empty when the texts are equal. Bytes that are not UTF-8 appear as U+FFFD. */
  readonly text: string
  /** The text was cut, at the end of a line; the counts below are of the whole difference. */
  readonly truncated: boolean
  readonly added: number
  readonly removed: number
}

/** The unified diff of two texts. */
export function unifiedDiff(a: Uint8Array, b: Uint8Array, options: UnifiedOptions): UnifiedDiff {
  return formatEdits(a, b, diffLines(a, b), options)
}

/** The unified diff of edits that are known. */
export function formatEdits(a: Uint8Array, b: Uint8Array, edits: readonly LineEdit[], options: UnifiedOptions): UnifiedDiff {
  let [added, removed] = [0, 0]
  for (const edit of edits) {
    added += edit.newLines
    removed += edit.oldLines
  }
  if (edits.length === 0) return { text: '', truncated: false, added, removed }
  const writer = createWriter(options.maxChars ?? MAX_DIFF_CHARS)
  writer.text(`--- ${fileName('a', options.oldPath)}\n`)
  writer.text(`+++ ${fileName('b', options.newPath)}\n`)
  const context = options.context ?? 3
  for (let i = 0; i < edits.length && !writer.full(); ) {
    let end = i + 1
    while (end < edits.length && gap(edits[end - 1] as LineEdit, edits[end] as LineEdit) <= 2 * context) end++
    writeHunk(writer, a, b, edits.slice(i, end), context)
    i = end
  }
  return { text: decodeLossy(writer.bytes()).text, truncated: writer.full(), added, removed }
}

function gap(first: LineEdit, second: LineEdit): number {
  return second.oldLine - first.oldLine - first.oldLines
}

function writeHunk(writer: Writer, a: Uint8Array, b: Uint8Array, edits: readonly LineEdit[], context: number): void {
  const first = edits[0] as LineEdit
  const last = edits[edits.length - 1] as LineEdit
  let [start, before] = [first.oldStart, 0]
  for (; before < context && start > 0; before++) start = lineStart(a, start - 1)
  let [end, after] = [last.oldEnd, 0]
  for (; after < context && end < a.length; after++) end = lineEnd(a, end)
  const oldCount = last.oldLine + last.oldLines - first.oldLine + before + after
  const newCount = last.newLine + last.newLines - first.newLine + before + after
  writer.text(`@@ -${range(first.oldLine - before, oldCount)} +${range(first.newLine - before, newCount)} @@\n`)
  let at = start
  for (const edit of edits) {
    writer.lines(' ', a, at, edit.oldStart)
    writer.lines('-', a, edit.oldStart, edit.oldEnd)
    writer.lines('+', b, edit.newStart, edit.newEnd)
    at = edit.oldEnd
  }
  writer.lines(' ', a, at, end)
}

/** Lines from index `line` (from 0) on. The line before an empty range is named; a count of 1 is left out. */
function range(line: number, count: number): string {
  if (count === 0) return `${line},0`
  return count === 1 ? `${line + 1}` : `${line + 1},${count}`
}

/** Collects lines until the next one would be too much. */
interface Writer {
  /** Adds a line of ASCII. */
  text(line: string): void
  lines(sign: string, text: Uint8Array, start: number, end: number): void
  full(): boolean
  bytes(): Uint8Array
}

const NO_NEWLINE = encodeText('\n\\ No newline at end of file\n')
/** Longer lines are copied at once. */
const SHORT = 64

function createWriter(maxChars: number): Writer {
  let buffer = new Uint8Array(4096)
  let [length, left, full] = [0, maxChars, false]
  const reserve = (bytes: number) => {
    if (length + bytes <= buffer.length) return
    const larger = new Uint8Array(2 * (length + bytes))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }
  const add = (bytes: Uint8Array) => {
    reserve(bytes.length)
    buffer.set(bytes, length)
    length += bytes.length
  }
  const take = (chars: number) => {
    if (chars > left) full = true
    else left -= chars
    return !full
  }
  const bounded = maxChars !== Number.POSITIVE_INFINITY
  return {
    text(line) {
      if (full || !take(line.length)) return
      reserve(line.length)
      for (let i = 0; i < line.length; i++) buffer[length++] = line.charCodeAt(i)
    },
    lines(sign, text, start, end) {
      const mark = sign.charCodeAt(0)
      for (let at = start; at < end && !full; ) {
        const next = lineEnd(text, at)
        const closed = text[next - 1] === LF
        const chars = bounded ? countChars(text.subarray(at, next)) : 0
        if (take(1 + chars + (closed ? 0 : NO_NEWLINE.length))) {
          reserve(1 + next - at)
          buffer[length++] = mark
          if (next - at > SHORT) buffer.set(text.subarray(at, next), length)
          else for (let i = 0; i < next - at; i++) buffer[length + i] = text[at + i] as number
          length += next - at
          if (!closed) add(NO_NEWLINE)
        }
        at = next
      }
    },
    full: () => full,
    bytes: () => buffer.subarray(0, length),
  }
}

/** A side's name in a header: `a/path`, or /dev/null when there is no such side. */
function fileName(side: 'a' | 'b', path: string | null): string {
  if (path === null) return '/dev/null'
  const name = quoteName(`${side}/${path}`)
  // Readers take a name with a space to end at a tab.
  return name.includes(' ') ? `${name}\t` : name
}

const ESCAPES: { readonly [char: number]: string } = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 34: '"', 92: '\\' }

/**
 * A name as git writes it: plain, or in quotes with escapes when it holds control characters, a quote, a backslash or anything
 * but ASCII. A lone surrogate U+DCNN stands for the byte 0xNN of a name that is not UTF-8.
 */
export function quoteName(name: string): string {
  let quoted = ''
  for (const char of name) {
    const code = char.codePointAt(0) as number
    const letter = ESCAPES[code]
    if (letter) quoted += `\\${letter}`
    else if (code >= 0x20 && code < 0x7f) quoted += char
    else
      for (const byte of code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : encodeText(char))
        quoted += `\\${byte.toString(8).padStart(3, '0')}`
  }
  return quoted === name ? name : `"${quoted}"`
}
