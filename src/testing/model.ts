/** The reference that storages are compared with: a plain map of paths, slow and obvious, sharing no code with any adapter. */
import type { Change, Expect, RecordedChange, Side, Version } from '../core/change.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { Traits } from '../core/traits.ts'
import { compareBytes } from './setup.ts'

/** One entry. A change puts a new object in its place, so that the object stands for its state. */
export type ModelNode =
  | { readonly kind: 'file'; readonly hash: Hash; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }

/** How a call fails. */
export interface ModelFailure {
  readonly code: ErrorCode
  /** For `conflict`: where, and what was there. */
  readonly path?: string
  readonly current?: Side | null
}

/** What one change of a commit does, apart from ids. */
export type ModelRecord = Omit<RecordedChange, 'backup'> & { readonly backed: boolean }

/** A tree as a map; the root is `''`. */
export interface Model {
  readonly nodes: Map<string, ModelNode>
  /** Contents that a change may name without bringing the bytes. */
  readonly contents: Map<Hash, Uint8Array>
  /** What was at a path when its version was read, by both: versions of two paths may be equal. */
  readonly versions: Map<string, ModelNode>
}

/** Stands for a mode that depends on the process or the storage, until it was looked at. */
export const UNKNOWN_MODE = -1

const ROOT_NODE: ModelNode = { kind: 'directory', mode: UNKNOWN_MODE }

export function createModel(): Model {
  return { nodes: new Map([['', ROOT_NODE]]), contents: new Map(), versions: new Map() }
}

export function copyModel(model: Model): Model {
  return { ...model, nodes: new Map(model.nodes) }
}

/** The key of `versions`. */
export function versionKey(path: string, version: Version): string {
  return `${version} ${path}`
}

export function isFailure(value: object): value is ModelFailure {
  return 'code' in value
}

/** What is at a path, or how `stat` fails. */
export function modelStat(model: Model, path: string): ModelNode | ModelFailure {
  return parentFailure(model, path) ?? model.nodes.get(path) ?? { code: 'not_found' }
}

/** Names in a directory in byte order, or how `list` fails. */
export function modelList(model: Model, dir: string): string[] | ModelFailure {
  const node = modelStat(model, dir)
  if (isFailure(node)) return node
  if (node.kind !== 'directory') return { code: 'not_directory' }
  return childPaths(model, dir)
    .map((path) => path.slice(path.lastIndexOf('/') + 1))
    .sort(compareBytes)
}

/** Paths of everything but the root, in the order of a scan. */
export function modelScan(model: Model): string[] {
  const key = (path: string) => (model.nodes.get(path)?.kind === 'directory' ? `${path}/` : path)
  return [...model.nodes.keys()].filter((path) => path !== '').sort((a, b) => compareBytes(key(a), key(b)))
}

/** Applies changes in order. On failure the model is as before. */
export function modelCommit(model: Model, changes: readonly Change[], traits: Pick<Traits, 'modes'>): ModelRecord[] | ModelFailure {
  const trial = copyModel(model)
  const records: ModelRecord[] = []
  for (const change of changes) {
    const record = applyOne(trial, change, traits)
    if (isFailure(record)) return record
    records.push(record)
  }
  model.nodes.clear()
  for (const [path, node] of trial.nodes) model.nodes.set(path, node)
  return records
}

/** A node as the journal shows it. */
export function modelSide(node: ModelNode | undefined): Side | null {
  if (!node) return null
  if (node.kind === 'link') return { kind: 'link', target: node.target }
  if (node.kind === 'directory') return { kind: 'directory', mode: node.mode }
  return { kind: 'file', hash: node.hash, size: node.bytes.length, mode: node.mode }
}

function applyOne(model: Model, change: Change, traits: Pick<Traits, 'modes'>): ModelRecord | ModelFailure {
  const { nodes } = model
  const { path } = change
  const before = nodes.get(path)
  const failure = expectFailure(model, path, change.kind === 'makeDirectory' ? 'absent' : change.expect)
  if (failure) return failure
  if (path === '' && (change.kind === 'remove' || change.kind === 'move')) return { code: 'invalid_argument' }

  if (change.kind === 'move') {
    const { to } = change
    const taken = expectFailure(model, to, 'absent')
    const orphan = parentFailure(model, path) ?? (before ? null : { code: 'not_found' as const })
    if (orphan) return orphan
    if (taken) return taken
    if (to.startsWith(`${path}/`)) return { code: 'invalid_argument' }
    const homeless = parentFailure(model, to)
    if (homeless) return homeless
    for (const [old, node] of [...nodes]) {
      if (old !== path && !old.startsWith(`${path}/`)) continue
      nodes.delete(old)
      nodes.set(to + old.slice(path.length), node)
    }
    return { kind: 'move', path, to, before: modelSide(before), after: modelSide(before), kept: true, backed: false }
  }

  const source = change.kind === 'copy' ? copySource(model, change) : null
  if (source && isFailure(source)) return source
  const orphan = parentFailure(model, path)
  if (orphan) return orphan
  if (change.kind === 'snapshot') {
    if (!before) return { code: 'not_found' }
    if (before.kind === 'directory') return { code: 'is_directory' }
    return { kind: 'snapshot', path, before: modelSide(before), after: modelSide(before), kept: true, backed: true }
  }
  if (change.kind === 'makeDirectory') {
    nodes.set(path, { kind: 'directory', mode: sureMode(change.mode, traits) })
  } else if (change.kind === 'remove') {
    if (!before) return { code: 'not_found' }
    if (childPaths(model, path).length > 0) return { code: 'conflict', path, current: modelSide(before) }
    nodes.delete(path)
  } else {
    if (before?.kind === 'directory') return { code: 'is_directory' }
    if (change.kind === 'link') {
      nodes.set(path, { kind: 'link', target: change.target })
    } else if (source) {
      nodes.set(path, { ...source, mode: sureMode(change.mode ?? source.mode, traits) })
    } else if (change.kind === 'write') {
      const { hash } = change.content
      const bytes = model.contents.get(hash) ?? change.content.bytes
      if (!bytes) return { code: 'not_found' }
      const mode = sureMode(change.mode ?? (before?.kind === 'file' ? before.mode : undefined), traits)
      nodes.set(path, { kind: 'file', hash, bytes, mode })
    }
  }
  const keep = change.kind === 'makeDirectory' ? undefined : change.keep
  const kept = !before || keep !== false
  const backed = before !== undefined && before.kind !== 'directory' && keep !== false
  const from = change.kind === 'copy' ? { from: change.from } : {}
  return { kind: change.kind, path, ...from, before: modelSide(before), after: modelSide(nodes.get(path)), kept, backed }
}

/** The file that a copy is made of, or how it fails. */
function copySource(model: Model, { path, from, source }: Change & { kind: 'copy' }): (ModelNode & { kind: 'file' }) | ModelFailure {
  if (from === path) return { code: 'invalid_argument' }
  const node = modelStat(model, from)
  if (isFailure(node)) return node
  if (node.kind === 'directory') return { code: 'is_directory' }
  if (node.kind === 'link') return { code: 'not_regular' }
  return expectFailure(model, from, source) ?? node
}

/** The mode that a storage is sure to show. */
function sureMode(mode: number | undefined, { modes }: Pick<Traits, 'modes'>): number {
  return mode === undefined || mode === UNKNOWN_MODE || modes !== 'posix' ? UNKNOWN_MODE : mode & 0o777
}

function expectFailure(model: Model, path: string, expect: Expect): ModelFailure | null {
  const node = model.nodes.get(path)
  return holds(model, path, node, expect) ? null : { code: 'conflict', path, current: modelSide(node) }
}

function holds(model: Model, path: string, node: ModelNode | undefined, expect: Expect): boolean {
  if (expect === 'absent') return !node
  if (!node) return false
  if (expect === 'directory') return node.kind === 'directory'
  if ('hash' in expect) return node.kind === 'file' && node.hash === expect.hash
  if ('link' in expect) return node.kind === 'link' && node.target === expect.link
  return model.versions.get(versionKey(path, expect.version)) === node
}

/** How a path fails because of what is above it; null when its parent is a directory. */
function parentFailure(model: Model, path: string): ModelFailure | null {
  const names = path.split('/')
  for (let depth = 1; depth < names.length; depth++) {
    const above = model.nodes.get(names.slice(0, depth).join('/'))
    if (!above) return { code: 'not_found' }
    if (above.kind !== 'directory') return { code: 'not_directory' }
  }
  return null
}

function childPaths(model: Model, dir: string): string[] {
  const prefix = dir === '' ? '' : `${dir}/`
  return [...model.nodes.keys()].filter((path) => path !== '' && path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
}
