/** Proof that a changed YAML text means what the change asked for, and nothing else. */

import { equalsValue, type Parts } from '../document/patch.ts'
import type { JsonValue } from '../json/print.ts'
import { isMerge } from './anchors.ts'
import type { YamlEntry, YamlNode } from './tree.ts'

/** What a change does to the entries of one container, or to the document's own value. */
export interface Expected {
  /** Positions of the entries that lead to the container. */
  readonly path: readonly number[]
  /** Position of the first entry that goes or comes; null for the value at `path` itself. */
  readonly index: number | null
  readonly removed: 0 | 1
  /** What comes; `key` is null for an item and for a value alone. */
  readonly added: { readonly key: string | null; readonly value: JsonValue } | null
}

/** Parts of a YAML document as {@link equalsValue} looks at them: aliases stand for their targets, tags for what only they know. */
export const YAML_PARTS: Parts<YamlNode> = {
  kindOf(node) {
    const { kind, tag } = node.target ?? node
    return kind === 'alias' || (tag !== null && !isCoreTag(tag)) ? 'scalar' : kind
  },
  scalarOf(node) {
    const { value, tag } = node.target ?? node
    if (tag !== null && !isCoreTag(tag)) return undefined
    return value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? value : undefined
  },
  itemsOf: (array) => (array.target ?? array).entries.map(({ value }) => value),
  membersOf(object) {
    const { entries } = object.target ?? object
    const members = new Map<string, YamlNode>()
    for (const entry of entries) {
      if (isMerge(entry) || typeof entry.key?.value !== 'string') return null
      members.set(entry.key.value, entry.value)
    }
    return members
  },
}

/** Whether a tag is one of the core schema, which a value without a tag may have as well. */
export function isCoreTag(tag: string): boolean {
  return tag === '!' || /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag)
}

/** Whether `after` is `before` with the change, and all else the same: kinds, keys, values, tags, anchors and order. */
export function isAsExpected(before: YamlEntry, after: YamlEntry, expected: Expected): boolean {
  return matches(before.value, after.value, expected, 0)
}

function matches(before: YamlNode, after: YamlNode, expected: Expected, depth: number): boolean {
  const step = expected.path[depth]
  if (step === undefined && expected.index === null) return means(after, (expected.added as { value: JsonValue }).value)
  if (!sameHead(before, after)) return false
  if (step !== undefined) {
    if (before.entries.length !== after.entries.length) return false
    return before.entries.every((entry, index) => {
      const other = after.entries[index] as YamlEntry
      return index === step ? sameKey(entry, other) && matches(entry.value, other.value, expected, depth + 1) : sameEntry(entry, other)
    })
  }
  const { index, removed, added } = expected
  const at = index as number
  const come = added ? 1 : 0
  if (before.entries.length - removed + come !== after.entries.length) return false
  if (!before.entries.slice(0, at).every((entry, i) => sameEntry(entry, after.entries[i] as YamlEntry))) return false
  if (!before.entries.slice(at + removed).every((entry, i) => sameEntry(entry, after.entries[at + come + i] as YamlEntry))) return false
  if (!added) return true
  const entry = after.entries[at] as YamlEntry
  return (added.key === null ? entry.key === null : entry.key?.value === added.key) && means(entry.value, added.value)
}

/** A value written by us: what it means is what was asked for, though it may have kept a tag of the application. */
function means(node: YamlNode, value: JsonValue): boolean {
  if (node.tag !== null && !isCoreTag(node.tag)) return means({ ...node, tag: null }, value) || String(value) === node.value
  return node.kind !== 'alias' && equalsValue(YAML_PARTS, node, value)
}

function sameHead(a: YamlNode, b: YamlNode): boolean {
  return a.kind === b.kind && a.anchor === b.anchor && a.tag === b.tag && Object.is(a.value, b.value) && a.flow === b.flow
}

function sameEntry(a: YamlEntry, b: YamlEntry): boolean {
  return sameKey(a, b) && sameNode(a.value, b.value)
}

function sameKey(a: YamlEntry, b: YamlEntry): boolean {
  return a.key === null || b.key === null ? a.key === b.key : sameNode(a.key, b.key)
}

function sameNode(a: YamlNode, b: YamlNode): boolean {
  if (!sameHead(a, b) || a.entries.length !== b.entries.length) return false
  return a.entries.every((entry, index) => sameEntry(entry, b.entries[index] as YamlEntry))
}
