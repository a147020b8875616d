/** A directory of groups of blobs: kept contents, chunks of the journal, and notes are such. */
import type { Oid } from '../../core/repository.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import type { TreeEntry } from '../../git/tree.ts'
import { readTree } from './load.ts'
import type { Savings } from './save.ts'

/** What is put in one place; null takes away what is there. */
export interface Placed {
  readonly group: string
  readonly name: string
  readonly oid: Oid | null
}

/** Blobs by group and name, as they were at one time. */
export interface FanOut {
  readonly tree: Oid | null
  get(group: string, name: string): Promise<Oid | null>
  /** Names of the groups, in the order of bytes. */
  groups(): Promise<readonly string[]>
  /** The blobs of a group by name, in the order of bytes. */
  group(name: string): Promise<ReadonlyMap<string, Oid>>
  /** The same with changes. Only the groups that change are stored anew. */
  with(savings: Savings, changes: readonly Placed[]): Promise<FanOut>
}

/** What a tree holds. Groups are read when they are asked for, and remembered. */
export function createFanOut(
  objects: ObjectDatabase,
  tree: Oid | null,
  earlier: ReadonlyMap<Oid, ReadonlyMap<string, Oid>> = new Map(),
): FanOut {
  const read = new Map(earlier)
  let top: Promise<ReadonlyMap<string, Oid>> | null = null
  const groupsByName = (): Promise<ReadonlyMap<string, Oid>> => {
    top ??= readTree(objects, tree).then(byName)
    return top
  }
  const group: FanOut['group'] = async (name) => {
    const oid = (await groupsByName()).get(name)
    if (oid === undefined) return new Map()
    const known = read.get(oid) ?? byName(await readTree(objects, oid))
    read.set(oid, known)
    return known
  }
  return {
    tree,
    group,
    async get(groupName, name) {
      return (await group(groupName)).get(name) ?? null
    },
    async groups() {
      return [...(await groupsByName()).keys()]
    },
    async with(savings, changes) {
      if (changes.length === 0) return this
      const changed = new Map<string, Map<string, Oid>>()
      for (const { group: groupName, name, oid } of changes) {
        const names = changed.get(groupName) ?? new Map(await group(groupName))
        changed.set(groupName, names)
        if (oid === null) names.delete(name)
        else names.set(name, oid)
      }
      const all = new Map(await groupsByName())
      const known = new Map<Oid, ReadonlyMap<string, Oid>>()
      for (const [name, names] of changed) {
        const oid = savings.addTree(itemsOf(names, '100644'))
        if (oid === null) all.delete(name)
        else all.set(name, oid)
        if (oid !== null) known.set(oid, names)
      }
      for (const oid of all.values()) {
        const names = read.get(oid)
        if (names) known.set(oid, names)
      }
      return createFanOut(objects, savings.addTree(itemsOf(all, '040000')), known)
    },
  }
}

function byName(items: readonly TreeEntry[]): ReadonlyMap<string, Oid> {
  return new Map(items.map(({ name, oid }) => [name, oid]))
}

function itemsOf(names: ReadonlyMap<string, Oid>, mode: TreeEntry['mode']): TreeEntry[] {
  return [...names].map(([name, oid]) => ({ name, mode, oid }))
}
