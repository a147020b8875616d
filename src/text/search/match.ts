/** A match of a search as it is shown: where it is, its line, and lines around it. */
import type { Path } from '../../core/path.ts'
import type { Span } from '../regex/engine.ts'
import { excerpt, type Subject } from './subject.ts'

/** What is wanted of the matches. */
export interface Wanted {
  /** Lines, or counts by file only. */
  readonly mode: 'content' | 'count'
  /** Lines before and after each match. */
  readonly context: number
  /** How a line, from `start` to `end` with a hit from `from` to `to`, is shown; default: cut around the hit. */
  readonly show?: (subject: Subject, start: number, end: number, from: number, to: number) => string
}

/** One matching line; in multiline queries, one match. */
export interface LineMatch {
  readonly path: Path
  /** From 1. */
  readonly line: number
  /** Multiline: the last line of the match. */
  readonly endLine?: number
  /** In characters, from 1. */
  readonly column: number
  /** The line, or the lines of the match, cut around the hit. */
  readonly content: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Matches of one file. */
export interface FileCount {
  readonly path: Path
  readonly count: number
}

/** The match at a span. Called in the order of the spans of one file. */
export function matchAt(path: Path, subject: Subject, span: Span, { context, show = excerpt }: Wanted, multiline: boolean): LineMatch {
  const start = subject.lineStart(span.start)
  const lastChar = multiline && span.end > span.start ? span.end - 1 : span.start
  const end = subject.lineEnd(lastChar)
  const line = subject.lineNumber(start)
  const column = subject.chars(start, span.start) + 1
  const shown = show(subject, start, end, span.start, Math.min(span.end, end))
  const content = multiline ? shown.replaceAll('\r\n', '\n') : shown
  const before = context === 0 ? NONE : linesBefore(subject, start, context)
  const after = context === 0 ? NONE : linesAfter(subject, lastChar, context)
  if (!multiline) return { path, line, column, content, before, after }
  return { path, line, column, content, before, after, endLine: subject.lineNumber(subject.lineStart(lastChar)) }
}

const NONE: readonly string[] = []

function linesBefore(subject: Subject, start: number, count: number): string[] {
  const lines: string[] = []
  for (let at = start; at > 0 && lines.length < count; ) {
    at = subject.lineStart(at - 1)
    lines.unshift(excerpt(subject, at, subject.lineEnd(at), at, at))
  }
  return lines
}

function linesAfter(subject: Subject, last: number, count: number): string[] {
  const lines: string[] = []
  for (let at = subject.nextLine(last); at < subject.length && lines.length < count; at = subject.nextLine(at)) {
    lines.push(excerpt(subject, at, subject.lineEnd(at), at, at))
  }
  return lines
}
