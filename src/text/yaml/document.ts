/** YAML as a document to patch: places come from the parser, text is spliced, and each result is read again and compared. */
import { FilewrightError } from '../../core/errors.ts'
import { equalsValue, type Patchable } from '../document/patch.ts'
import type { Splice } from '../document/source.ts'
import { formatPointer } from '../json/pointer.ts'
import type { JsonValue } from '../json/print.ts'
import type { TextProblem } from '../json/scan.ts'
import { isMerge, isMerged, isNeededOutside, resolveAliases } from './anchors.ts'
import type { YamlStyle } from './print.ts'
import { insertSplice, memberSplice, removeSplice, replaceSplices, styleOf } from './splice.ts'
import { readYaml } from './stream.ts'
import { buildTree, emptyNode, rootEntry, type YamlEntry, type YamlNode } from './tree.ts'
import { type Expected, isAsExpected, YAML_PARTS } from './verify.ts'

/** A YAML document of one text. */
export interface YamlDocument extends Patchable<YamlPlace, YamlDocument> {
  readonly text: string
}

/** A part of the document, and how it is reached. */
export interface YamlPlace {
  readonly entry: YamlEntry
  /** The container that it is in; null for the document's own value. */
  readonly parent: YamlNode | null
  /** Positions of entries from the root. */
  readonly path: readonly number[]
}

/**
 * The document in a text without BOM, or what is wrong with it. It is written as it shows itself, unless `style` says how. Throws
 * `unsupported` for several documents in one text.
 */
export function openYaml(text: string, style?: YamlStyle): { readonly document: YamlDocument } | { readonly problem: TextProblem } {
  const read = readRoot(text)
  return 'problem' in read ? read : { document: createDocument(text, read.root, style ?? styleOf(text, read.root)) }
}

/** The problem of a stream of documents, or null when each of them is well-formed. */
export function checkYaml(text: string): { readonly problem: TextProblem | null; readonly documents: number } {
  const stream = readYaml(text)
  if (stream.problem) return { problem: stream.problem, documents: 0 }
  for (const source of stream.documents) {
    const tree = buildTree(text, source)
    const problem = 'problem' in tree ? tree.problem : resolveAliases(tree.root)
    if (problem) return { problem, documents: stream.documents.length }
  }
  return { problem: null, documents: stream.documents.length }
}

function readRoot(text: string): { readonly root: YamlEntry } | { readonly problem: TextProblem } {
  const stream = readYaml(text)
  if (stream.problem) return { problem: stream.problem }
  const [source, ...others] = stream.documents
  if (others.length > 0) throw new FilewrightError('unsupported', `there are ${others.length + 1} documents in one file`)
  if (!source) return { root: rootEntry(emptyNode(text.length)) }
  const tree = buildTree(text, source)
  if ('problem' in tree) return tree
  const problem = resolveAliases(tree.root)
  return problem ? { problem } : tree
}

function createDocument(text: string, root: YamlEntry, style: YamlStyle): YamlDocument {
  const top: YamlPlace = { entry: root, parent: null, path: [] }
  const isEmpty = root.value.style === 'empty' && root.value.anchor === null && root.value.tag === null
  /** The first text that means what is expected. */
  const change = (splices: readonly Splice[], expected: Expected): YamlDocument => {
    for (const { start, end, text: piece } of splices) {
      const changed = text.slice(0, start) + piece + text.slice(end)
      const read = readRoot(changed)
      if ('root' in read && isAsExpected(root, read.root, expected)) return createDocument(changed, read.root, style)
    }
    throw unsupported('this cannot be written here without changing something else')
  }
  const replace = (place: YamlPlace, value: JsonValue): YamlDocument => {
    if (isNeededOutside(root, place.entry.value)) throw sharedError('an alias elsewhere stands for it, or for a part of it')
    return change(replaceSplices(text, place, value, style), { path: place.path, index: null, removed: 0, added: { key: null, value } })
  }
  const find = (object: YamlPlace, key: string): YamlPlace | null => {
    const { entries } = requireOwn(object)
    const index = entries.findIndex((entry) => hasKey(text, entry, key))
    if (index < 0) {
      if (isMerged(object.entry.value, (entry) => hasKey(text, entry, key)))
        throw sharedError(`the key ${formatPointer([key])} comes from a merge (<<)`)
      return null
    }
    if (entries.some((entry, i) => i > index && hasKey(text, entry, key)))
      throw new FilewrightError('ambiguous_match', `the key ${formatPointer([key])} is there in two spellings`)
    return { entry: entries[index] as YamlEntry, parent: object.entry.value, path: [...object.path, index] }
  }
  const remove = (container: YamlPlace, index: number): YamlDocument => {
    const node = requireOwn(container)
    const { key, value } = node.entries[index] as YamlEntry
    if (isNeededOutside(root, value) || (key && isNeededOutside(root, key)))
      throw sharedError('an alias elsewhere stands for it, or for a part of it')
    if (node.entries.length === 1 && !node.flow) return replace(container, node.kind === 'array' ? [] : {})
    return change([removeSplice(text, node, index)], { path: container.path, index, removed: 1, added: null })
  }
  return {
    text,
    root: top,
    kindOf(place) {
      if (place === top && isEmpty) return 'object'
      const { kind } = place.entry.value.target ?? place.entry.value
      return kind === 'alias' ? 'scalar' : kind
    },
    lengthOf: (array) => requireOwn(array).entries.length,
    member: find,
    item(array, index) {
      const node = requireOwn(array)
      return { entry: node.entries[index] as YamlEntry, parent: node, path: [...array.path, index] }
    },
    equals: (place, value) => equalsValue(YAML_PARTS, place.entry.value, value),
    replace,
    addMember(object, key, value) {
      const node = requireOwn(object)
      const expected: Expected = isEmpty
        ? { path: [], index: null, removed: 0, added: { key: null, value: { [key]: value } } }
        : { path: object.path, index: node.entries.length, removed: 0, added: { key, value } }
      return change(memberSplice(text, node, key, value, style), expected)
    },
    insertItem(array, index, value) {
      const node = requireOwn(array)
      return change(insertSplice(text, node, index, value, style), { path: array.path, index, removed: 0, added: { key: null, value } })
    },
    removeMember(object, key) {
      return remove(object, find(object, key)?.path.at(-1) as number)
    },
    removeItem: remove,
  }
}

/** A container whose entries may change: no alias, none that an alias stands for, and none that a merge takes in. */
function requireOwn({ entry }: YamlPlace): YamlNode {
  const { value } = entry
  if (value.kind === 'alias') throw sharedError(`the path leads through the alias *${value.value}`)
  if (isMerge(entry)) throw sharedError('the path leads through a merge key (<<)')
  if (value.shared) throw sharedError(`the path leads into &${value.anchor}, which an alias elsewhere stands for`)
  return value
}

/** Whether an entry has a key: by its value, and one that is no text by its spelling as well. */
function hasKey(text: string, { key }: YamlEntry, name: string): boolean {
  if (key?.kind !== 'scalar') return false
  if (typeof key.value === 'string') return key.value === name
  return String(key.value) === name || text.slice(key.start, key.end) === name
}

function sharedError(reason: string): FilewrightError {
  return unsupported(`${reason}: the shared node would change in all places at once`)
}

function unsupported(problem: string): FilewrightError {
  return new FilewrightError('unsupported', problem)
}
