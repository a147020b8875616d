/** One workspace with a long past, and how another takes it over. */
import type { Change } from '../core/change.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { JournalRecord } from '../core/record.ts'
import {
  allRecords,
  backUp,
  bytesOf,
  commit,
  copy,
  hashOf,
  keptContents,
  link,
  makeDirectory,
  move,
  objectBytes,
  remove,
  scanAll,
  write,
} from './setup.ts'

/** Makes a past with every kind of change, and a record of so many changes that they are stored apart. */
export async function changeALot(fs: FileSystem, many: number): Promise<void> {
  const names = Array.from({ length: many }, (_, index) => `many/a file with a name that is long enough ${index}`)
  await commit(fs, makeDirectory('d'), { ...write(fs, 'd/f', 'one'), mode: 0o640, mtimeMs: Date.UTC(2011, 2, 3) }, write(fs, 'g', ''))
  await commit(fs, makeDirectory('many'), ...names.map((name) => write(fs, name, name)))
  await commit(fs, write(fs, 'd/f', 'two', hashOf(fs, 'one')), copy('d/f', 'copied', hashOf(fs, 'two')), makeDirectory('empty'))
  await commit(fs, backUp('copied', hashOf(fs, 'two')), move('d', 'e', 'directory'))
  await commit(fs, { ...write(fs, 'copied', 'three', hashOf(fs, 'two')), keep: false }, remove('g', hashOf(fs, '')))
  await commit(
    fs,
    { ...write(fs, 'copied', 'four', hashOf(fs, 'three')), keep: false },
    remove(names[0] as string, hashOf(fs, names[0] as string)),
  )
  if (fs.traits.symlinks) await commit(fs, link('l', 'e/f'), backUp('l', { link: 'e/f' }))
}

/** What {@link FileSystem.adopt} is given. */
export interface Taken {
  readonly changes: readonly Change[]
  readonly records: readonly JournalRecord[]
}

/** Stages in `to` all that `from` holds, and tells what to adopt. */
export async function prepareTakeOver(from: FileSystem, to: FileSystem): Promise<Taken> {
  for (const { hash } of await keptContents(from)) await to.stage(await objectBytes(from, hash))
  const changes: Change[] = []
  for (const { path, kind, mode, mtimeMs, target } of await scanAll(from, '', { stat: true, target: true })) {
    const bits = mode === null ? {} : { mode }
    if (kind === 'directory') changes.push({ kind: 'makeDirectory', path, ...bits })
    if (kind === 'link') changes.push({ kind: 'link', path, target: target ?? '', expect: 'absent' })
    if (kind !== 'file') continue
    const content = await to.stage(await bytesOf(await from.open(path)))
    changes.push({ kind: 'write', path, content, expect: 'absent', ...bits, ...(mtimeMs === null ? {} : { mtimeMs }) })
  }
  return { changes, records: await allRecords(from) }
}

/** Makes `to` what `from` is. */
export async function takeOver(from: FileSystem, to: FileSystem): Promise<void> {
  const { changes, records } = await prepareTakeOver(from, to)
  await to.adopt(changes, records)
}
