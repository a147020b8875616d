/** Taking content out of history for good, such as a secret that was written by mistake. Its hash stays, so the chain holds. */
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { type Hash, parseHash } from '../../core/hash.ts'
import { isWithin, type Path, parsePath, ROOT } from '../../core/path.ts'
import { hashReader, readBlocks } from '../../core/read.ts'
import { indexOfBytes } from '../../text/bytes.ts'
import { allRecords, changesOf } from './journal.ts'
import { contentsNamed } from './losses.ts'

/** Most hashes of one record: a record must stay small. */
export const PURGED_HASHES: number = 1000

/** What is purged: all contents that a path had, or what is below it; or one content. */
export type PurgeTarget = { readonly path: string } | { readonly hash: string }

/** Options of a purge. */
export interface PurgeOptions {
  readonly subject?: string
  /** Only contents that hold this text, or these bytes. */
  readonly containing?: string | Uint8Array
  /** Also when a file holds the content now: the next change of that file brings it to history again. */
  readonly force?: boolean
  /** Only tell what would be purged. */
  readonly dryRun?: boolean
}

/** What a purge would take out of history. */
export interface PurgePlan {
  readonly hashes: readonly Hash[]
  readonly bytes: number
  /** What was asked for, in words. */
  readonly what: string
}

/**
 * Finds what is purged. Throws `not_found` when history holds no such content, `conflict` with `details.paths` when a file still
 * holds some of it, and what parsing the path or the hash throws.
 */
export async function planPurge(fs: FileSystem, target: PurgeTarget, options: PurgeOptions): Promise<PurgePlan> {
  const named = 'hash' in target ? await onlyContent(fs, parseHash(target.hash, 'hash')) : await contentsAt(fs, pathOf(fs, target.path))
  const what = 'hash' in target ? `the content ${target.hash.toLowerCase()}` : target.path
  const wanted = new Map<Hash, number>()
  for await (const page of fs.contents()) {
    for (const { hash, size } of page) {
      if (named.has(hash) && (await holds(fs, hash, options.containing))) wanted.set(hash, size)
    }
  }
  if (wanted.size === 0) {
    const such = options.containing === undefined ? '' : ' with that text'
    throw new FilewrightError('not_found', `History holds no content of ${what}${such}.`)
  }
  const paths = options.force ? [] : await filesHolding(fs, wanted)
  if (paths.length > 0) {
    const others = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
    throw new FilewrightError(
      'conflict',
      `${paths[0]}${others} still holds it: change or delete the file first, or purge history alone by force. Nothing was purged.`,
      { details: { paths } },
    )
  }
  return { hashes: [...wanted.keys()], bytes: [...wanted.values()].reduce((sum, size) => sum + size, 0), what }
}

function pathOf(fs: FileSystem, given: string): Path {
  const { parts } = parsePath(given, fs.traits)
  if (parts.includes('..')) throw new FilewrightError('invalid_argument', `Name the path without "..": ${given}.`, { field: 'path' })
  return parts.join('/') as Path
}

/** Every content that records name at the path or below it, and that is no part of the journal itself. */
async function contentsAt(fs: FileSystem, path: Path): Promise<Set<Hash>> {
  const found = new Set<Hash>()
  const own = new Set<Hash>()
  for await (const page of allRecords(fs)) {
    for (const record of page) {
      if (record.changes === null) own.add(record.changesHash)
      const there = (await changesOf(fs, record)).filter(
        (change) => isWithin(change.path, path) || isWithin(change.to ?? change.path, path),
      )
      for (const hash of contentsNamed(there)) found.add(hash)
    }
  }
  for (const hash of own) found.delete(hash)
  return found
}

/** The content alone. Throws `invalid_argument` when it is a part of the journal itself, without which the chain would not hold. */
async function onlyContent(fs: FileSystem, hash: Hash): Promise<Set<Hash>> {
  for await (const page of allRecords(fs)) {
    const record = page.find(({ changes, changesHash }) => changes === null && changesHash === hash)
    if (record)
      throw new FilewrightError('invalid_argument', `${hash} is what change ${record.sequence} did, and stays.`, { field: 'hash' })
  }
  return new Set([hash])
}

async function holds(fs: FileSystem, hash: Hash, wanted: string | Uint8Array | undefined): Promise<boolean> {
  if (wanted === undefined) return true
  const needle = typeof wanted === 'string' ? new TextEncoder().encode(wanted) : wanted
  const reader = await fs.object(hash)
  try {
    let rest = new Uint8Array()
    for await (const block of readBlocks(reader)) {
      const text = new Uint8Array(rest.length + block.length)
      text.set(rest)
      text.set(block, rest.length)
      if (indexOfBytes(text, needle) >= 0) return true
      rest = text.slice(Math.max(0, text.length - needle.length + 1))
    }
    return false
  } finally {
    await reader.close()
  }
}

/** The files that hold one of the contents now. Only files of a size in question are read. */
async function filesHolding(fs: FileSystem, contents: ReadonlyMap<Hash, number>): Promise<Path[]> {
  const sizes = new Set(contents.values())
  const paths: Path[] = []
  for await (const page of fs.scan(ROOT, { stat: true })) {
    for (const entry of page) {
      if (entry.kind !== 'file' || !sizes.has(entry.size as number)) continue
      const hash = entry.hash ?? (await hashOf(fs, entry.path))
      if (contents.has(hash)) paths.push(entry.path)
    }
  }
  return paths
}

async function hashOf(fs: FileSystem, path: Path): Promise<Hash> {
  const reader = await fs.open(path)
  try {
    return reader.entry.hash ?? (await hashReader(fs.hasher, reader))
  } finally {
    await reader.close()
  }
}
