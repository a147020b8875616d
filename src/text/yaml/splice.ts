/** Changes to YAML as splices of its text: the place that is addressed, and the lines or commas that go with it. */
import { FilewrightError } from '../../core/errors.ts'
import { type CommaList, insertItem, removeItem } from '../document/comma_list.ts'
import { afterLineEnd, isBlank, lineStartAt, type Splice, skipBlanks, stringSource } from '../document/source.ts'
import { isArray, isFilled, type JsonValue } from '../json/print.ts'
import { printAfterColon, printAfterDash, printBlock, printFlow, printKey, printLiteral, type YamlStyle } from './print.ts'
import type { YamlEntry, YamlNode } from './tree.ts'
import { isCoreTag } from './verify.ts'

/** Steps of indentation that were seen first in a text. */
export interface SeenSteps {
  /** From a map to a map in it. */
  step?: number
  /** From a map to a sequence in it; 0 where dashes stand below the key. */
  dashStep?: number
}

/** How a document is written, by what is in it. */
export function styleOf(text: string, root: YamlEntry): YamlStyle {
  const seen: SeenSteps = {}
  measure(text, root.value, seen)
  return styleFrom(text, seen)
}

/** How a document is written that has these steps in it. */
export function styleFrom(text: string, { step, dashStep }: SeenSteps): YamlStyle {
  const feeds = text.split('\n').length - 1
  const eol = text.split('\r\n').length - 1 > feeds / 2 ? '\r\n' : '\n'
  const columns = step ?? (dashStep || 2)
  return { eol, step: columns, dashStep: dashStep ?? columns }
}

function measure(text: string, node: YamlNode, found: SeenSteps): void {
  for (const { value } of node.entries) {
    if (found.step !== undefined && found.dashStep !== undefined) return
    if (value.flow || value.entries.length === 0) continue
    if (node.kind === 'object') {
      const inner = columnAt(text, value.start) - columnAt(text, node.start)
      if (value.kind === 'array') found.dashStep ??= inner
      else if (inner > 0) found.step ??= inner
    }
    measure(text, value, found)
  }
}

/** A place as the splices need it. */
export interface SplicePlace {
  readonly entry: YamlEntry
  readonly parent: YamlNode | null
}

/** Ways to put a value in the place of another, the best one first. */
export function replaceSplices(text: string, place: SplicePlace, value: JsonValue, style: YamlStyle): Splice[] {
  const { entry, parent } = place
  const node = entry.value
  const props = keptProps(text, entry, value)
  const inFlow = parent?.flow ?? false
  const inline = replaceInline(text, place, value, props, inFlow)
  if (inFlow || node.flow) return [inline]
  const blocks =
    isBlockContainer(node) && isFilled(value) && (node.kind === 'array') === isArray(value)
      ? [replaceEntries(text, node, value, style)]
      : []
  const asLines = isFilled(value) || (node.style !== 'double' && node.style !== 'single')
  return [...blocks, ...(asLines ? replaceByLines(text, place, value, props, style) : []), inline]
}

/** Entries in the place of entries: what leads to them stays. */
function replaceEntries(text: string, node: YamlNode, value: JsonValue, style: YamlStyle): Splice {
  const end = lineEndOf(text, node.end)
  return { start: node.start, end, text: printBlock(value, columnAt(text, node.start), style) }
}

/** One line in the place of a value. */
function replaceInline(text: string, { entry, parent }: SplicePlace, value: JsonValue, props: string, inFlow: boolean): Splice {
  const node = entry.value
  const piece = [props, printFlow(value, inFlow, node.style)].filter((part) => part !== '').join(' ')
  if (isBlockContainer(node)) {
    if (parent === null) return { start: node.start, end: lineEndOf(text, node.end), text: piece }
    return { start: entry.lead, end: lineEndOf(text, node.end), text: ` ${piece}${commentAfter(text, entry.props.end)}` }
  }
  const isEmpty = node.style === 'empty'
  const start = entry.props.start < entry.props.end ? entry.props.start : isEmpty ? entry.lead : node.start
  const end = Math.max(node.end, entry.props.end, start)
  const colon = entry.key && entry.bare ? ':' : ''
  return { start, end, text: start === entry.lead && parent !== null && !isSeparated(text, start) ? `${colon} ${piece}` : piece }
}

/** Lines in the place of a value that is no container of the same kind; a comment beside it stays on the first line. */
function replaceByLines(text: string, { entry, parent }: SplicePlace, value: JsonValue, props: string, style: YamlStyle): Splice[] {
  const node = entry.value
  const column = columnAt(text, entry.start)
  const isText = typeof value === 'string'
  if (parent === null) {
    if (isFilled(value)) return [{ start: node.start, end: lineEndOf(text, node.end), text: printBlock(value, 0, style) }]
    return []
  }
  const isItem = entry.key === null
  const literal = printLiteral(value, isItem ? column + 2 : column + style.step, style.eol)
  if (isText && literal === null) return []
  if (!isText && !isFilled(value)) return []
  const from = Math.max(entry.lead, entry.props.end)
  const startsLater = text.slice(from, node.start).includes('\n')
  const isBlockText = node.style === 'literal' || node.style === 'folded'
  const comment = isBlockText ? '' : commentAfter(text, startsLater || isBlockContainer(node) ? from : Math.max(node.end, from))
  const end = lineEndOf(text, Math.max(node.end, from))
  const lead = `${entry.key && entry.bare ? ':' : ''}${props === '' ? '' : ` ${props}`}`
  if (literal !== null) {
    const [header, ...lines] = literal.split(style.eol)
    return [{ start: entry.lead, end, text: [`${lead} ${header}${comment}`, ...lines].join(style.eol) }]
  }
  if (!isItem) return [{ start: entry.lead, end, text: lead + comment + printAfterColon(value, column, style) }]
  if (lead === '' && comment === '') return [{ start: entry.lead, end, text: printAfterDash(value, column, style) }]
  const inner = column + 2
  return [{ start: entry.lead, end, text: `${lead}${comment}${style.eol}${' '.repeat(inner)}${printBlock(value, inner, style)}` }]
}

/** Ways to put a member at the end of a map. */
export function memberSplice(text: string, map: YamlNode, key: string, value: JsonValue, style: YamlStyle): Splice[] {
  if (map.flow)
    return [insertItem(listOf(text, map, map.entries.length), `${printKey(key, true)}: ${printFlow(value, true)}`, listStyle(style))]
  const last = map.entries.at(-1)
  if (!last) {
    const open = text === '' || text.endsWith('\n')
    const line = printBlock({ [key]: value }, 0, style)
    return [{ start: text.length, end: text.length, text: open ? line + style.eol : style.eol + line }]
  }
  const column = columnAt(text, map.start)
  const start = lineEndOf(text, last.end)
  const line = `${style.eol}${' '.repeat(column)}${printKey(key, false)}:`
  return [printAfterColon(value, column, style), ` ${printFlow(value, false)}`].map((piece) => ({ start, end: start, text: line + piece }))
}

/** Ways to put an item into a sequence. */
export function insertSplice(text: string, list: YamlNode, index: number, value: JsonValue, style: YamlStyle): Splice[] {
  if (list.flow) return [insertItem(listOf(text, list, index), printFlow(value, true), listStyle(style))]
  const column = columnAt(text, list.start)
  const line = style.eol + ' '.repeat(column)
  const before = list.entries[index - 1]
  const start = before ? lineEndOf(text, before.end) : list.start
  return [printAfterDash(value, column, style), ` ${printFlow(value, false)}`].map((piece) => ({
    start,
    end: start,
    text: before ? `${line}-${piece}` : `-${piece}${line}`,
  }))
}

/** Takes one of several entries out, with the comment on its line. */
export function removeSplice(text: string, container: YamlNode, index: number): Splice {
  if (container.flow) return removeItem(listOf(text, container, index))
  const source = stringSource(text)
  const entry = container.entries[index] as YamlEntry
  const lineStart = lineStartAt(source, entry.start)
  const lineEnd = lineEndOf(text, entry.end)
  if (skipBlanks(source, lineStart) !== entry.start) {
    // The first entry stands beside the dash or mark that leads to the container; the next one takes its place.
    const next = container.entries[index + 1]
    const between = next && text.slice(lineEnd, next.start)
    return next && /^\s*$/.test(between as string)
      ? { start: entry.start, end: next.start, text: '' }
      : { start: entry.start, end: lineEnd, text: '' }
  }
  const after = afterLineEnd(source, lineEnd)
  if (after > lineEnd || lineStart === 0) return { start: lineStart, end: after, text: '' }
  // The last line has no end: the line before it then has none either.
  return { start: lineStart - (text[lineStart - 2] === '\r' ? 2 : 1), end: lineEnd, text: '' }
}

/** Tag and anchor that stay with a place: its anchor, and a tag of the application when the kind of value stays. */
function keptProps(text: string, { value: node, props }: YamlEntry, value: JsonValue): string {
  const kind = isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : 'scalar'
  if (node.kind === 'alias') return ''
  if (node.tag !== null && (isCoreTag(node.tag) || node.kind !== kind)) return node.anchor === null ? '' : `&${node.anchor}`
  return text.slice(props.start, props.end)
}

function listOf(text: string, node: YamlNode, index: number): CommaList {
  const { entries } = node
  const [first, second] = entries
  const bracket = text[node.start]
  if (bracket !== '[' && bracket !== '{') {
    throw new FilewrightError('unsupported', 'a pair in a list without braces of its own holds one key only')
  }
  return {
    source: stringSource(text),
    open: node.start + 1,
    close: node.end - 1,
    count: entries.length,
    before: entries[index - 1] ?? null,
    at: entries[index] ?? null,
    gap: first && second ? (/^,(\s*)$/.exec(text.slice(first.end, second.start))?.[1] ?? null) : null,
    skipComment: (at) => (text[at] === '#' ? lineEndOf(text, at) : at),
  }
}

function listStyle({ eol, step }: YamlStyle): { eol: string; unit: string; gap: string } {
  return { eol, unit: ' '.repeat(step), gap: ' ' }
}

function isBlockContainer({ flow, kind }: YamlNode): boolean {
  return !flow && (kind === 'object' || kind === 'array')
}

/** The comment that follows on the same line, with the blanks before it; '' when something else follows. */
function commentAfter(text: string, at: number): string {
  return /^[ \t]+#[^\r\n]*/.exec(text.slice(at, lineEndOf(text, at)))?.[0] ?? ''
}

function isSeparated(text: string, at: number): boolean {
  return at > 0 && isBlank(text.charCodeAt(at - 1))
}

function lineEndOf(text: string, at: number): number {
  const feed = text.indexOf('\n', at)
  if (feed < 0) return text.length
  return feed > at && text[feed - 1] === '\r' ? feed - 1 : feed
}

function columnAt(text: string, at: number): number {
  return at - (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)
}
