/** Snippets: the changed lines with some around them, as they are after an edit. */
import type { LineEdit } from '../diff/diff.ts'
import { lineEnd, lineStart, textEnd } from '../lines.ts'
import { bomLength, countChars, decodeLossy } from '../utf8.ts'

/** A part of a text, by lines from 1. */
export interface Snippet {
  readonly start_line: number
  readonly end_line: number
  /** Raw text, without the end of the last line. */
  readonly content: string
}

/** Most characters of all snippets of one edit; what follows is left out. */
export const MAX_SNIPPET_CHARS: number = 100_000

/** Changed lines of `after` with `context` lines around them, overlapping ones as one, clipped at both ends of the text. */
export function snippetsOf(after: Uint8Array, edits: readonly LineEdit[], context: number): Snippet[] {
  const snippets: Snippet[] = []
  if (after.length === 0) return snippets
  let left = MAX_SNIPPET_CHARS
  for (let i = 0; i < edits.length; ) {
    const shown = widen(after, edits[i] as LineEdit, context)
    let [{ end, endLine }] = [shown]
    for (i++; i < edits.length; i++) {
      const next = widen(after, edits[i] as LineEdit, context)
      if (next.start >= end) break
      if (next.end > end) ({ end, endLine } = next)
    }
    const bytes = after.subarray(shown.start === 0 ? bomLength(after) : shown.start, textEnd(after, shown.start, end))
    left -= countChars(bytes)
    if (left < 0) break
    snippets.push({ start_line: shown.startLine, end_line: endLine, content: decodeLossy(bytes).text })
  }
  return snippets
}

/** An edit's lines and those around it. A removal is shown by the line that stands in its place. */
function widen(bytes: Uint8Array, edit: LineEdit, context: number): { start: number; end: number; startLine: number; endLine: number } {
  let [start, end, startLine, endLine] = [edit.newStart, edit.newEnd, edit.newLine + 1, edit.newLine + edit.newLines]
  if (start === bytes.length) {
    start = lineStart(bytes, start - 1)
    startLine--
  }
  if (end === start) {
    end = lineEnd(bytes, start)
    endLine = startLine
  }
  for (let i = 0; i < context && start > 0; i++) {
    start = lineStart(bytes, start - 1)
    startLine--
  }
  for (let i = 0; i < context && end < bytes.length; i++) {
    end = lineEnd(bytes, end)
    endLine++
  }
  return { start, end, startLine, endLine }
}
