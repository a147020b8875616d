/** What git cannot hold of a directory and of what is in it, as one blob of JSON per directory. */
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { ChildFacts, DirectoryFacts, OwnFacts, Recent } from './known_facts.ts'
import { DIRECTORY_MODE, EXECUTABLE_MODE, type GitDirectoryNode, type GitNode, LINK_MODE, PLAIN_MODE } from './nodes.ts'

/** The blob of facts in a directory's tree of them. */
export const FACTS = 'facts'
/** What stands there before the name of a directory that has facts, and before that of an entry that git refuses. */
const PREFIXES = { facts: 'd ', entry: 'f ' } as const

/** The name of something in a tree of facts. Git looks behind backslashes, so there are none. */
export function nameBeside(kind: keyof typeof PREFIXES, name: string): string {
  return PREFIXES[kind] + name.replace(/[%\\]/g, (sign) => (sign === '%' ? '%25' : '%5C'))
}

/** What a name in a tree of facts stands for; null for anything else. */
export function besideName(name: string): { readonly kind: keyof typeof PREFIXES; readonly name: string } | null {
  for (const kind of ['facts', 'entry'] as const) {
    if (!name.startsWith(PREFIXES[kind])) continue
    return { kind, name: name.slice(PREFIXES[kind].length).replace(/%(25|5C)/g, (_, code) => (code === '25' ? '%' : '\\')) }
  }
  return null
}

type ChildRow = [
  name: string,
  mode: number | null,
  mtimeMs: number | null,
  createdMs: number | null,
  revision: number | null,
  hash: Hash | null,
  size: number | null,
]
type OwnRow = [mode: number | null, mtimeMs: number | null, createdMs: number | null, id: string | null]

interface FactsJson {
  readonly own: OwnRow
  readonly children: readonly ChildRow[]
}

interface RecentJson {
  readonly own: OwnRow | null
  readonly children: readonly ChildRow[]
  readonly below: readonly (readonly [name: string, recent: RecentJson])[]
}

const NOTHING_RECENT: Recent = { own: null, children: new Map(), below: new Map() }

/** Reads a blob of facts. Throws `corrupt`. */
export function parseFacts(bytes: Uint8Array): DirectoryFacts {
  return parsed(bytes, ({ own, children }: FactsJson) => ({ own: ownOf(own), children: childrenOfRows(children) }))
}

/** Reads a blob of recent facts. Throws `corrupt`. */
export function parseRecent(bytes: Uint8Array): Recent {
  const recentOf = ({ own, children, below }: RecentJson): Recent => ({
    own: own && ownOf(own),
    children: childrenOfRows(children),
    below: new Map(below.map(([name, recent]) => [name, recentOf(recent)])),
  })
  return parsed(bytes, recentOf)
}

function parsed<Json, T>(bytes: Uint8Array, read: (json: Json) => T): T {
  try {
    return read(JSON.parse(new TextDecoder().decode(bytes)) as Json)
  } catch (cause) {
    throw new FilewrightError('corrupt', 'What is known of a directory is damaged.', { cause })
  }
}

function ownOf([mode, mtimeMs, createdMs, id]: OwnRow): OwnFacts {
  return { mode, mtimeMs, createdMs, id }
}

function childrenOfRows(rows: readonly ChildRow[]): Map<string, ChildFacts> {
  return new Map(
    rows.map(([name, mode, mtimeMs, createdMs, revision, hash, size]) => [name, { mode, mtimeMs, createdMs, revision, hash, size }]),
  )
}

/** The facts of a directory and its children; null when git says it all. `usualId` is the id that it has unless it was moved or made. */
export function factsBytes(directory: GitDirectoryNode, children: ReadonlyMap<string, GitNode>, usualId: string): Uint8Array | null {
  const rows: ChildRow[] = []
  for (const [name, node] of children) {
    const facts = factsOf(node)
    if (facts) rows.push(rowOf(name, facts))
  }
  const own = rowOfOwn(ownFactsOf(directory, usualId))
  if (rows.length === 0 && own.every((fact) => fact === null)) return null
  return bytesOf({ own, children: rows } satisfies FactsJson)
}

/** The recent facts of a directory after a change: those of before, its own, and those of children that the change put there. */
export function recentOf(
  directory: GitDirectoryNode,
  children: ReadonlyMap<string, GitNode>,
  revision: number,
  changedBelow: ReadonlyMap<string, Recent>,
): Recent {
  const before = directory.recent ?? NOTHING_RECENT
  const rows = new Map(before.children)
  for (const [name, node] of children) {
    const facts = node.kind !== 'directory' && node.kind !== 'special' && node.revision === revision ? factsOf(node) : null
    if (facts) rows.set(name, facts)
  }
  return { own: ownFactsOf(directory, directory.usualId), children: rows, below: new Map([...before.below, ...changedBelow]) }
}

export function recentBytes(recent: Recent): Uint8Array {
  const jsonOf = ({ own, children, below }: Recent): RecentJson => ({
    own: own && rowOfOwn(own),
    children: [...children].map(([name, facts]) => rowOf(name, facts)),
    below: [...below].map(([name, deeper]) => [name, jsonOf(deeper)]),
  })
  return bytesOf(jsonOf(recent))
}

/** How many files and directories recent facts are of. */
export function countRecent(recent: Recent | null): number {
  let count = recent === null ? 0 : 1 + recent.children.size
  for (const below of recent?.below.values() ?? []) count += countRecent(below)
  return count
}

function bytesOf(json: FactsJson | RecentJson): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(json))
}

function ownFactsOf({ mode, mtimeMs, createdMs, id }: GitDirectoryNode, usualId: string): OwnFacts {
  return { mode: mode === DIRECTORY_MODE ? null : mode, mtimeMs, createdMs, id: id === usualId ? null : id }
}

function rowOfOwn({ mode, mtimeMs, createdMs, id }: OwnFacts): OwnRow {
  return [mode, mtimeMs, createdMs, id]
}

function rowOf(name: string, { mode, mtimeMs, createdMs, revision, hash, size }: ChildFacts): ChildRow {
  return [name, mode, mtimeMs, createdMs, revision, hash, size]
}

function factsOf(node: GitNode): ChildFacts | null {
  if (node.kind === 'directory' || node.kind === 'special') return null
  const { mode, mtimeMs, createdMs, revision } = node
  const odd = node.kind === 'link' ? mode !== LINK_MODE : mode !== PLAIN_MODE && mode !== EXECUTABLE_MODE
  const [hash, size] = node.kind === 'file' ? [node.hash, node.size] : [null, null]
  // What git tells by itself is not worth a line.
  if (!odd && mtimeMs === null && revision === null && hash === null) return null
  return { mode: odd ? mode : null, mtimeMs, createdMs, revision, hash, size }
}

/** The id of a directory that was neither made nor moved here. */
export function usualIdOf(parent: GitDirectoryNode, name: string): string {
  return `${parent.id}/${name}`
}
