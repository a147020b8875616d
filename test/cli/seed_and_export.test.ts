/** What goes in by a seed comes out by an export: bytes, modes, times, links, empty folders. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createFsFromVolume, Volume } from 'memfs'
import { describe, expect, test } from 'vitest'
import { exportWorkspace, prepareExport } from '../../src/cli/export.ts'
import { importFolder } from '../../src/cli/seed.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import { createMemfsFs } from '../../src/fs/memfs.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeSqliteFs } from '../../src/fs/sqlite/node_sqlite.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { temporaryFolder } from './command.ts'

const TIME = 1_500_000_000.5

/** A folder with everything that a workspace can hold. */
function plant(): string {
  const folder = temporaryFolder()
  const at = (path: string) => join(folder, path)
  for (const dir of ['empty', 'src/deep', '.git/refs', 'inner/.filewright']) mkdirSync(at(dir), { recursive: true })
  writeFileSync(at('src/a.txt'), 'ü\r\n')
  writeFileSync(at('src/deep/run.sh'), '#!/bin/sh\n')
  writeFileSync(at('src/zero'), '')
  writeFileSync(at('large.bin'), Buffer.alloc(3_000_000, 'abc'))
  writeFileSync(at('.git/config'), '[core]\n')
  writeFileSync(at('.env'), 'KEY=1\n')
  writeFileSync(at('ignored.log'), 'x')
  writeFileSync(at('.gitignore'), '*.log\n')
  writeFileSync(at('inner/.filewright/file'), 'an ordinary file')
  symlinkSync('src/a.txt', at('link'))
  symlinkSync('/nowhere/../x', at('outward'))
  linkSync(at('src/a.txt'), at('hard'))
  chmodSync(at('src/deep/run.sh'), 0o755)
  chmodSync(at('.env'), 0o600)
  for (const path of ['src/a.txt', 'large.bin', 'src/zero']) utimesSync(at(path), TIME, TIME)
  return folder
}

/** Every entry below a folder, as facts to compare; times in whole ticks of so many milliseconds. */
function describeTree(folder: string, tickMs: number): Record<string, unknown> {
  const facts: Record<string, unknown> = {}
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const stats = lstatSync(join(folder, name))
    if (stats.isDirectory()) facts[name] = 'directory'
    else if (stats.isSymbolicLink()) facts[name] = readlinkSync(join(folder, name))
    else
      facts[name] = [
        stats.mode & 0o777,
        tickMs > 0 ? Math.floor(stats.mtimeMs / tickMs) : stats.mtimeMs,
        readFileSync(join(folder, name)).toString('base64'),
      ]
  }
  return facts
}

const STORAGES: readonly [name: string, open: () => Promise<FileSystem>, tickMs: number][] = [
  ['memory', async () => createMemoryFs(), 0],
  // A volume keeps times as dates.
  ['memfs', async () => createMemfsFs(createFsFromVolume(new Volume())), 1],
  ['sqlite', () => openNodeSqliteFs(':memory:'), 0],
]

describe.each(STORAGES)('through %s', (_, openFs, tickMs) => {
  test('a folder comes back as it was, and is left as it was', async () => {
    const folder = plant()
    const before = describeTree(folder, tickMs)
    const out = join(temporaryFolder(), 'a/b')
    const workspace = await openWorkspace({ profile: 'fileops', fs: await openFs() })
    const imported = await importFolder(workspace, folder)
    expect(imported.skipped).toEqual([])
    expect(imported.files).toBe(12)
    prepareExport(out)
    const exported = await exportWorkspace(workspace.fs, out)
    expect(exported.files).toBe(10)
    expect(describeTree(out, tickMs)).toEqual(before)
    expect(describeTree(folder, tickMs)).toEqual(before)
    expect(await workspace.log()).toMatchObject([{ record: { sequence: 1, kind: 'import', id: imported.record?.id } }])
    await workspace.close()
  })
})

test('what no workspace holds is left out and told', async () => {
  const folder = temporaryFolder()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.of(0xe9)]), 'latin')
  writeFileSync(join(folder, 'new\nline'), 'x')
  mkdirSync(join(folder, '.filewright/objects'), { recursive: true })
  writeFileSync(join(folder, 'good.txt'), 'x')
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const { skipped, files } = await importFolder(workspace, folder)
  expect(files).toBe(2)
  expect(skipped.map(({ path }) => path)).toEqual(['caf\udce9', 'pipe'])
  expect((await workspace.fs.list('' as never)).map(({ path }) => path)).toEqual(['good.txt', 'new\nline'])
})

test('an empty folder is no change', async () => {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  expect(await importFolder(workspace, temporaryFolder())).toEqual({ record: null, files: 0, bytes: 0, skipped: [] })
  expect(await workspace.log()).toEqual([])
})

test('an import onto files needs to be told so, and is all or nothing', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.txt'), 'first')
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  await importFolder(workspace, folder)
  writeFileSync(join(folder, 'a.txt'), 'second')
  writeFileSync(join(folder, '0.txt'), 'new')
  await expect(importFolder(workspace, folder)).rejects.toMatchObject({ code: 'already_exists' })
  await expect(workspace.fs.stat('0.txt' as never)).rejects.toMatchObject({ code: 'not_found' })
  await importFolder(workspace, folder, { replace: true })
  await workspace.undo('last')
  const out = join(temporaryFolder(), 'out')
  prepareExport(out)
  await exportWorkspace(workspace.fs, out)
  expect(readdirSync(out)).toEqual(['a.txt'])
  expect(readFileSync(join(out, 'a.txt'), 'utf8')).toBe('first')
})

test.each([
  ['a folder that is missing', 'none', 'not_found'],
  ['a file', 'file', 'not_directory'],
])('the source must be a folder: %s', async (_, name, code) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  await expect(importFolder(workspace, join(folder, name))).rejects.toMatchObject({ code })
})

test('the target must be fresh, and is not written through links', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'mine'), '')
  expect(() => prepareExport(folder)).toThrow(expect.objectContaining({ code: 'already_exists' }))
  expect(() => prepareExport(join(folder, 'mine/x'))).toThrow(expect.objectContaining({ code: 'io_error' }))
  expect(existsSync(join(folder, 'mine/x'))).toBe(false)
  expect(statSync(join(folder, 'mine')).size).toBe(0)
})
