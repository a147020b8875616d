/** What git cannot hold of a directory and of what is in it, as one blob of JSON per directory. */
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
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

/** Of a file or link. A mode is null where git's own says it all. */
export interface ChildFacts {
  readonly mode: number | null
  readonly mtimeMs: number | null
  readonly createdMs: number | null
  readonly revision: number | null
  readonly hash: Hash | null
  readonly size: number | null
}

/** Of the directory itself. An id is null where it is that of the directory above, and the name. */
export interface OwnFacts {
  readonly mode: number | null
  readonly mtimeMs: number | null
  readonly createdMs: number | null
  readonly id: string | null
}

/** One directory's. */
export interface DirectoryFacts {
  readonly own: OwnFacts
  readonly children: ReadonlyMap<string, ChildFacts>
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

/** Reads a blob of facts. Throws `corrupt`. */
export function parseFacts(bytes: Uint8Array): DirectoryFacts {
  try {
    const { own, children } = JSON.parse(new TextDecoder().decode(bytes)) as { own: OwnRow; children: ChildRow[] }
    const [mode, mtimeMs, createdMs, id] = own
    return {
      own: { mode, mtimeMs, createdMs, id },
      children: new Map(
        children.map(([name, odd, modified, created, revision, hash, size]) => [
          name,
          { mode: odd, mtimeMs: modified, createdMs: created, revision, hash, size },
        ]),
      ),
    }
  } catch (cause) {
    throw new FilewrightError('corrupt', 'What is known of a directory is damaged.', { cause })
  }
}

/** The facts of a directory and its children; null when git says it all. `usualId` is the id that it has unless it was moved or made. */
export function factsBytes(directory: GitDirectoryNode, children: ReadonlyMap<string, GitNode>, usualId: string): Uint8Array | null {
  const rows: ChildRow[] = []
  for (const [name, node] of children) {
    const row = rowOf(name, node)
    if (row) rows.push(row)
  }
  const { mode, mtimeMs, createdMs, id } = directory
  const own: OwnRow = [mode === DIRECTORY_MODE ? null : mode, mtimeMs, createdMs, id === usualId ? null : id]
  if (rows.length === 0 && own.every((fact) => fact === null)) return null
  return new TextEncoder().encode(JSON.stringify({ own, children: rows }))
}

function rowOf(name: string, node: GitNode): ChildRow | null {
  if (node.kind === 'directory' || node.kind === 'special') return null
  const { mode, mtimeMs, createdMs, revision } = node
  const odd = node.kind === 'link' ? mode !== LINK_MODE : mode !== PLAIN_MODE && mode !== EXECUTABLE_MODE
  const [hash, size] = node.kind === 'file' ? [node.hash, node.size] : [null, null]
  // What git tells by itself is not worth a line.
  if (!odd && mtimeMs === null && revision === null && hash === null) return null
  return [name, odd ? mode : null, mtimeMs, createdMs, revision, hash, size]
}

/** The id of a directory that was neither made nor moved here. */
export function usualIdOf(parent: GitDirectoryNode, name: string): string {
  return `${parent.id}/${name}`
}
