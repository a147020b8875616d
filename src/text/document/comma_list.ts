/** Lists with commas, as in JSON and in YAML's flow style: items put in and taken out the way the list is written. */
import { CR, LF } from '../bytes.ts'
import { afterLineEnd, indentAt, lineStartAt, type Source, type Splice, skipBlanks, skipBlanksBack } from './source.ts'

/** Where an item stands; a member with its key. */
export interface Item {
  readonly start: number
  readonly end: number
}

/** A list in brackets, seen from one index: the place between `before` and `at`. */
export interface CommaList {
  readonly source: Source
  /** Offset after the opening bracket. */
  readonly open: number
  /** Offset of the closing bracket. */
  readonly close: number
  readonly count: number
  /** The item before the index; null at the beginning. */
  readonly before: Item | null
  /** The item at the index; null at the end. */
  readonly at: Item | null
  /** What stands between the first comma and the item after it; null when there is no such item. */
  readonly gap: string | null
  /** Offset after the comment that begins at an offset; the offset itself when none does. */
  skipComment(at: number): number
}

/** What is written when a list does not show it. */
export interface ListStyle {
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
  /** After a comma, in a list on one line. */
  readonly gap: string
}

const COMMA = 0x2c

/** Whether an item put at the list's index would begin a line. */
export function startsLine(list: CommaList): boolean {
  const near = list.at ?? list.before
  if (near) return ownsLineStart(list, near)
  return hasLineFeed(list.source, list.open, list.close)
}

/** The indentation that an item at the list's index has, if it begins a line. */
export function itemIndent(list: CommaList, style: ListStyle): string {
  const near = list.at ?? list.before
  return near ? indentAt(list.source, near.start) : indentAt(list.source, list.close) + style.unit
}

/** Puts an item in at the list's index. */
export function insertItem(list: CommaList, text: string, style: ListStyle): Splice {
  const { source, at, before } = list
  const line = style.eol + itemIndent(list, style)
  const gap = list.gap !== null && /^[ \t]*$/.test(list.gap) ? list.gap : style.gap
  if (!at && !before) return fillEmpty(list, text, style)
  if (at) {
    if (!ownsLineStart(list, at)) return { start: at.start, end: at.start, text: `${text},${gap}` }
    const anchor = restOfLine(list, before ? commaAfter(list, before) + 1 : list.open)
    if (anchor === null) return { start: at.start, end: at.start, text: `${text},${line}` }
    return { start: anchor, end: anchor, text: `${line}${text},` }
  }
  const last = before as Item
  const comma = commaAfter(list, last)
  const after = comma < 0 ? last.end : comma + 1
  const [first, closing] = comma < 0 ? [',', ''] : ['', ',']
  const anchor = ownsLineStart(list, last) ? restOfLine(list, after) : null
  const end = anchor ?? after
  const separator = anchor === null ? gap : line
  return { start: last.end, end, text: `${first}${source.slice(last.end, end)}${separator}${text}${closing}` }
}

/** Takes the item at the list's index out, with the comment on its line and not the lines above it (settled detail 27). */
export function removeItem(list: CommaList): Splice {
  const { source, before } = list
  const at = list.at as Item
  const comma = commaAfter(list, at)
  const after = comma < 0 ? at.end : comma + 1
  const line = wholeLines(list, at, after)
  const { start, end } = line ?? { start: at.start, end: after }
  if (list.count === 1) {
    const alone = isWhite(source, list.open, at.start) && isWhite(source, after, list.close)
    return alone ? { start: list.open, end: list.close, text: '' } : { start, end, text: '' }
  }
  if (comma < 0 && before) {
    // The last item takes the comma before it along, and leaves the comments between them.
    const earlier = commaAfter(list, before)
    const between = source.slice(earlier + 1, start)
    return { start: earlier, end, text: line || /\S/.test(between) ? between : '' }
  }
  if (line) return { start, end, text: '' }
  const next = skipBlanks(source, after)
  return { start: isLineEnd(source, next) ? skipBlanksBack(source, start) : start, end: next, text: '' }
}

/** The lines of an item that has them for itself and a comment; null when something else stands on them. */
function wholeLines(list: CommaList, item: Item, after: number): Item | null {
  const rest = ownsLineStart(list, item) ? restOfLine(list, after) : null
  if (rest === null) return null
  const stop = skipBlanks(list.source, rest)
  const end = afterLineEnd(list.source, stop)
  return end > stop ? { start: lineStartAt(list.source, item.start), end } : null
}

function fillEmpty(list: CommaList, text: string, style: ListStyle): Splice {
  const { source, open, close } = list
  let end = close
  while (end > open && isSpace(source.code(end - 1))) end--
  if (!startsLine(list)) return { start: end, end: close, text: end > open ? ` ${text}` : text }
  const outer = indentAt(source, close)
  return { start: end, end: close, text: `${style.eol}${outer}${style.unit}${text}${style.eol}${outer}` }
}

/** Offset of the comma that follows an item, or -1. */
function commaAfter(list: CommaList, item: Item): number {
  let at = item.end
  for (;;) {
    while (isSpace(list.source.code(at))) at++
    const next = list.skipComment(at)
    if (next === at) return list.source.code(at) === COMMA ? at : -1
    at = next
  }
}

/** Where the line ends when nothing but blanks and comments follows on it, else null. The blanks at its end are not counted. */
function restOfLine(list: CommaList, from: number): number | null {
  let [at, solid] = [from, from]
  for (;;) {
    at = skipBlanks(list.source, at)
    if (isLineEnd(list.source, at)) return solid
    const next = list.skipComment(at)
    if (next === at) return at === list.close ? solid : null
    at = next
    solid = next
  }
}

function ownsLineStart(list: CommaList, item: Item): boolean {
  const start = lineStartAt(list.source, item.start)
  return start > list.open - 1 && skipBlanks(list.source, start) === item.start
}

function hasLineFeed(source: Source, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (source.code(at) === LF) return true
  return false
}

function isWhite(source: Source, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isSpace(source.code(at))) return false
  return true
}

function isLineEnd(source: Source, at: number): boolean {
  return source.code(at) === LF || (source.code(at) === CR && source.code(at + 1) === LF)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === LF || code === CR
}
