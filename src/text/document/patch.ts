/** Patches: what the five operations mean, for any document whose parts can be addressed (P-60 to P-63). */
import { FilewrightError } from '../../core/errors.ts'
import { formatPointer, indexOf } from '../json/pointer.ts'
import { isArray, type JsonValue } from '../json/print.ts'

/** The operations, in the order in which they are told. */
export const PATCH_OPERATIONS = ['set', 'remove', 'append', 'insert', 'replace'] as const

/** One operation on one address. */
export interface PatchOperation {
  readonly op: (typeof PATCH_OPERATIONS)[number]
  /** Tokens of the pointer. */
  readonly path: readonly string[]
  /** Absent for `remove` alone. */
  readonly value?: JsonValue | undefined
}

/**
 * A document whose parts can be found and changed in its text. A change gives the document as it is after it; everything outside
 * the addressed place keeps its text. What cannot be changed without changing something else is refused: `ambiguous_match` for a
 * key that is there twice, `unsupported` for parts that stand for each other.
 */
export interface Patchable<Node, Self> {
  readonly root: Node
  kindOf(node: Node): 'object' | 'array' | 'scalar'
  lengthOf(array: Node): number
  /** What stands at a key; null when nothing does. */
  member(object: Node, key: string): Node | null
  item(array: Node, index: number): Node
  /** Whether a node means this value already. */
  equals(node: Node, value: JsonValue): boolean
  replace(node: Node, value: JsonValue): Self
  addMember(object: Node, key: string, value: JsonValue): Self
  insertItem(array: Node, index: number, value: JsonValue): Self
  removeMember(object: Node, key: string): Self
  removeItem(array: Node, index: number): Self
}

/**
 * The document after one operation. Throws `no_match` when the path leads to nothing, `invalid_argument` when the operation does
 * not fit what is there, and what the document refuses.
 */
export function applyOperation<Node, Self extends Patchable<Node, Self>>(
  document: Self & Patchable<Node, Self>,
  { op, path, value = null }: PatchOperation,
): Self {
  const last = path.at(-1)
  if (last === undefined) return applyToRoot(document, op, value)
  if (op === 'set') return setAt(document, path, value)
  const parent = findNode(document, path.slice(0, -1))
  if (document.kindOf(parent) === 'array') return applyToItem(document, parent, op, path, value)
  if (document.kindOf(parent) === 'scalar') throw notContainer(path.slice(0, -1))
  const node = document.member(parent, last)
  if (op === 'insert') throw misfit('insert needs an index of an array as the last part of its path; for a key of an object use set')
  if (node === null) throw missing(path)
  if (op === 'remove') return document.removeMember(parent, last)
  return op === 'append' ? appendTo(document, node, path, value) : replaceNode(document, node, value)
}

function applyToRoot<Node, Self>(document: Self & Patchable<Node, Self>, op: PatchOperation['op'], value: JsonValue): Self {
  if (op === 'append') return appendTo(document, document.root, [], value)
  if (op === 'set' || op === 'replace') return replaceNode(document, document.root, value)
  throw misfit(`${op} needs a part of the document; the path "" is all of it`)
}

function applyToItem<Node, Self>(
  document: Self & Patchable<Node, Self>,
  array: Node,
  op: PatchOperation['op'],
  path: readonly string[],
  value: JsonValue,
): Self {
  const token = path.at(-1) as string
  const length = document.lengthOf(array)
  if (token === '-' && (op === 'append' || op === 'insert')) return document.insertItem(array, length, value)
  const index = requireIndex(token, path)
  if (op === 'insert' && index <= length) return document.insertItem(array, index, value)
  if (index >= length) throw beyond(path, length)
  if (op === 'remove') return document.removeItem(array, index)
  const node = document.item(array, index)
  return op === 'append' ? appendTo(document, node, path, value) : replaceNode(document, node, value)
}

/** Overwrites what is there, or creates it with the objects that lead to it (P-61). */
function setAt<Node, Self>(document: Self & Patchable<Node, Self>, path: readonly string[], value: JsonValue): Self {
  let node = document.root
  for (const [depth, token] of path.entries()) {
    const here = path.slice(0, depth)
    const kind = document.kindOf(node)
    if (kind === 'scalar') throw notContainer(here)
    if (kind === 'object') {
      const member = document.member(node, token)
      if (member === null) return document.addMember(node, token, nest(value, path.slice(depth + 1)))
      node = member
    } else {
      const length = document.lengthOf(node)
      const index = token === '-' ? length : requireIndex(token, path.slice(0, depth + 1))
      if (index === length && depth === path.length - 1) return document.insertItem(node, length, value)
      if (index >= length) throw beyond(path.slice(0, depth + 1), length)
      node = document.item(node, index)
    }
  }
  return replaceNode(document, node, value)
}

/** The value inside new objects, one for each key. A computed key is an ordinary key, whatever it is called. */
function nest(value: JsonValue, keys: readonly string[]): JsonValue {
  return keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value)
}

function appendTo<Node, Self>(document: Self & Patchable<Node, Self>, node: Node, path: readonly string[], value: JsonValue): Self {
  if (document.kindOf(node) !== 'array') throw misfit(`append needs an array, and ${shown(path)} is none`)
  return document.insertItem(node, document.lengthOf(node), value)
}

/** A value that is there already leaves the text as it is (settled detail 27). */
function replaceNode<Node, Self>(document: Self & Patchable<Node, Self>, node: Node, value: JsonValue): Self {
  return document.equals(node, value) ? document : document.replace(node, value)
}

function findNode<Node>(document: Patchable<Node, unknown>, path: readonly string[]): Node {
  let node = document.root
  for (const [depth, token] of path.entries()) {
    const kind = document.kindOf(node)
    if (kind === 'scalar') throw notContainer(path.slice(0, depth))
    const here = path.slice(0, depth + 1)
    if (kind === 'object') {
      const member = document.member(node, token)
      if (member === null) throw missing(here)
      node = member
    } else {
      const [index, length] = [requireIndex(token, here), document.lengthOf(node)]
      if (index >= length) throw beyond(here, length)
      node = document.item(node, index)
    }
  }
  return node
}

function requireIndex(token: string, path: readonly string[]): number {
  const index = indexOf(token)
  if (index !== null) return index
  const hint =
    token === '-' ? 'it stands for the place after the last item, where nothing is' : 'an index is 0, 1, 2 … without leading zeros'
  throw misfit(`${shown(path)} ends in ${JSON.stringify(token)}, which is no item of an array: ${hint}`)
}

function shown(path: readonly string[]): string {
  return path.length === 0 ? 'the document' : formatPointer(path)
}

function missing(path: readonly string[]): FilewrightError {
  return new FilewrightError('no_match', `there is nothing at ${shown(path)}`)
}

function beyond(path: readonly string[], length: number): FilewrightError {
  return new FilewrightError('no_match', `${shown(path)} is beyond the array, which has ${length} ${length === 1 ? 'item' : 'items'}`)
}

function notContainer(path: readonly string[]): FilewrightError {
  return misfit(`${shown(path)} is neither an object nor an array, so nothing can be in it`)
}

function misfit(problem: string): FilewrightError {
  return new FilewrightError('invalid_argument', problem)
}

/** What {@link equalsValue} looks at. */
export interface Parts<Node> {
  kindOf(node: Node): 'object' | 'array' | 'scalar'
  /** The value of a scalar; undefined when JSON has no such value. */
  scalarOf(node: Node): JsonValue | undefined
  itemsOf(array: Node): Iterable<Node>
  /** Keys and values; null when the object means more than its text says, or has a key twice. */
  membersOf(object: Node): ReadonlyMap<string, Node> | null
}

/** Whether a node means a value: numbers by what they count, objects in any order. Only as deep as the value. */
export function equalsValue<Node>(parts: Parts<Node>, node: Node, value: JsonValue): boolean {
  const kind = parts.kindOf(node)
  if (typeof value !== 'object' || value === null) return kind === 'scalar' && parts.scalarOf(node) === value
  if (isArray(value)) {
    if (kind !== 'array') return false
    let index = 0
    for (const item of parts.itemsOf(node)) {
      if (index >= value.length || !equalsValue(parts, item, value[index] as JsonValue)) return false
      index++
    }
    return index === value.length
  }
  if (kind !== 'object') return false
  const members = parts.membersOf(node)
  const entries = Object.entries(value)
  if (members?.size !== entries.length) return false
  return entries.every(([key, member]) => {
    const there = members.get(key)
    return there !== undefined && equalsValue(parts, there, member)
  })
}
