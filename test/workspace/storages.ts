/** The storages on which the past of a workspace is tested, each empty and gone with its test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFsFromVolume, Volume } from 'memfs'
import { onTestFinished } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { createMemfsFs } from '../../src/fs/memfs.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { openNodeSqliteFs } from '../../src/fs/sqlite/node_sqlite.ts'

/** Opens an empty storage. */
export type OpenStorage = () => Promise<FileSystem>

/** A folder that is removed with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-past-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const STORAGES: readonly (readonly [string, OpenStorage])[] = [
  ['memory', async () => createMemoryFs()],
  ['sqlite', async () => openNodeSqliteFs(':memory:')],
  ['memfs', async () => createMemfsFs(createFsFromVolume(new Volume()))],
  ['node', () => openNodeFs({ root: temporaryFolder(), durability: 'process' })],
]

/** Every path with what is there: a file's bytes and executable bit, a link's text, null for a directory. */
export async function treeOf(fs: FileSystem): Promise<{ [path: string]: string | null }> {
  const tree: { [path: string]: string | null } = {}
  for await (const page of fs.scan('' as Path, { stat: true, target: true })) {
    for (const entry of page) {
      if (entry.kind === 'directory') tree[entry.path] = null
      else if (entry.kind === 'link') tree[entry.path] = `-> ${entry.target}`
      else tree[entry.path] = `${(entry.mode as number) & 0o100 ? 'x ' : ''}${await latin1(fs, entry.path)}`
    }
  }
  return tree
}

async function latin1(fs: FileSystem, path: Path): Promise<string> {
  const reader = await fs.open(path)
  try {
    return Buffer.from(await readAll(reader, Number.MAX_SAFE_INTEGER, path)).toString('latin1')
  } finally {
    await reader.close()
  }
}

/** The hashes that history holds, sorted. */
export async function heldHashes(fs: FileSystem): Promise<string[]> {
  const hashes: string[] = []
  for await (const page of fs.contents()) for (const { hash } of page) hashes.push(hash)
  return hashes.sort()
}
