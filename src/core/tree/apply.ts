/** One change applied to a tree in the making, with its record. */
import type { Change, Content, Expect, Keep, RecordedChange, Version } from '../change.ts'
import { FilewrightError } from '../errors.ts'
import { isWithin, type Path, ROOT } from '../path.ts'
import type { TreeEdit } from './edit.ts'
import {
  childrenOf,
  type DirectoryNode,
  type FileNode,
  type LinkNode,
  type NodeFacts,
  type NodeKinds,
  regular,
  sideOf,
  type TreeNode,
} from './nodes.ts'

const NEW_FILE_MODE = 0o644
const NEW_DIRECTORY_MODE = 0o755
const LINK_MODE = 0o777

/** What the changes of one commit share: the tree, and what the storage does for nodes of its own. */
export interface CommitParts<Kinds extends NodeKinds> {
  readonly tree: TreeEdit<Kinds>
  readonly time: number
  readonly fileBytes: number
  newId(): string
  versionOf(node: TreeNode<Kinds>): Version
  /** A file that holds a content, its own or one that is held. Throws `not_found`, `invalid_argument`. */
  file(content: Content, facts: NodeFacts): FileNode<Kinds>
  /** A file that holds what another one does. */
  copy(source: FileNode<Kinds>, facts: NodeFacts): FileNode<Kinds>
  link(target: string, facts: NodeFacts): LinkNode<Kinds>
  /** A new, empty directory. */
  directory(facts: NodeFacts): DirectoryNode<Kinds>
  /** History holds the content of a file from now on. */
  keep(file: FileNode<Kinds>): void
  /** A file is gone; history takes its content over when it is kept for undo. */
  release(file: FileNode<Kinds>, kept: boolean): void
}

/**
 * Applies one change. Throws `conflict` when its expectation does not hold (a path below something that is not there, or is no
 * directory, holds nothing), then what the source of a copy is wrong with, `not_found` and `not_directory` for the parent,
 * `is_directory` when content would replace a directory, `not_regular` for what is neither file, link nor directory,
 * `invalid_argument` for the root, a move into itself, a copy onto itself.
 */
export function applyChange<Kinds extends NodeKinds>(parts: CommitParts<Kinds>, change: Change): RecordedChange {
  const { tree } = parts
  const { path } = change
  const current = tree.peek(path)
  expectState(parts, path, current, change.kind === 'makeDirectory' ? 'absent' : change.expect)
  if (current?.kind === 'special') {
    throw new FilewrightError('not_regular', `${path} is neither a file, a directory nor a link.`)
  }
  switch (change.kind) {
    case 'write':
    case 'link': {
      tree.enter(path)
      if (current?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      const node =
        change.kind === 'write' ? fileNode(parts, change, current) : parts.link(change.target, factsOf(parts, LINK_MODE, current))
      tree.put(path, node)
      return destroyed(parts, change.kind, path, current, node, change.keep)
    }
    case 'remove': {
      const node = movable(parts, path)
      if (node.kind === 'directory' && childrenOf<Kinds>(node).size > 0) {
        throw conflict(path, node, `${path} is not empty; remove what is in it first.`)
      }
      tree.drop(path)
      return destroyed(parts, 'remove', path, node, null, change.keep)
    }
    case 'move': {
      const node = movable(parts, path)
      const { to } = change
      expectState(parts, to, tree.peek(to), 'absent')
      if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
      tree.drop(path)
      tree.put(to, node)
      return { kind: 'move', path, to, before: sideOf(node), after: sideOf(node), kept: true }
    }
    case 'copy': {
      const source = copySource(parts, change)
      tree.enter(path)
      if (current?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      const node = parts.copy(source, factsOf(parts, (change.mode ?? source.mode) & 0o777, current))
      tree.put(path, node)
      return { ...destroyed(parts, 'copy', path, current, node, change.keep), from: change.from }
    }
    case 'snapshot': {
      const node = existing(parts, path)
      if (node.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory; a snapshot is of a file or a link.`)
      if (node.kind === 'file') parts.keep(node)
      return { kind: 'snapshot', path, before: sideOf(node), after: sideOf(node), backup: { ...change.keep }, kept: true }
    }
    case 'makeDirectory': {
      const node = parts.directory(factsOf(parts, (change.mode ?? NEW_DIRECTORY_MODE) & 0o777, null))
      tree.put(path, node)
      return { kind: 'makeDirectory', path, before: null, after: sideOf<Kinds>(node), kept: true }
    }
  }
}

/** The file that is copied. */
function copySource<Kinds extends NodeKinds>(
  parts: CommitParts<Kinds>,
  { path, from, source }: Change & { kind: 'copy' },
): FileNode<Kinds> {
  if (from === path) throw new FilewrightError('invalid_argument', `${path} cannot be copied onto itself.`)
  const node = regular(from, existing(parts, from))
  expectState(parts, from, node, source)
  return node
}

function fileNode<Kinds extends NodeKinds>(
  parts: CommitParts<Kinds>,
  { path, content, mode, mtimeMs }: Change & { kind: 'write' },
  current: TreeNode<Kinds> | null,
): FileNode<Kinds> {
  if (content.size > parts.fileBytes) {
    throw new FilewrightError('too_large', `${path} has ${content.size} bytes; the largest file is ${parts.fileBytes}.`)
  }
  const wanted = mode ?? (current?.kind === 'file' ? current.mode : NEW_FILE_MODE)
  return parts.file(content, factsOf(parts, wanted & 0o777, current, mtimeMs))
}

function factsOf<Kinds extends NodeKinds>(
  { time }: CommitParts<Kinds>,
  mode: number,
  current: TreeNode<Kinds> | null,
  mtimeMs: number = time,
): NodeFacts {
  return { mode, mtimeMs, createdMs: current === null ? time : current.createdMs }
}

/** The node that a removal or a move acts on. */
function movable<Kinds extends NodeKinds>(parts: CommitParts<Kinds>, path: Path): TreeNode<Kinds> {
  if (path === ROOT) throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be removed or moved.')
  return existing(parts, path)
}

/** What is at a path. Throws `not_found` or `not_directory` when nothing is. */
function existing<Kinds extends NodeKinds>({ tree }: CommitParts<Kinds>, path: Path): TreeNode<Kinds> {
  const node = tree.peek(path)
  if (node !== null) return node
  tree.enter(path)
  throw new FilewrightError('not_found', `${path} does not exist.`)
}

/** The record of a change that put `after` in the place of `before`. A directory's before-image is the record itself. */
function destroyed<Kinds extends NodeKinds>(
  parts: CommitParts<Kinds>,
  kind: Change['kind'],
  path: Path,
  before: TreeNode<Kinds> | null,
  after: TreeNode<Kinds> | null,
  keep: Keep | undefined,
): RecordedChange {
  const recorded = { kind, path, before: sideOf(before), after: sideOf(after) }
  if (before === null) return { ...recorded, kept: true }
  if (before.kind === 'file') parts.release(before, keep !== false)
  if (keep === false) return { ...recorded, kept: false }
  if (before.kind === 'directory' || keep === 'undo') return { ...recorded, kept: true }
  return { ...recorded, backup: keep ? { ...keep } : { id: parts.newId() }, kept: true }
}

function expectState<Kinds extends NodeKinds>(
  parts: CommitParts<Kinds>,
  path: Path,
  current: TreeNode<Kinds> | null,
  expect: Expect,
): void {
  if (!holds(parts, current, expect)) throw conflict(path, current, `${path} is not what this change expects to replace.`)
}

function holds<Kinds extends NodeKinds>(parts: CommitParts<Kinds>, current: TreeNode<Kinds> | null, expect: Expect): boolean {
  if (expect === 'absent' || current === null) return expect === 'absent' && current === null
  if (expect === 'directory') return current.kind === 'directory'
  if ('hash' in expect) return current.kind === 'file' && current.hash === expect.hash
  if ('link' in expect) return current.kind === 'link' && current.target === expect.link
  return parts.versionOf(current) === expect.version
}

function conflict<Kinds extends NodeKinds>(path: Path, current: TreeNode<Kinds> | null, message: string): FilewrightError {
  return new FilewrightError('conflict', message, { details: { path, current: sideOf(current) } })
}
