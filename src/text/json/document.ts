/** JSON and JSONC as a document to patch: places are found in its bytes, and nothing else is touched. */

import { allocate } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { LF } from '../bytes.ts'
import { type CommaList, type Item, insertItem, itemIndent, removeItem, startsLine } from '../document/comma_list.ts'
import { equalsValue, type Parts, type Patchable } from '../document/patch.ts'
import { byteSource, indentAt, lineStartAt, type Source, type Splice, skipBlanks } from '../document/source.ts'
import { eolStyle } from '../lines.ts'
import { bomLength, decodeLossy, encodeText } from '../utf8.ts'
import { formatPointer } from './pointer.ts'
import { isFilled, type JsonStyle, type JsonValue, printInline, printLines } from './print.ts'
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipComment,
  skipSpace,
  skipString,
  skipValue,
} from './scan.ts'

/** A JSON document; a node is the offset at which a value begins. */
export interface JsonDocument extends Patchable<number, JsonDocument> {
  readonly bytes: Uint8Array
}

/** Bytes that are looked at to see how a document is written. */
const SAMPLE = 65_536

/** The document in bytes that were checked (`checkJson`), with comments and trailing commas when `relaxed`. */
export function openJson(bytes: Uint8Array, relaxed: boolean): JsonDocument {
  return createDocument(bytes, relaxed, styleOf(bytes, relaxed))
}

function createDocument(bytes: Uint8Array, relaxed: boolean, style: JsonStyle): JsonDocument {
  const source = byteSource(bytes)
  const splice = ({ start, end, text }: Splice): JsonDocument => createDocument(spliceBytes(bytes, start, end, text), relaxed, style)
  const kindOf = (node: number) => (bytes[node] === OPEN_OBJECT ? 'object' : bytes[node] === OPEN_ARRAY ? 'array' : 'scalar')
  const parts: Parts<number> = {
    kindOf,
    scalarOf: (node) => JSON.parse(source.slice(node, skipValue(bytes, node, relaxed))),
    itemsOf: (array) => childrenOf(bytes, array, relaxed).map(({ value }) => value),
    membersOf(object) {
      const children = childrenOf(bytes, object, relaxed)
      const members = new Map(children.map(({ start, value }) => [keyAt(bytes, start), value]))
      return members.size === children.length ? members : null
    },
  }
  /** The list of a container as seen from the first child that fits, or from its end. */
  const surveyKey = (object: number, key: string): Survey => {
    const survey = surveyChildren(bytes, object, relaxed, keyMatcher(bytes, key))
    if (!survey.repeated) return survey
    throw new FilewrightError(
      'ambiguous_match',
      `the key ${formatPointer([key])} is there more than once; which one is meant cannot be known`,
    )
  }
  const surveyIndex = (array: number, index: number) => surveyChildren(bytes, array, relaxed, (_, at) => at === index)
  const insert = (list: Survey, key: string | null, value: JsonValue): JsonDocument => {
    const name = key === null ? '' : JSON.stringify(key) + style.colon
    const text = startsLine(list) ? printLines(value, itemIndent(list, style), style) : printInline(value, style)
    return splice(insertItem(list, name + text, style))
  }
  return {
    bytes,
    root: skipSpace(bytes, bomLength(bytes), relaxed),
    kindOf,
    lengthOf: (array) => surveyIndex(array, -1).count,
    member: (object, key) => surveyKey(object, key).value,
    item: (array, index) => surveyIndex(array, index).value as number,
    equals: (node, value) => equalsValue(parts, node, value),
    replace(node, value) {
      const end = skipValue(bytes, node, relaxed)
      const lines = kindOf(node) === 'scalar' ? standsAlone(source, node) : bytes.subarray(node, end).includes(LF)
      const text = lines && isFilled(value) ? printLines(value, indentAt(source, node), style) : printInline(value, style)
      return splice({ start: node, end, text })
    },
    addMember: (object, key, value) => insert(surveyKey(object, key), key, value),
    insertItem: (array, index, value) => insert(surveyIndex(array, index), null, value),
    removeMember: (object, key) => splice(removeItem(surveyKey(object, key))),
    removeItem: (array, index) => splice(removeItem(surveyIndex(array, index))),
  }
}

/** A member or an item. */
interface Child extends Item {
  /** Where the value begins; the item itself in an array. */
  readonly value: number
}

/** A container seen from the child that was looked for. */
interface Survey extends CommaList {
  /** The value of that child; null when there is none. */
  readonly value: number | null
  /** More than one child fits. */
  readonly repeated: boolean
}

/** Whether the child that begins at `start`, the `index`-th, is the one that is looked for. */
type Matcher = (start: number, index: number) => boolean

function surveyChildren(bytes: Uint8Array, container: number, relaxed: boolean, matches: Matcher): Survey {
  let [count, fitting, firstEnd] = [0, 0, 0]
  let before: Child | null = null
  let at: Child | null = null
  let previous: Child | null = null
  let gap: string | null = null
  const close = walkChildren(bytes, container, relaxed, (start, value, end) => {
    const index = count++
    if (index === 0) firstEnd = end
    else if (index === 1) gap = gapBetween(bytes, firstEnd, start)
    const isMatch = matches(start, index)
    if (isMatch && fitting++ === 0) {
      at = { start, value, end }
      before = previous
    }
    if (at === null) previous = { start, value, end }
  })
  const found = at as Child | null
  return {
    source: byteSource(bytes),
    open: container + 1,
    close,
    count,
    before: found ? before : previous,
    at: found,
    gap,
    value: found?.value ?? null,
    repeated: fitting > 1,
    skipComment: (offset) => (relaxed ? skipComment(bytes, offset) : offset),
  }
}

function childrenOf(bytes: Uint8Array, container: number, relaxed: boolean): Child[] {
  const children: Child[] = []
  walkChildren(bytes, container, relaxed, (start, value, end) => void children.push({ start, value, end }))
  return children
}

/** Visits the children of a container in order; returns the offset of its closing bracket. */
function walkChildren(
  bytes: Uint8Array,
  container: number,
  relaxed: boolean,
  visit: (start: number, value: number, end: number) => void,
): number {
  const isObject = bytes[container] === OPEN_OBJECT
  const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY
  let at = skipSpace(bytes, container + 1, relaxed)
  while (bytes[at] !== close) {
    // After a key come white space, a colon, and white space.
    const value = isObject ? skipSpace(bytes, skipSpace(bytes, skipString(bytes, at), relaxed) + 1, relaxed) : at
    const end = skipValue(bytes, value, relaxed)
    visit(at, value, end)
    at = skipSpace(bytes, end, relaxed)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1, relaxed)
  }
  return at
}

/** What follows the first comma; null when the comma does not follow at once. */
function gapBetween(bytes: Uint8Array, end: number, next: number): string | null {
  return bytes[end] === COMMA ? decodeLossy(bytes.subarray(end + 1, next)).text : null
}

function keyAt(bytes: Uint8Array, start: number): string {
  return JSON.parse(decodeLossy(bytes.subarray(start, skipString(bytes, start))).text)
}

/** Compares a key with those in the text: by bytes, as far as no escape comes. */
function keyMatcher(bytes: Uint8Array, key: string): Matcher {
  const wanted = encodeText(key)
  return (start) => {
    for (let i = 0; ; i++) {
      const byte = bytes[start + 1 + i]
      if (byte === BACKSLASH) return keyAt(bytes, start) === key
      if (byte === QUOTE) return i === wanted.length
      if (byte !== wanted[i]) return false
    }
  }
}

/** Whether a value, with its key if it has one, begins a line. */
function standsAlone(source: Source, node: number): boolean {
  const start = skipBlanks(source, lineStartAt(source, node))
  return start === node || /^"(?:[^"\\]|\\.)*"[ \t]*:[ \t]*$/.test(source.slice(start, node))
}

function styleOf(bytes: Uint8Array, relaxed: boolean): JsonStyle {
  const head = bytes.subarray(0, SAMPLE)
  const eol = eolStyle(head)
  const sample = decodeLossy(head).text
  const strings = sample.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(relaxed ? /\/\/[^\n]*|\/\*[\s\S]*?\*\//g : /$^/, '')
  const colon = /""\s*(:[ \t]?)/.exec(strings)?.[1] ?? ': '
  const gap = /,([ \t]?)[^\s]/.exec(strings)?.[1]
  const unit = /[[{]\s*?\n([ \t]+)\S/.exec(strings)?.[1] ?? '  '
  return { eol, unit, colon, gap: gap ?? (colon === ':' ? '' : ' ') }
}

function spliceBytes(bytes: Uint8Array, start: number, end: number, text: string): Uint8Array {
  const inserted = encodeText(text)
  const result = allocate(bytes.length - (end - start) + inserted.length)
  result.set(bytes.subarray(0, start))
  result.set(inserted, start)
  result.set(bytes.subarray(end), start + inserted.length)
  return result
}
