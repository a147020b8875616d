/** The nodes of the `git` adapter's tree, and how they show as entries. */
import type { Version } from '../../core/change.ts'
import type { Entry, Want } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import type { Oid } from '../../core/repository.ts'
import type { DirectoryNode, FileNode, NodeFacts, TreeNode } from '../../core/tree/nodes.ts'
import type { Recent } from './known_facts.ts'

/** Where a directory is stored: its tree as git commits it, and what git cannot hold. Null where there is nothing of it. */
export interface Stored {
  readonly tree: Oid | null
  readonly facts: Oid | null
  /** It is in a directory that git refuses, and so among what git cannot hold. */
  readonly beside: boolean
}

/**
 * What nodes of a repository have besides. What git does not tell at once is filled in when it is first needed. `revision` is the
 * number of the record that put a node there; null for what was there before them all.
 */
export interface GitKinds {
  readonly file: { readonly oid: Oid; readonly revision: number | null; hash: Hash | null; size: number | null }
  readonly link: { readonly oid: Oid; readonly revision: number | null; target: string | null }
  /** A submodule's commit. */
  readonly special: { readonly oid: Oid }
  readonly directory: {
    stored: Stored
    /** What is stored is that of before. */
    changed: boolean
    /** Facts that are not in the directory's own blob yet. */
    recent: Recent | null
    /** What its version is made of: the directory stays itself when it is moved, and another one in its place has another. */
    id: string
    /** The id that goes without saying where it is stored: that of a directory that was neither made nor moved here. */
    usualId: string
    mode: number
    mtimeMs: number | null
    createdMs: number | null
    children: ReadonlyMap<string, TreeNode<GitKinds>> | null
    /** The children came from git's tree alone, which is in the order of a scan. */
    inOrder?: boolean
    /** The same directory a while ago: what it holds of unchanged ones is used again. */
    earlier?: GitDirectoryNode | undefined
  }
}

export type GitNode = TreeNode<GitKinds>
export type GitFileNode = FileNode<GitKinds>
export type GitDirectoryNode = DirectoryNode<GitKinds>

/** Modes as git's own tell them. */
export const PLAIN_MODE = 0o644
export const EXECUTABLE_MODE = 0o755
export const DIRECTORY_MODE = 0o755
export const LINK_MODE = 0o777

/** A directory that is stored. What it is in detail comes to be known when it is loaded. */
export function storedDirectory(stored: Stored, usualId: string, recent: Recent | null, earlier?: GitDirectoryNode): GitDirectoryNode {
  const unknown = { mode: DIRECTORY_MODE, mtimeMs: null, createdMs: null, children: null }
  return { kind: 'directory', stored, changed: false, recent, id: usualId, usualId, ...unknown, earlier }
}

/** A new, empty directory. */
export function newDirectory(id: string, facts: NodeFacts): GitDirectoryNode {
  const stored = { tree: null, facts: null, beside: false }
  return { kind: 'directory', stored, changed: true, recent: null, id, usualId: '', ...facts, children: new Map() }
}

/** Equal versions of one path are equal bytes, kind and mode: an object's name says it, and a directory has an identity. */
export function versionOf(node: GitNode): Version {
  if (node.kind === 'directory') return `d:${node.id}` as Version
  if (node.kind === 'special') return `s:${node.oid}` as Version
  const { oid, mode, revision } = node
  return `${node.kind === 'file' ? 'f' : 'l'}:${oid}:${mode.toString(8)}:${revision ?? ''}` as Version
}

/** A node as an entry; what the options ask for must be known. */
export function entryOf(path: Path, node: GitNode, want: Want): Entry {
  const { stat } = want
  return {
    path,
    kind: node.kind,
    size: stat && node.kind === 'file' ? node.size : null,
    mtimeMs: stat ? node.mtimeMs : null,
    createdMs: stat ? node.createdMs : null,
    mode: stat ? node.mode : null,
    version: stat ? versionOf(node) : null,
    hash: node.kind === 'file' ? node.hash : null,
    target: want.target && node.kind === 'link' ? node.target : null,
    access: want.access ? { read: (node.mode & 0o400) !== 0, write: (node.mode & 0o200) !== 0 } : null,
  }
}
