/** What is searched for, compiled: literals on undecoded bytes, regular expressions on text, each after its cheapest test. */
import { FilewrightError } from '../../core/errors.ts'
import { CR } from '../bytes.ts'
import type { Finder, Span } from '../regex/engine.ts'
import { compileRegex, type Piece, type Regex } from '../regex/regex.ts'
import type { Lacking } from '../regex/source.ts'
import { checkWellFormed, decodeStrict, encodeText, isAscii, latin1Text } from '../utf8.ts'
import { type Haystack, haystackOf, type Needle, needleOf } from './haystack.ts'
import { bytesSubject, type Subject, textSubject } from './subject.ts'

/** What is searched for. */
export interface Query {
  readonly text: string
  readonly isRegex: boolean
  /** Case does not matter, by Unicode's simple folding. */
  readonly fold: boolean
  /** Matches may span lines. */
  readonly multiline: boolean
  /** Multiline: longer matches are passed over. Bytes are counted with one for each line's end. */
  readonly maxSpanLines?: number | undefined
  readonly maxSpanBytes?: number | undefined
  /** The argument that holds the text, for errors. */
  readonly field: string
}

/** A query, compiled. */
export interface Search {
  readonly multiline: boolean
  /**
   * What there is to look at in one file's valid UTF-8, without BOM; null when it can hold no match. Once the bytes are used for
   * something else, only an inquiry that is not `quick` may still be gone through.
   */
  inquire(bytes: Uint8Array): Inquiry | null
  /** The linear engine, for inquiries that are not quick. */
  linear(): Promise<Finder | Lacking | null>
}

/** The matches of one file, not yet looked for. */
export interface Inquiry {
  readonly subject: Subject
  /** Takes a few milliseconds; an inquiry that is not is gone through with pauses. */
  readonly quick: boolean
  /**
   * The matches in order: in multiline queries all that do not overlap, else the first of each line. Null comes after a part of the
   * work that took its time. `passed` is told of parts that no engine could search.
   */
  matches(linear: Finder | Lacking | null, passed: () => void): Iterable<Span | null>
}

/** Above this size a file is not searched in one go. */
const QUICK_BYTES = 4 * 1024 * 1024

/** Compiles a query. Throws `invalid_argument`, `invalid_regex`, `unsupported`. */
export function compileQuery(query: Query): Search {
  const { text, isRegex, fold, multiline, field } = query
  checkWellFormed(text, field)
  if (!isRegex && !multiline && /\n/.test(text)) {
    throw new FilewrightError('invalid_argument', `${field} holds a line break: set multiline to search across lines.`, { field })
  }
  const search = isRegex || (fold && text.toLowerCase() !== text.toUpperCase()) ? regexSearch(query) : literalSearch(query)
  const { maxSpanLines, maxSpanBytes } = query
  if (!multiline || (maxSpanLines === undefined && maxSpanBytes === undefined)) return search
  return {
    ...search,
    inquire(bytes) {
      const inquiry = search.inquire(bytes)
      return inquiry && { ...inquiry, matches: (linear, passed) => withinSpan(inquiry.subject, inquiry.matches(linear, passed), query) }
    },
  }
}

/** The spans, with null for each that is too long. */
function* withinSpan(subject: Subject, spans: Iterable<Span | null>, query: Query): Generator<Span | null> {
  for (const span of spans) yield span && fits(subject.text(span.start, span.end).replaceAll('\r\n', '\n'), query) ? span : null
}

function fits(text: string, { maxSpanLines, maxSpanBytes }: Query): boolean {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return (maxSpanLines === undefined || lines <= maxSpanLines) && (maxSpanBytes === undefined || encodeText(text).length <= maxSpanBytes)
}

function literalSearch({ text, multiline }: Query): Search {
  const needle = needleOf(encodeText(text))
  // A text with LF alone also finds what a CRLF file has in its place (C-19).
  const crlf = multiline && text.includes('\n') && !text.includes('\r') ? [needleOf(encodeText(text.replaceAll('\n', '\r\n')))] : []
  return {
    multiline,
    linear: async () => null,
    inquire(bytes) {
      const haystack = haystackOf(bytes)
      const wanted = [needle, ...crlf].find((each) => haystack.indexOf(each, 0) >= 0)
      if (!wanted) return null
      const quick = bytes.length <= QUICK_BYTES
      const own = quick ? bytes : bytes.slice()
      const subject = bytesSubject(own)
      return { subject, quick, matches: () => literalMatches(quick ? haystack : haystackOf(own), subject, wanted, !multiline) }
    },
  }
}

function* literalMatches(haystack: Haystack, subject: Subject, needle: Needle, byLine: boolean): Generator<Span> {
  const { length } = needle.bytes
  const hasReturn = needle.bytes.includes(CR)
  for (let start = haystack.indexOf(needle, 0); start >= 0; ) {
    const end = start + length
    // The CR of a line's terminator is no part of the line.
    const outside = byLine && hasReturn && end > subject.lineEnd(start)
    if (!outside) yield { start, end }
    start = haystack.indexOf(needle, outside ? start + 1 : byLine ? subject.nextLine(end) : end)
  }
}

function regexSearch({ text, isRegex, fold, multiline, field }: Query): Search {
  const pattern = isRegex ? text : text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&').replaceAll('\r\n', '\n')
  const regex = compileRegex(pattern, { scope: multiline ? 'text' : 'lines', fold, field })
  const required = regex.required.map((clause) => clause.map((part) => needleOf(encodeText(part))))
  return {
    multiline,
    linear: () => regex.linear(),
    inquire(bytes) {
      if (!holds(bytes, required)) return null
      const { mayMatch } = regex
      const ascii = isAscii(bytes)
      const undecoded = mayMatch || ascii ? latin1Text(bytes) : null
      if (undecoded !== null && mayMatch?.(undecoded) === false) return null
      const decoded = ascii && undecoded !== null ? undecoded : decodeStrict(bytes, field)
      const content = decoded.includes('\r') ? decoded.replaceAll('\r\n', '\n') : decoded
      if (undecoded === null && mayMatch?.(content) === false) return null
      const quick = content.length <= QUICK_BYTES && regex.isQuick(content)
      return { subject: textSubject(content), quick, matches: (linear, passed) => regexMatches(regex, content, quick, linear, passed) }
    },
  }
}

/** Whether a text holds one needle of each clause. */
function holds(bytes: Uint8Array, clauses: readonly (readonly Needle[])[]): boolean {
  if (clauses.length === 0) return true
  const haystack = haystackOf(bytes)
  return clauses.every((clause) => clause.some((needle) => haystack.indexOf(needle, 0) >= 0))
}

function* regexMatches(
  regex: Regex,
  text: string,
  quick: boolean,
  linear: Finder | Lacking | null,
  passed: () => void,
): Generator<Span | null> {
  const pieces: Iterable<Piece> = quick ? [{ from: 0, to: text.length, engine: 'platform' }] : regex.pieces(text)
  for (const { from, to, engine } of pieces) {
    const finder = engine === 'platform' ? regex.platform : engine === 'linear' && linear && !('lacking' in linear) ? linear : null
    if (!finder) {
      passed()
      continue
    }
    const part = from === 0 && to === text.length ? text : text.slice(from, to)
    for (const { start, end } of spansOf(finder, part, regex.scope === 'lines')) yield { start: from + start, end: from + end }
    yield null
  }
}

function* spansOf(finder: Finder, text: string, byLine: boolean): Generator<Span> {
  if (text === '') return
  // After the last terminator there is no further line.
  const last = text.endsWith('\n') ? text.length - 1 : text.length
  for (let from = 0; from <= last; ) {
    const span = finder.find(text, from)
    if (!span || span.start > last) return
    yield span
    if (!byLine && span.end > span.start) {
      from = span.end
      continue
    }
    // What can match nothing is reported once a line (C-31).
    const feed = text.indexOf('\n', span.start)
    if (feed < 0) return
    from = feed + 1
  }
}
