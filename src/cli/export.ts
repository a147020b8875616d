/** Writes a workspace to a fresh folder on disk. */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { FilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem } from '../core/file_system.ts'
import { type Path, ROOT } from '../core/path.ts'
import { readBlocks } from '../core/read.ts'
import { hostName } from '../fs/node/names.ts'

/** Files up to this size are read many in one pass. */
const SMALL_BYTES = 256 * 1024
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** What was written. */
export interface Exported {
  readonly files: number
  readonly bytes: number
}

/** Makes the folder ready. Throws `already_exists` when something is in it: an export never mixes with other files. */
export function prepareExport(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    throw new FilewrightError('io_error', `The folder for the export cannot be made: ${folder}.`, { cause: error })
  }
  throw new FilewrightError('already_exists', `The folder for the export is not empty: ${folder}.`)
}

/** Writes every file, link and directory with its mode and time. The folder must be one that {@link prepareExport} made ready. */
export async function exportWorkspace(fs: FileSystem, folder: string, onProgress?: (files: number) => void): Promise<Exported> {
  const directories: Entry[] = []
  let files = 0
  let bytes = 0
  for await (const page of fs.scan(ROOT, { stat: true, target: true })) {
    const regular = new Map<Path, Entry>()
    for (const entry of page) {
      if (entry.kind === 'file') regular.set(entry.path, entry)
      else if (entry.kind === 'link') writeLink(folder, entry)
      else if (entry.kind === 'directory') {
        // Open to this process while it is filled; its own mode comes last.
        mkdirSync(hostName(`${folder}/${entry.path}`), { mode: 0o700 })
        directories.push(entry)
      }
    }
    for (const entry of await writeSmall(fs, folder, regular)) await writeLarge(fs, folder, entry)
    for (const entry of regular.values()) bytes += entry.size ?? 0
    files += regular.size
    onProgress?.(files)
  }
  for (const entry of directories.reverse()) {
    const at = hostName(`${folder}/${entry.path}`)
    if (entry.mtimeMs !== null) utimesSync(at, entry.mtimeMs / 1000, entry.mtimeMs / 1000)
    chmodSync(at, entry.mode ?? 0o777 & ~process.umask())
  }
  return { files, bytes }
}

/** Writes the small files of one page, and returns the others. */
async function writeSmall(fs: FileSystem, folder: string, files: ReadonlyMap<Path, Entry>): Promise<Entry[]> {
  const large: Entry[] = []
  await fs.readEach([...files.keys()], { maxBytes: SMALL_BYTES }, (path, bytes, problem) => {
    const entry = files.get(path) as Entry
    if (bytes) writeFile(folder, entry, (fd) => writeAll(fd, bytes))
    else if (problem?.code === 'too_large') large.push(entry)
    else throw problem
    return true
  })
  return large
}

async function writeLarge(fs: FileSystem, folder: string, entry: Entry): Promise<void> {
  const reader = await fs.open(entry.path)
  const fd = openSync(hostName(`${folder}/${entry.path}`), NEW_FILE, 0o600)
  try {
    for await (const block of readBlocks(reader)) writeAll(fd, block)
    finishFile(fd, entry)
  } finally {
    closeSync(fd)
    await reader.close()
  }
}

function writeFile(folder: string, entry: Entry, fill: (fd: number) => void): void {
  const fd = openSync(hostName(`${folder}/${entry.path}`), NEW_FILE, 0o600)
  try {
    fill(fd)
    finishFile(fd, entry)
  } finally {
    closeSync(fd)
  }
}

function finishFile(fd: number, entry: Entry): void {
  if (entry.mtimeMs !== null) futimesSync(fd, entry.mtimeMs / 1000, entry.mtimeMs / 1000)
  fchmodSync(fd, entry.mode ?? 0o666 & ~process.umask())
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

function writeLink(folder: string, entry: Entry): void {
  const at = hostName(`${folder}/${entry.path}`)
  symlinkSync(hostName(entry.target as string), at)
  if (entry.mtimeMs !== null) lutimesSync(at, entry.mtimeMs / 1000, entry.mtimeMs / 1000)
}
