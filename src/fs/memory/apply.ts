/** One change applied to the memory adapter's tree, with its record. */
import type { Change, Expect, Keep, RecordedChange, Version } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import { isWithin, type Path, ROOT } from '../../core/path.ts'
import type { ContentsEdit } from './contents.ts'
import { type FileNode, sideOf, type TreeEdit, type TreeNode } from './tree.ts'

const NEW_FILE_MODE = 0o644
const NEW_DIRECTORY_MODE = 0o755
const LINK_MODE = 0o777

/** What the changes of one commit share. */
export interface CommitParts {
  readonly tree: TreeEdit
  readonly contents: ContentsEdit
  readonly time: number
  readonly fileBytes: number
  newId(): string
  newVersion(): Version
}

/**
 * Applies one change. Throws `conflict` when its expectation does not hold (a path below something that is not there, or is no
 * directory, holds nothing), then what the source of a copy is wrong with, `not_found` and `not_directory` for the parent,
 * `is_directory` when content would replace a directory, `invalid_argument` for the root, a move into itself, a copy onto itself.
 */
export function applyChange(parts: CommitParts, change: Change): RecordedChange {
  const { tree } = parts
  const { path } = change
  const current = tree.peek(path)
  expectState(path, current, change.kind === 'makeDirectory' ? 'absent' : change.expect)
  switch (change.kind) {
    case 'write':
    case 'link': {
      tree.enter(path)
      if (current?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      const node = change.kind === 'write' ? fileNode(parts, change, current) : linkNode(parts, change.target, current)
      tree.put(path, node)
      return destroyed(parts, change.kind, path, current, node, change.keep)
    }
    case 'remove': {
      const node = movable(parts, path)
      if (node.kind === 'directory' && node.children.size > 0) {
        throw conflict(path, node, `${path} is not empty; remove what is in it first.`)
      }
      tree.drop(path)
      return destroyed(parts, 'remove', path, node, null, change.keep)
    }
    case 'move': {
      const node = movable(parts, path)
      const { to } = change
      expectState(to, tree.peek(to), 'absent')
      if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
      tree.drop(path)
      tree.put(to, node)
      return { kind: 'move', path, to, before: sideOf(node), after: sideOf(node), kept: true }
    }
    case 'copy': {
      const source = copySource(parts, change)
      tree.enter(path)
      if (current?.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      const content = { hash: source.hash, size: source.bytes.length }
      const node = fileNode(parts, { path, content, mode: change.mode ?? source.mode }, current)
      tree.put(path, node)
      return { ...destroyed(parts, 'copy', path, current, node, change.keep), from: change.from }
    }
    case 'snapshot': {
      const node = existing(parts, path)
      if (node.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory; a snapshot is of a file or a link.`)
      if (node.kind === 'file') parts.contents.keep({ hash: node.hash, size: node.bytes.length })
      return { kind: 'snapshot', path, before: sideOf(node), after: sideOf(node), backup: { ...change.keep }, kept: true }
    }
    case 'makeDirectory': {
      const mode = (change.mode ?? NEW_DIRECTORY_MODE) & 0o777
      const node: TreeNode = { kind: 'directory', children: new Map(), mode, ...times(parts, null) }
      tree.put(path, node)
      return { kind: 'makeDirectory', path, before: null, after: sideOf(node), kept: true }
    }
  }
}

/** The file that is copied. */
function copySource(parts: CommitParts, { path, from, source }: Change & { kind: 'copy' }): FileNode {
  if (from === path) throw new FilewrightError('invalid_argument', `${path} cannot be copied onto itself.`)
  const node = existing(parts, from)
  if (node.kind === 'directory') throw new FilewrightError('is_directory', `${from} is a directory, not a regular file.`)
  if (node.kind === 'link') throw new FilewrightError('not_regular', `${from} is a link, not a regular file.`)
  expectState(from, node, source)
  return node
}

function fileNode(
  parts: CommitParts,
  change: Pick<Change & { kind: 'write' }, 'path' | 'content' | 'mode' | 'mtimeMs'>,
  current: TreeNode | null,
): TreeNode {
  const { content } = change
  if (content.size > parts.fileBytes) {
    throw new FilewrightError('too_large', `${change.path} has ${content.size} bytes; the largest file is ${parts.fileBytes}.`)
  }
  const mode = change.mode ?? (current?.kind === 'file' ? current.mode : NEW_FILE_MODE)
  const bytes = parts.contents.use(content)
  return { kind: 'file', hash: content.hash, bytes, mode: mode & 0o777, ...times(parts, current, change.mtimeMs) }
}

function linkNode(parts: CommitParts, target: string, current: TreeNode | null): TreeNode {
  return { kind: 'link', target, mode: LINK_MODE, ...times(parts, current) }
}

function times(parts: CommitParts, current: TreeNode | null, mtimeMs: number = parts.time) {
  return { mtimeMs, createdMs: current?.createdMs ?? parts.time, version: parts.newVersion() }
}

/** The node that a removal or a move acts on. */
function movable(parts: CommitParts, path: Path): TreeNode {
  if (path === ROOT) throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be removed or moved.')
  return existing(parts, path)
}

/** What is at a path. Throws `not_found` or `not_directory` when nothing is. */
function existing({ tree }: CommitParts, path: Path): TreeNode {
  const node = tree.peek(path)
  if (node !== null) return node
  tree.enter(path)
  throw new FilewrightError('not_found', `${path} does not exist.`)
}

/** The record of a change that put `after` in the place of `before`. A directory's before-image is the record itself. */
function destroyed(
  parts: CommitParts,
  kind: Change['kind'],
  path: Path,
  before: TreeNode | null,
  after: TreeNode | null,
  keep: Keep | undefined,
): RecordedChange {
  const recorded = { kind, path, before: sideOf(before), after: sideOf(after) }
  if (before === null) return { ...recorded, kept: true }
  if (before.kind === 'file') parts.contents.release(before.hash, keep !== false)
  if (keep === false) return { ...recorded, kept: false }
  if (before.kind === 'directory' || keep === 'undo') return { ...recorded, kept: true }
  return { ...recorded, backup: keep ? { ...keep } : { id: parts.newId() }, kept: true }
}

function expectState(path: Path, current: TreeNode | null, expect: Expect): void {
  if (!holds(current, expect)) throw conflict(path, current, `${path} is not what this change expects to replace.`)
}

function holds(current: TreeNode | null, expect: Expect): boolean {
  if (expect === 'absent' || current === null) return expect === 'absent' && current === null
  if (expect === 'directory') return current.kind === 'directory'
  if ('hash' in expect) return current.kind === 'file' && current.hash === expect.hash
  if ('link' in expect) return current.kind === 'link' && current.target === expect.link
  return current.version === expect.version
}

function conflict(path: Path, current: TreeNode | null, message: string): FilewrightError {
  return new FilewrightError('conflict', message, { details: { path, current: sideOf(current) } })
}
