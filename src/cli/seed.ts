/** Brings a folder on disk into a workspace as one change, whatever its size, with bounded memory. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { JournalRecord } from '../core/record.ts'
import { textOfBytes } from '../fs/node/names.ts'
import type { ImportedFile, Workspace } from '../workspace/workspace.ts'

/** Files up to this size are staged as one piece. */
const WHOLE_BYTES = 256 * 1024
const STORE = '.filewright'

/** What was brought in. */
export interface FolderImport {
  /** Null when the folder was empty. */
  readonly record: JournalRecord | null
  readonly files: number
  readonly bytes: number
  /** What could not come along, and why; paths are relative to the folder. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[]
}

/** Options of {@link importFolder}. */
export interface FolderImportOptions {
  /** Replace files that exist; default: they are `already_exists`, and nothing is brought in. */
  readonly replace?: boolean
  readonly subject?: string
  readonly note?: string
  readonly onProgress?: (files: number, bytes: number) => void
}

/**
 * Everything below `folder`, git's files included: modes, times and links as they are. The product's own store at its top is left
 * out; so is what no workspace can hold (FIFOs, sockets, devices, names that are not clean UTF-8) or this process cannot read,
 * and `skipped` says so. Throws `not_found` or `not_directory` for the folder itself.
 */
export async function importFolder(workspace: Workspace, folder: string, options: FolderImportOptions = {}): Promise<FolderImport> {
  const files: ImportedFile[] = []
  const skipped: { path: string; why: string }[] = []
  let bytes = 0
  checkFolder(folder)
  for (const found of walk(folder, '', skipped)) {
    const { path, stats } = found
    if (stats.isSymbolicLink()) files.push({ path, link: found.link as string })
    else if (stats.isDirectory()) files.push({ path, directory: true, mode: stats.mode & 0o777 })
    else {
      const staged = await stageFile(workspace, join(folder, path), path, skipped)
      if (!staged) continue
      files.push(staged)
      bytes += staged.content?.size ?? 0
    }
    options.onProgress?.(files.length, bytes)
  }
  if (files.length === 0) return { record: null, files: 0, bytes, skipped }
  const record = await workspace.importFiles(files, {
    operator: true,
    replace: options.replace ?? false,
    ...(options.subject !== undefined && { subject: options.subject }),
    ...(options.note !== undefined && { note: options.note }),
  })
  return { record, files: files.filter((file) => !file.directory).length, bytes, skipped }
}

function checkFolder(folder: string): void {
  let stats: Stats | undefined
  try {
    stats = lstatSync(`${folder}/`)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'not_directory' : 'not_found'
    throw new FilewrightError(code, `${folder} ${code === 'not_found' ? 'does not exist' : 'is not a directory'}.`)
  }
  if (!stats.isDirectory()) throw new FilewrightError('not_directory', `${folder} is not a directory.`)
}

interface Found {
  readonly path: string
  readonly stats: Stats
  readonly link?: string
}

/** Entries in the order of their names, a directory before what is in it. Reads one directory at a time. */
function* walk(folder: string, dir: string, skipped: { path: string; why: string }[]): Generator<Found> {
  let names: Buffer[]
  try {
    names = readdirSync(join(folder, dir), { encoding: 'buffer' }).sort(Buffer.compare)
  } catch {
    skipped.push({ path: dir, why: 'the directory cannot be read' })
    return
  }
  for (const raw of names) {
    const name = textOfBytes(raw)
    const path = dir === '' ? name : `${dir}/${name}`
    if (path === STORE) continue
    try {
      // Such a name is no text, and this reads by text.
      if (!name.isWellFormed()) throw new FilewrightError('invalid_name', 'its name is not valid UTF-8')
      const found = inspect(folder, path)
      yield found
      if (found.stats.isDirectory()) yield* walk(folder, path, skipped)
    } catch (error) {
      skipped.push({ path, why: isFilewrightError(error) ? error.message : 'it cannot be read' })
    }
  }
}

function inspect(folder: string, path: string): Found {
  const at = join(folder, path)
  const stats = lstatSync(at)
  if (stats.isSymbolicLink()) return { path, stats, link: textOfBytes(readlinkSync(at, { encoding: 'buffer' })) }
  if (!stats.isFile() && !stats.isDirectory()) throw new FilewrightError('not_regular', 'it is neither a file, a directory nor a link')
  return { path, stats }
}

async function stageFile(
  workspace: Workspace,
  at: string,
  path: string,
  skipped: { path: string; why: string }[],
): Promise<ImportedFile | null> {
  let fd: number
  try {
    // Not through a link, and never waiting for a FIFO, should the file have been replaced by one.
    fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    skipped.push({ path, why: 'the file cannot be read' })
    return null
  }
  try {
    const stats = fstatSync(fd)
    const content = await workspace.stage(stats.size <= WHOLE_BYTES ? readWhole(fd, stats.size) : readBlocks(fd))
    return { path, content, mode: stats.mode & 0o777, mtimeMs: stats.mtimeMs }
  } finally {
    closeSync(fd)
  }
}

function readWhole(fd: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (let count = -1; at < size && count !== 0; at += count) count = readSync(fd, bytes, at, size - at, at)
  return bytes.subarray(0, at)
}

async function* readBlocks(fd: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const block = new Uint8Array(WHOLE_BYTES)
    const count = readSync(fd, block, 0, block.length, at)
    if (count === 0) return
    at += count
    yield block.subarray(0, count)
  }
}
