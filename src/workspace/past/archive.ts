/** A workspace with its history as one stream; the format is in archive_format.ts. */
import { createTarPacker, type TarHeader, type TarPackController } from 'modern-tar'
import type { Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem, Reader } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { type Path, ROOT } from '../../core/path.ts'
import { readBlocks } from '../../core/read.ts'
import type { JournalRecord } from '../../core/record.ts'
import { BACKUP_FOLDERS } from '../backup_folders.ts'
import { ARCHIVE_FORMAT, type ArchivedEntry, type ArchiveHeader, contentsDestroyed, ENTRIES } from './archive_format.ts'
import { changesOf, newestRecord, recordsInOrder } from './journal.ts'
import { valuesOf } from './streams.ts'

/** Told how many files and contents were written so far. */
export type ArchiveProgress = (entries: number) => void

/** The archive, made while it is read. Throws `conflict` when the workspace changes meanwhile, and what reading the storage throws. */
export async function* archiveOf(fs: FileSystem, onProgress: ArchiveProgress): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker()
  fill(fs, controller, onProgress).then(
    () => controller.finalize(),
    (error) => controller.error(error),
  )
  yield* valuesOf(readable)
}

async function fill(fs: FileSystem, tar: TarPackController, onProgress: ArchiveProgress): Promise<void> {
  const head = await newestRecord(fs)
  const header: ArchiveHeader = {
    ...ARCHIVE_FORMAT,
    records: head?.sequence ?? 0,
    head: head?.hash ?? null,
    backupFolders: (await fs.notes.list(BACKUP_FOLDERS)).map(({ value }) => value as Path),
  }
  await addText(tar, ENTRIES.header, [`${JSON.stringify(header)}\n`])
  await addJournal(fs, tar, header.records)
  const held = await heldContents(fs)
  await addText(tar, ENTRIES.lost, await lostLines(fs, header.records, held))
  let entries = 0
  const told = (): void => onProgress(++entries)
  for (const hash of held) {
    await addReader(tar, { name: ENTRIES.objects + hash }, await fs.object(hash))
    told()
  }
  await addTree(fs, tar, told)
  if ((await newestRecord(fs))?.hash !== head?.hash) {
    throw new FilewrightError('conflict', 'The workspace changed while it was archived: begin again.')
  }
}

/** Read twice: the length stands before the lines. */
async function addJournal(fs: FileSystem, tar: TarPackController, last: number): Promise<void> {
  let size = 0
  for await (const page of recordsInOrder(fs, 1, last)) for (const record of page) size += lineOf(record).length
  const writer = tar.add({ name: ENTRIES.journal, size }).getWriter()
  for await (const page of recordsInOrder(fs, 1, last)) for (const record of page) await writer.write(lineOf(record))
  await writer.close()
}

function lineOf(value: JournalRecord | ArchivedEntry): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`)
}

async function heldContents(fs: FileSystem): Promise<Set<Hash>> {
  const held = new Set<Hash>()
  for await (const page of fs.contents()) for (const { hash } of page) held.add(hash)
  return held
}

/** What records name and nobody could take back any more. */
async function lostLines(fs: FileSystem, last: number, held: ReadonlySet<Hash>): Promise<string[]> {
  const lost = new Set<Hash>()
  for await (const page of recordsInOrder(fs, 1, last)) {
    for (const record of page) {
      for (const hash of contentsDestroyed(await changesOf(fs, record))) if (!held.has(hash)) lost.add(hash)
    }
  }
  return [...lost].map((hash) => `${JSON.stringify(hash)}\n`)
}

async function addText(tar: TarPackController, name: string, lines: readonly string[]): Promise<void> {
  await addParts(
    tar,
    name,
    lines.map((line) => new TextEncoder().encode(line)),
  )
}

async function addParts(tar: TarPackController, name: string, parts: readonly Uint8Array[]): Promise<void> {
  const writer = tar.add({ name, size: parts.reduce((sum, part) => sum + part.length, 0) }).getWriter()
  for (const part of parts) await writer.write(part)
  await writer.close()
}

/** Adds what a reader reads, and closes it; answers its hash where a hasher is given. */
async function addReader(
  tar: TarPackController,
  header: Omit<TarHeader, 'size'>,
  reader: Reader,
  hasher?: FileSystem['hasher'],
): Promise<Hash | null> {
  try {
    const writer = tar.add({ ...header, size: reader.size }).getWriter()
    const stream = hasher?.stream()
    for await (const block of readBlocks(reader)) {
      stream?.update(block)
      // The block is filled anew while this one waits to be read.
      await writer.write(block.slice())
    }
    await writer.close()
    return stream?.digest() ?? null
  } finally {
    await reader.close()
  }
}

async function addTree(fs: FileSystem, tar: TarPackController, told: () => void): Promise<void> {
  const lines: Uint8Array[] = []
  for await (const page of fs.scan(ROOT, { stat: true, target: true })) {
    for (const entry of page) {
      const side = await addEntry(fs, tar, entry)
      if (side) lines.push(lineOf({ path: entry.path, mtimeMs: entry.mtimeMs, ...side }))
      told()
    }
  }
  await addParts(tar, ENTRIES.tree, lines)
}

/** Adds one entry of the tree; null for what is no file, directory or link. */
async function addEntry(fs: FileSystem, tar: TarPackController, { kind, path, mode, mtimeMs, ...entry }: Entry): Promise<Side | null> {
  const name = ENTRIES.files + path.toWellFormed()
  const facts = { ...(mode !== null && { mode }), ...(mtimeMs !== null && { mtime: new Date(mtimeMs) }) }
  if (kind === 'file') {
    const reader = await fs.open(path)
    const { size } = reader
    const hash = (await addReader(tar, { name, ...facts }, reader, fs.hasher)) as Hash
    return { kind, hash, size, mode: mode ?? 0o644 }
  }
  if (kind === 'directory') {
    await tar.add({ name: `${name}/`, type: 'directory', size: 0, ...facts }).close()
    return { kind, mode: mode ?? 0o755 }
  }
  if (kind !== 'link') return null
  const target = entry.target ?? (await fs.readLink(path))
  await tar.add({ name, type: 'symlink', linkname: target.toWellFormed(), size: 0, ...facts }).close()
  return { kind, target }
}
