/** A commit of changes: what it makes of the tree, of what history keeps, and of the journal. */
import type { Change, Content, RecordedChange } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import { bytesOfText } from '../../core/name_bytes.ts'
import type { Oid } from '../../core/repository.ts'
import { applyChange, type CommitParts } from '../../core/tree/apply.ts'
import { editTree } from '../../core/tree/edit.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { findKept, type Held, type Staged } from './contents.ts'
import type { KeptChange } from './kept.ts'
import { isBesidePath, learnAbout, prefetchFor } from './learn.ts'
import { type GitDirectoryNode, type GitFileNode, type GitKinds, newDirectory, versionOf } from './nodes.ts'
import type { Savings } from './save.ts'
import type { State } from './state.ts'

/** What commits of one workspace share. */
export interface Committing {
  readonly objects: ObjectDatabase
  readonly hasher: Hasher
  readonly staged: Staged
  readonly fileBytes: number
  now(): number
  newId(): string
}

/** What changes come to. */
export interface Applied {
  readonly root: GitDirectoryNode
  readonly recorded: readonly RecordedChange[]
  /** What history keeps from now on. */
  readonly kept: readonly KeptChange[]
  /** See {@link State}. */
  readonly isPlain: boolean
}

/** Applies changes to a state. Throws what `FileSystem.commit` says; the state is as it was in any case. */
export async function applyChanges(parts: Committing, state: State, savings: Savings, changes: readonly Change[]): Promise<Applied> {
  const { objects, hasher, fileBytes } = parts
  const time = parts.now()
  const held = await findHeld(parts, state, changes)
  const kept = new Map<Hash, Oid>()
  const revision = state.journal.head().sequence + 1
  let made = 0
  const tree = editTree<GitKinds>(state.root, time, (directory, children) => ({
    kind: 'directory',
    children,
    stored: directory.stored,
    changed: true,
    recent: directory.recent,
    id: directory.id,
    usualId: directory.usualId,
    mode: directory.mode,
    mtimeMs: directory.mtimeMs,
    createdMs: directory.createdMs,
  }))
  const keep = ({ hash, oid }: GitFileNode): void => {
    if (hash !== null) kept.set(hash, oid)
  }
  const applying: CommitParts<GitKinds> = {
    tree,
    time,
    fileBytes,
    newId: parts.newId,
    versionOf,
    file: (content, facts) => ({ kind: 'file', ...facts, revision, ...heldContent(savings, held, content) }),
    copy: ({ oid, hash, size }, facts) => ({ kind: 'file', oid, revision, hash, size, ...facts }),
    link: (target, facts) => ({ kind: 'link', oid: savings.add('blob', bytesOfText(target)), revision, target, ...facts }),
    directory: (facts) => newDirectory(`${revision}.${made++}`, facts),
    keep,
    release(file, isKept) {
      if (isKept) keep(file)
      if (file.hash !== null && file.size !== null) held.set(file.hash, { oid: file.oid, size: file.size })
    },
  }
  await prefetchFor(objects, state.root, changes)
  const recorded: RecordedChange[] = []
  for (const change of changes) {
    await learnAbout(objects, hasher, tree, change)
    recorded.push(applyChange(applying, change))
  }
  return { root: tree.root(), recorded, kept: [...kept], isPlain: changes.every(isPlainChange) }
}

/** A file or link where git takes one, whose directory is there. */
function isPlainChange(change: Change): boolean {
  return change.kind !== 'remove' && change.kind !== 'move' && change.kind !== 'makeDirectory' && !isBesidePath(change.path)
}

/** The contents that changes name without their bytes, where they are here. */
async function findHeld({ objects, staged }: Committing, { kept }: State, changes: readonly Change[]): Promise<Map<Hash, Held>> {
  const held = new Map<Hash, Held>()
  for (const change of changes) {
    if (change.kind !== 'write' || change.content.bytes || held.has(change.content.hash)) continue
    const { hash } = change.content
    const found = (await staged.get(hash)) ?? (await findKept(objects, kept, hash))
    if (found) held.set(hash, found)
  }
  return held
}

function heldContent(savings: Savings, held: Map<Hash, Held>, { hash, size, bytes }: Content): Held & { readonly hash: Hash } {
  const found = held.get(hash) ?? (bytes && { oid: savings.add('blob', new Uint8Array(bytes)), size: bytes.length })
  if (!found) throw new FilewrightError('not_found', `The content ${hash} is not stored here; stage it again.`)
  if (found.size !== size) {
    throw new FilewrightError('invalid_argument', `The content ${hash} has ${found.size} bytes, not ${size}.`)
  }
  held.set(hash, found)
  return { ...found, hash }
}
