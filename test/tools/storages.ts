/** The storages that tools are tested on when it matters how a storage does what they stage. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFsFromVolume, Volume } from 'memfs'
import { onTestFinished } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { createMemfsFs } from '../../src/fs/memfs.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { openNodeSqliteFs } from '../../src/fs/sqlite/node_sqlite.ts'

/** A folder of its own for the running test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filewright-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function onDisk(fs: FileSystem | Promise<FileSystem>): Promise<FileSystem> {
  const opened = await fs
  onTestFinished(() => opened.close())
  return opened
}

/** Name, and how an empty one is opened. */
export const STORAGES: readonly (readonly [name: string, open: () => Promise<FileSystem>])[] = [
  ['memory', async () => createMemoryFs()],
  ['memfs', async () => createMemfsFs(createFsFromVolume(new Volume()))],
  ['sqlite', () => onDisk(openNodeSqliteFs(join(temporaryFolder(), 'workspace.db')))],
  ['node', () => onDisk(openNodeFs({ root: temporaryFolder(), durability: 'process' }))],
]
