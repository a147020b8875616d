/** What a grant is bound to: the call, every change with the state it replaces, the subject, the workspace and the policy. */
import type { Change, Expect } from '../../core/change.ts'
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { type Path, parentOf } from '../../core/path.ts'
import { hashReader } from '../../core/read.ts'
import { canonicalJson } from '../../core/record.ts'

/** What a call is known by, whatever it would change. */
export interface CallIdentity {
  readonly tool: string
  /** Checked arguments. */
  readonly args: unknown
  readonly subject: string
}

/** What the digest covers beyond the call. */
export interface DigestParts {
  readonly changes: readonly Change[]
  /** What is done to the repository, if anything. */
  readonly act: object | null
  /** Which workspace: an id of its own, and where it is. */
  readonly workspace: { readonly id: string; readonly root: string }
  /** Hash of the operator's settings. */
  readonly policy: Hash
  /** Whether a path is in a folder of backups, whose names are new each time. */
  readonly isHidden: (path: Path) => boolean
}

/** Arguments that only label what is done. A retry may word them anew. */
const PRESENTATIONAL: ReadonlySet<string> = new Set(['label', 'backup_label'])

/** The same for the same call of the same subject. */
export function callIdentity(fs: FileSystem, { tool, args, subject }: CallIdentity): Hash {
  return hashJson(fs, { tool, args: withoutLabels(args), subject })
}

/** The digest. Reads files whose hash the storage does not know, up to its limit of text. */
export async function approvalDigest(fs: FileSystem, call: CallIdentity, parts: DigestParts): Promise<Hash> {
  const { act, workspace, policy } = parts
  const changes: object[] = []
  for (const change of parts.changes) changes.push(await essence(fs, change, parts.isHidden))
  return hashJson(fs, { call: callIdentity(fs, call), changes, ...(act && { act }), workspace, policy })
}

/** SHA-256 of a value's canonical JSON. */
export function hashJson({ hasher }: Pick<FileSystem, 'hasher'>, value: unknown): Hash {
  return hasher.hash(new TextEncoder().encode(canonicalJson(value)))
}

/** The arguments of a call, and of each call in a batch, without labels. */
function withoutLabels(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  const kept = Object.entries(args).filter(([name]) => !PRESENTATIONAL.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'operations' && Array.isArray(value) ? value.map(withoutChildLabels) : value]),
  )
}

function withoutChildLabels(child: unknown): unknown {
  if (typeof child !== 'object' || child === null || !('config' in child)) return child
  return { ...child, config: withoutLabels(child.config) }
}

/** A change without what is new each time it is planned: ids and labels of backups, times. */
async function essence(fs: FileSystem, change: Change, isHidden: (path: Path) => boolean): Promise<object> {
  const { kind, path } = change
  if (isHidden(path)) return { kind, backups: backupFolder(path, isHidden) }
  const kept = !('keep' in change) || change.keep !== false
  const expect = 'expect' in change ? await stateOf(fs, path, change.expect) : 'absent'
  const mode = 'mode' in change ? (change.mode ?? null) : null
  switch (change.kind) {
    case 'write':
      return { kind, path, expect, kept, mode, hash: change.content.hash, size: change.content.size }
    case 'copy': {
      const from = isHidden(change.from) ? backupFolder(change.from, isHidden) : change.from
      return { kind, path, expect, kept, mode, from, source: await stateOf(fs, change.from, change.source) }
    }
    case 'link':
      return { kind, path, expect, kept, target: change.target }
    case 'move':
      return { kind, path, expect, to: change.to }
    case 'makeDirectory':
      return { kind, path, mode }
    default:
      return { kind, path, expect, kept }
  }
}

/** The outermost folder of backups that a path is in. */
function backupFolder(path: Path, isHidden: (path: Path) => boolean): Path {
  let folder = path
  while (folder !== '' && isHidden(parentOf(folder))) folder = parentOf(folder)
  return folder
}

/**
 * What is expected, by its hash where that can be told: a storage's own version may be another one after a restart, and one that is
 * weak may be the same for other bytes.
 */
async function stateOf(fs: FileSystem, path: Path, expect: Expect): Promise<Expect> {
  if (typeof expect === 'string' || !('version' in expect)) return expect
  const entry = await entryOf(fs, path)
  if (entry?.kind !== 'file' || entry.version !== expect.version) return expect
  if (entry.hash !== null) return { hash: entry.hash }
  if ((entry.size ?? 0) > fs.traits.limits.textBytes) return expect
  const reader = await fs.open(path)
  try {
    return { hash: await hashReader(fs.hasher, reader) }
  } finally {
    await reader.close()
  }
}

async function entryOf(fs: FileSystem, path: Path): Promise<Entry | null> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}
