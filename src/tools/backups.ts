/** Backups: those that the journal names, and those in a folder, told in one way. */
import type { Change, RecordedChange, Side } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { History } from '../core/history.ts'
import { joinPath, MAX_PATH_BYTES, type Path, utf8Length } from '../core/path.ts'
import { hashReader, readAll } from '../core/read.ts'
import type { JournalRecord } from '../core/record.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { type BackupDescription, readDescriptions, resolveFolder } from './backup_folder.ts'
import type { ToolContext } from './tool.ts'

/** Mode of a file whose backup does not tell it. */
const PLAIN_MODE = 0o644

/** What a backup holds. */
export type BackedUp = Exclude<Side, { kind: 'directory' }>

/** One backup. */
export interface FoundBackup {
  readonly id: string
  /** The path that the file had then. */
  readonly path: Path
  readonly kind: 'file' | 'symlink'
  /** Bytes of the content, or of a link's text. */
  readonly size: number
  /** SHA-256 of the same. */
  readonly hash: Hash
  readonly createdAt: string
  readonly label: string | null
  /** The tool that made it. */
  readonly operation: string
  /** What is to be restored. For a link, null while its text is still in the folder. */
  readonly side: BackedUp | null
  /** Its content as a file of a folder; null in the workspace's own store. */
  readonly data: Path | null
}

/** All backups, newest first: of the workspace's own store, or of the folder that a call names. */
export async function* allBackups(context: ToolContext, folder: string | undefined): AsyncGenerator<FoundBackup> {
  if (folder === undefined) return yield* storedBackups(context)
  const resolved = await resolveFolder(context.view, folder)
  for (const told of await readDescriptions(context, resolved)) yield inFolder(resolved, told)
}

async function* storedBackups({ view, history, signal }: ToolContext): AsyncGenerator<FoundBackup> {
  for await (const { record, change } of pastChanges(history, signal)) {
    const { backup, before, path } = change
    if (!backup || !before || before.kind === 'directory') continue
    const isLink = before.kind === 'link'
    yield {
      id: backup.id,
      path,
      kind: isLink ? 'symlink' : 'file',
      size: isLink ? utf8Length(before.target) : before.size,
      hash: isLink ? view.hasher.hash(new TextEncoder().encode(before.target)) : before.hash,
      createdAt: record.time,
      label: backup.label ?? null,
      operation: record.tool,
      side: before,
      data: null,
    }
  }
}

/** Whether the commit of a staged change makes a backup in the workspace's own store. */
export function makesBackup(change: Change): boolean {
  return 'keep' in change ? typeof change.keep === 'object' : false
}

function inFolder(folder: Resolved, told: BackupDescription): FoundBackup {
  const { id, kind, size, mode } = told
  const hash = told.sha256 as Hash
  return {
    id,
    path: told.relative_path as Path,
    kind,
    size,
    hash,
    createdAt: told.created_at,
    label: told.label,
    operation: told.operation,
    side: kind === 'file' ? { kind, hash, size, mode: mode ?? PLAIN_MODE } : null,
    data: joinPath(folder.path, `${id}.data`),
  }
}

/** The changes of the past, the newest first. */
export async function* pastChanges(
  history: History,
  signal: AbortSignal,
): AsyncGenerator<{ readonly record: JournalRecord; readonly change: RecordedChange }> {
  for await (const page of history.records()) {
    signal.throwIfAborted()
    for (const record of page) {
      for (const change of (record.changes ?? (await history.changes(record))).toReversed()) yield { record, change }
    }
  }
}

/** The paths whose backups a call means: what it names, and where that leads when it is a link. */
export async function backedUpPaths(view: View, given: string): Promise<readonly [own: Resolved, real: Resolved]> {
  const own = await view.resolve(given, { last: 'keep', field: 'file_path' })
  return [own, own.entry?.kind === 'link' ? await view.resolve(given, { field: 'file_path' }) : own]
}

/**
 * Whether the journal shows that a path once held exactly this. A folder of backups may come from anywhere, so what it says of
 * itself does not count.
 */
export async function onceHeld({ history, signal }: ToolContext, path: Path, side: BackedUp): Promise<boolean> {
  for await (const { change } of pastChanges(history, signal)) {
    const { from, to, before, after } = change
    if (change.path === path && (isSame(before, side) || (to === undefined && isSame(after, side)))) return true
    if ((from === path || to === path) && isSame(after, side)) return true
  }
  return false
}

function isSame(side: Side | null, wanted: BackedUp): boolean {
  if (wanted.kind === 'file') return side?.kind === 'file' && side.hash === wanted.hash
  return side?.kind === 'link' && side.target === wanted.target
}

/**
 * What is to be restored, once the kept bytes are known to be there and to match their hash. Throws `corrupt`, and `not_found`
 * when history gave them up.
 */
export async function verifiedSide({ view, history }: ToolContext, backup: FoundBackup): Promise<BackedUp> {
  const { id, data, side, hash } = backup
  if (data === null) {
    if (side?.kind === 'file') await (await history.object(side.hash)).close()
    return side as BackedUp
  }
  const reader = await view.open(data)
  try {
    if (reader.size !== backup.size || (await hashReader(view.hasher, reader)) !== hash) throw corrupt(id)
    return side ?? { kind: 'link', target: new TextDecoder().decode(await readAll(reader, MAX_PATH_BYTES, id)) }
  } finally {
    await reader.close()
  }
}

function corrupt(id: string): FilewrightError {
  return new FilewrightError('corrupt', `The content of backup ${id} does not match its hash any more; nothing was changed.`)
}
