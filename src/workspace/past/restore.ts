/** Taking over a workspace with its history from an archive. Nothing in it is believed: names, sizes, hashes and the chain are checked. */
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { z } from 'zod'
import type { Change } from '../../core/change.ts'
import { FilewrightError, isFilewrightError, toFilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { ROOT } from '../../core/path.ts'
import { headAfter, type JournalRecord, verifyRecord } from '../../core/record.ts'
import { checkProtected } from '../../policy/protected.ts'
import { BACKUP_FOLDERS } from '../backup_folders.ts'
import { ARCHIVE_FORMAT, type ArchivedEntry, type ArchiveHeader, contentsDestroyed, ENTRIES } from './archive_format.ts'
import { corrupt, foreignChanges, foreignHash, foreignPath, foreignRecord, foreignSide, linesOf, parseLine } from './foreign.ts'
import { changesOf, newestRecord } from './journal.ts'
import { streamOf, valuesOf } from './streams.ts'

/** Longest line of a list; a record with more changes has them in an object. */
const LINE_BYTES = 1024 * 1024
/** Largest list: the records of a journal, or the entries of a tree. */
const LIST_BYTES = 512 * 1024 * 1024

/** What was taken over. */
export interface Restored {
  readonly records: number
  readonly objects: number
  readonly files: number
}

/** Where an archive's order of entries is. */
const ORDER = ['header', 'journal', 'lost', 'objects', 'files', 'tree'] as const
type Section = (typeof ORDER)[number]

/** What was read so far. Contents are staged, not kept. */
interface Contents {
  header: ArchiveHeader | null
  readonly records: JournalRecord[]
  readonly lost: Set<Hash>
  readonly objects: Set<Hash>
  /** The contents of files, in order. */
  readonly files: { readonly hash: Hash; readonly size: number }[]
  readonly tree: ArchivedEntry[]
  /** How many files the tree has told of. */
  told: number
}

/**
 * Restores an archive into an empty workspace, all of it or nothing. Throws `already_exists` when there is a file or a record,
 * `corrupt` for anything that is not as an archive should be, `unsupported` for one of a newer program, `too_large` beyond a limit
 * of the storage, and what the storage throws.
 */
export async function restoreArchive(
  fs: FileSystem,
  body: AsyncIterable<Uint8Array>,
  onProgress: (entries: number) => void,
): Promise<Restored> {
  if ((await newestRecord(fs)) || (await fs.list(ROOT)).length > 0) {
    throw new FilewrightError('already_exists', 'Only an empty workspace can take over another one.')
  }
  const contents = await readArchive(fs, body, onProgress)
  const { records, objects, files, tree } = contents
  await checkPast(fs, contents)
  const changes = tree.map(changeFor)
  await fs.adopt(changes, records).catch((error) => {
    throw ofArchive(error)
  })
  // What only files hold is no history yet.
  await fs.forget([...new Set(files.map(({ hash }) => hash))].filter((hash) => !objects.has(hash)))
  for (const folder of contents.header?.backupFolders ?? []) {
    await fs.notes.swap(BACKUP_FOLDERS + fs.hasher.hash(new TextEncoder().encode(folder)), null, folder)
  }
  return { records: records.length, objects: objects.size, files: files.length }
}

/** Changes that cannot be made in an empty workspace are the archive's fault. */
function ofArchive(error: unknown): unknown {
  const faults = ['conflict', 'not_found', 'not_directory', 'is_directory', 'invalid_argument', 'invalid_name'] as const
  const own = faults.some((code) => isFilewrightError(error, code))
  return own
    ? new FilewrightError('corrupt', `The archive does not fit together: ${toFilewrightError(error).message}`, { cause: error })
    : error
}

async function readArchive(fs: FileSystem, body: AsyncIterable<Uint8Array>, onProgress: (entries: number) => void): Promise<Contents> {
  const contents: Contents = { header: null, records: [], lost: new Set(), objects: new Set(), files: [], tree: [], told: 0 }
  let sourceFailure: unknown
  const source = streamOf(body, (error) => {
    sourceFailure = error
  })
  let at: Section | null = null
  let count = 0
  try {
    for await (const entry of valuesOf(source.pipeThrough(createTarDecoder({ strict: true })))) {
      const section = sectionOf(entry.header.name)
      const repeats = section === at && (section === 'objects' || section === 'files')
      if (!repeats && !follows(at, section)) throw corrupt('The archive', `has ${entry.header.name} in the wrong place`)
      at = section
      await takeEntry(fs, contents, section, entry)
      onProgress(++count)
    }
  } catch (error) {
    if (sourceFailure !== undefined) throw sourceFailure
    throw isFilewrightError(error) ? error : new FilewrightError('corrupt', 'The archive is no sound tar.', { cause: error })
  }
  if (at !== 'tree') throw corrupt('The archive', 'is cut')
  return contents
}

function sectionOf(name: string): Section {
  const found = ORDER.find((section) =>
    section === 'objects' || section === 'files' ? name.startsWith(ENTRIES[section]) : name === ENTRIES[section],
  )
  if (!found) throw corrupt('The archive', `has an entry that does not belong to it: ${name}`)
  return found
}

/** There may be no objects, and no files. */
function follows(before: Section | null, section: Section): boolean {
  const [last, next] = [before === null ? -1 : ORDER.indexOf(before), ORDER.indexOf(section)]
  return next > last && ORDER.slice(last + 1, next).every((skipped) => skipped === 'objects' || skipped === 'files')
}

async function takeEntry(fs: FileSystem, contents: Contents, section: Section, { header, body }: ParsedTarEntry): Promise<void> {
  const { name, size, type = 'file' } = header
  const bytes = valuesOf(body)
  if (type !== 'file') {
    // Directories and links are told of by the list of the tree.
    if (section !== 'files' || (type !== 'directory' && type !== 'symlink')) throw corrupt(name, `is a ${type}, and no file`)
    await body.cancel()
    return
  }
  const isContent = section === 'objects' || section === 'files'
  const limit = isContent ? fs.traits.limits.fileBytes : LIST_BYTES
  if (size > limit) throw new FilewrightError('too_large', `${name} has ${size} bytes; the limit is ${limit}.`)
  if (!isContent) {
    for await (const line of linesOf(bytes, LINE_BYTES)) takeLine(fs, contents, section, parseLine(line, name))
    return
  }
  const staged = await fs.stage(bytes)
  if (section === 'files') contents.files.push(staged)
  else if (name === ENTRIES.objects + staged.hash) contents.objects.add(staged.hash)
  else throw corrupt(name, 'does not match its hash')
}

function takeLine(fs: FileSystem, contents: Contents, section: Section, value: unknown): void {
  if (section === 'header') contents.header = headerOf(value)
  else if (section === 'journal') contents.records.push(foreignRecord(value, `Record ${contents.records.length + 1} of the archive`))
  else if (section === 'lost') contents.lost.add(foreignHash(value, 'The list of lost contents'))
  else contents.tree.push(treeEntry(contents, value))
  if (contents.tree.length <= fs.traits.limits.changes) return
  throw new FilewrightError('too_large', `The archive has more than the ${fs.traits.limits.changes} files that this storage takes at once.`)
}

const headerShape = z.looseObject({
  format: z.literal(ARCHIVE_FORMAT.format),
  version: z.number(),
  records: z.number(),
  head: z.string().nullable(),
  backupFolders: z.array(z.unknown()),
})

function headerOf(value: unknown): ArchiveHeader {
  const { success, data } = headerShape.safeParse(value)
  if (!success) throw corrupt(ENTRIES.header, 'does not begin an archive')
  const { version, records, head } = data
  if (version !== ARCHIVE_FORMAT.version) {
    throw new FilewrightError('unsupported', `Archives of version ${version} cannot be read; this program reads ${ARCHIVE_FORMAT.version}.`)
  }
  const backupFolders = data.backupFolders.map((folder) => foreignPath(folder, ENTRIES.header))
  return { ...ARCHIVE_FORMAT, records, head: head as Hash | null, backupFolders }
}

const treeShape = z.looseObject({ path: z.unknown(), mtimeMs: z.number().nullable() })

function treeEntry(contents: Contents, value: unknown): ArchivedEntry {
  const where = `Line ${contents.tree.length + 1} of ${ENTRIES.tree}`
  const { success, data } = treeShape.safeParse(value)
  if (!success) throw corrupt(where, 'is not what it should be')
  const { path: given, mtimeMs, ...rest } = data
  const path = foreignPath(given, where)
  const side = foreignSide(rest, where)
  if (checkProtected(path, { allowGitInternals: true }))
    throw new FilewrightError('protected_path', `${path} is protected: no archive may bring it.`)
  if (side.kind === 'file') {
    const content = contents.files[contents.told++]
    if (content?.hash !== side.hash || content.size !== side.size)
      throw corrupt(where, `tells another content of ${path} than the archive has`)
  }
  return { path, mtimeMs, ...side }
}

/** The chain, and that what can be taken back is there or is known to be lost. */
async function checkPast(fs: FileSystem, { header, records, objects, lost, files, told }: Contents): Promise<void> {
  let previous: JournalRecord | undefined
  for (const record of records) {
    if (record.changes === null && !objects.has(record.changesHash)) throw corrupt(`Change ${record.sequence}`, 'is not in the archive')
    const changes = foreignChanges(await changesOf(fs, record), `Change ${record.sequence}`)
    verifyRecord(fs.hasher, record, headAfter(previous), changes)
    const missing = contentsDestroyed(changes).find((hash) => !objects.has(hash) && !lost.has(hash))
    if (missing) throw corrupt(`The content ${missing} of change ${record.sequence}`, 'is not in the archive')
    previous = record
  }
  if (records.length !== header?.records || (previous?.hash ?? null) !== header.head) throw corrupt('The journal', 'is cut')
  if (files.length !== told) throw corrupt('The tree', 'is cut')
}

function changeFor(entry: ArchivedEntry): Change {
  const { path, mtimeMs } = entry
  if (entry.kind === 'directory') return { kind: 'makeDirectory', path, mode: entry.mode }
  if (entry.kind === 'link') return { kind: 'link', path, target: entry.target, expect: 'absent' }
  const { hash, size, mode } = entry
  return { kind: 'write', path, content: { hash, size }, mode, expect: 'absent', ...(mtimeMs !== null && { mtimeMs }) }
}
