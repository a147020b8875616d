/** The parts of a YAML document with the places where they stand, for changes to its text. */
import { type CST, isAlias, isMap, isPair, isScalar, isSeq, type Pair, type ParsedNode, type Range } from 'yaml'
import type { TextProblem } from '../json/scan.ts'
import type { YamlSource } from './stream.ts'

/** How a scalar is written. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded' | 'empty'

/** A value. Offsets are in UTF-16 units, ends exclusive. */
export interface YamlNode {
  readonly kind: 'object' | 'array' | 'scalar' | 'alias'
  /** Written with brackets. */
  readonly flow: boolean
  /** Begins after tag and anchor; where nothing is written, after what leads to the value. */
  readonly start: number
  /** Ends with its last character that is no comment, blank or line end. */
  readonly end: number
  readonly anchor: string | null
  /** The name of its tag, resolved. */
  readonly tag: string | null
  /** Of a scalar: what it means in the core schema; of an alias: the name. */
  readonly value: unknown
  readonly style: ScalarStyle | null
  /** Members or items; empty for scalars and aliases. */
  readonly entries: readonly YamlEntry[]
  /** The node that an alias stands for. */
  target: YamlNode | null
  /** An alias stands for this node. */
  shared: boolean
}

/** A member of a map, an item of a sequence, or the document's own value. */
export interface YamlEntry {
  readonly key: YamlNode | null
  readonly value: YamlNode
  /** Offset of the `-`, the `?`, or the first character of the key. */
  readonly start: number
  readonly end: number
  /** Offset after what leads to the value: `-`, `:`, or the key of a member without a value. */
  readonly lead: number
  /** Tag and anchor of the value; empty at `lead` when it has none. */
  readonly props: { readonly start: number; readonly end: number }
  /** There is no `:`, as in `{a}`, or there are no braces, as in `[a: 1]`. */
  readonly bare: boolean
}

/** The tree of a document, or the first duplicate key in it. */
export function buildTree(text: string, source: YamlSource): { readonly root: YamlEntry } | { readonly problem: TextProblem } {
  const builder: Builder = { text, problem: null }
  const { contents } = source
  const start = contents ? contents.range[0] : text.length
  const value = contents ? buildNode(builder, contents, start) : emptyNode(start)
  if (builder.problem) return { problem: builder.problem }
  return { root: rootEntry(value) }
}

/** A document's own value as an entry. */
export function rootEntry(value: YamlNode): YamlEntry {
  const { start, end } = value
  return { key: null, value, start, end, lead: start, props: { start, end: start }, bare: false }
}

interface Builder {
  readonly text: string
  problem: TextProblem | null
}

function buildNode(builder: Builder, node: ParsedNode, solid: number): YamlNode {
  const common = { anchor: ('anchor' in node && node.anchor) || null, tag: node.tag ?? null, target: null, shared: false }
  if (isAlias(node)) {
    const [start, end] = node.range as Range
    return { ...common, kind: 'alias', flow: false, start, end, value: node.source, style: null, entries: [] }
  }
  if (isScalar(node)) {
    const [start, end] = node.range
    const style = STYLES[node.type ?? 'PLAIN'] ?? 'plain'
    const isBlock = style === 'literal' || style === 'folded'
    if (style === 'double' && !isClosed(builder.text, start, end)) builder.problem ??= { offset: end, message: 'Missing closing "quote' }
    if (start === end && !isBlock) return { ...emptyNode(solid), ...common, value: node.value }
    const last = isBlock ? beforeLineEnd(builder.text, end) : end
    return { ...common, kind: 'scalar', flow: false, start, end: last, value: node.value, style, entries: [] }
  }
  const flow = node.flow === true
  const entries = isMap(node) ? node.items.map((pair) => buildMember(builder, pair)) : buildItems(builder, node)
  if (isMap(node)) findDuplicate(builder, entries)
  const start = flow ? node.range[0] : (entries[0]?.start ?? node.range[0])
  const end = flow ? node.range[1] : (entries.at(-1)?.end ?? node.range[1])
  return { ...common, kind: isMap(node) ? 'object' : 'array', flow, start, end, value: null, style: null, entries }
}

const STYLES: { readonly [type: string]: ScalarStyle } = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
}

/** A value that is not written. */
export function emptyNode(at: number): YamlNode {
  return {
    kind: 'scalar',
    flow: false,
    start: at,
    end: at,
    anchor: null,
    tag: null,
    value: null,
    style: 'empty',
    entries: [],
    target: null,
    shared: false,
  }
}

/** Whether a text in double quotes ends with one that is no escape: at the end of a file the parser takes that for the closing one. */
function isClosed(text: string, start: number, end: number): boolean {
  let backslashes = 0
  while (end - 2 - backslashes > start && text[end - 2 - backslashes] === '\\') backslashes++
  return end - start > 1 && backslashes % 2 === 0
}

function beforeLineEnd(text: string, end: number): number {
  if (text[end - 1] !== '\n') return end
  return text[end - 2] === '\r' ? end - 2 : end - 1
}

function buildMember(builder: Builder, pair: Pair<ParsedNode, ParsedNode | null>): YamlEntry {
  const token = pair.srcToken as CST.CollectionItem
  const before = solidTokens(token.start)
  const separator = solidTokens(token.sep)
  const at = before[0]?.offset ?? token.key?.offset ?? separator[0]?.offset ?? pair.key.range[0]
  const key = buildNode(builder, pair.key, endOf(before.at(-1)) ?? at)
  const colon = separator.find(({ type }) => type === 'map-value-ind')
  const lead = endOf(colon) ?? key.end
  return finishEntry(builder, key, pair.value, at, lead, separator.slice(colon ? separator.indexOf(colon) + 1 : 0), !colon)
}

function finishEntry(
  builder: Builder,
  key: YamlNode | null,
  node: ParsedNode | null,
  start: number,
  lead: number,
  props: readonly CST.SourceToken[],
  bare: boolean,
): YamlEntry {
  const place = { start: props[0]?.offset ?? lead, end: endOf(props.at(-1)) ?? lead }
  const value = node ? buildNode(builder, node, place.end) : emptyNode(place.end)
  return { key, value, start, end: Math.max(value.end, place.end), lead, props: place, bare }
}

function buildItems(builder: Builder, node: ParsedNode): YamlEntry[] {
  if (!isSeq(node)) return []
  const token = node.srcToken as CST.BlockSequence | CST.FlowCollection
  const tokens: readonly CST.CollectionItem[] = token.items
  const written = tokens.filter((item) => isWritten(item, token.type === 'flow-collection'))
  return node.items.map((item, index) => {
    const source = written[index] as CST.CollectionItem
    const solid = solidTokens(source.start)
    const dash = solid.find(({ type }) => type === 'seq-item-ind')
    const child = item as ParsedNode
    if (node.flow && isMap(child) && isPair(child.items[0]) && child.items[0].srcToken === source) {
      const value = buildNode(builder, child, child.range[0])
      return {
        key: null,
        value,
        start: value.entries[0]?.start ?? value.start,
        end: value.entries[0]?.end ?? value.end,
        ...nothingBefore(value),
        bare: true,
      }
    }
    const props = solid.filter(({ type }) => type === 'anchor' || type === 'tag')
    const start = dash?.offset ?? props[0]?.offset ?? child.range[0]
    return finishEntry(builder, null, child, start, endOf(dash) ?? start, props, false)
  })
}

function nothingBefore({ start }: YamlNode): Pick<YamlEntry, 'lead' | 'props'> {
  return { lead: start, props: { start, end: start } }
}

/** Whether an item of the source has a node: comments and a trailing comma have none. */
function isWritten({ start, key, sep, value }: CST.CollectionItem, flow: boolean): boolean {
  if (value || key || sep) return true
  const marks = flow ? ['explicit-key-ind', 'anchor', 'tag'] : ['seq-item-ind', 'anchor', 'tag']
  return start.some(({ type }) => marks.includes(type))
}

/** Tokens that are neither white space nor comments nor commas. */
function solidTokens(tokens: readonly CST.SourceToken[] | undefined): CST.SourceToken[] {
  return (tokens ?? []).filter(({ type }) => type !== 'space' && type !== 'newline' && type !== 'comment' && type !== 'comma')
}

function endOf(token: CST.SourceToken | undefined): number | undefined {
  return token && token.offset + token.source.length
}

function findDuplicate(builder: Builder, entries: readonly YamlEntry[]): void {
  const seen = new Set<unknown>()
  for (const { key } of entries) {
    if (key?.kind !== 'scalar') continue
    if (seen.has(key.value) && !builder.problem) {
      builder.problem = { offset: key.start, message: `the key ${JSON.stringify(String(key.value)).slice(0, 80)} is there twice` }
    }
    seen.add(key.value)
  }
}
