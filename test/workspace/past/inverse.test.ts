/** Taking changes back after somebody else changed what is around them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openNodeFs } from '../../../src/fs/node.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'

let root: string
let workspace: Workspace

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'inverse-'))
  workspace = await openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root, durability: 'process' }) })
})
afterEach(async () => {
  await workspace.close()
  rmSync(root, { recursive: true })
})

describe('a file whose directory is gone', () => {
  const deleteDeep = async (): Promise<void> => {
    await mkdir(join(root, 'd/e'), { recursive: true })
    await writeFile(join(root, 'd/e/a'), 'bytes')
    expect((await workspace.call('delete_file', { file_path: 'd/e/a' })).error).toBeNull()
    await rm(join(root, 'd'), { recursive: true })
  }

  it('comes back with its directories, and goes again', async () => {
    await deleteDeep()
    await workspace.undo('last')
    expect(await readFile(join(root, 'd/e/a'), 'utf8')).toBe('bytes')
    await workspace.redo()
    await expect(stat(join(root, 'd'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await workspace.verify()).records).toBe(3)
  })

  it('is a conflict where something else took the place of a directory', async () => {
    await deleteDeep()
    await writeFile(join(root, 'd'), 'file')
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'conflict' })
    await rm(join(root, 'd'))
    await mkdir(join(root, 'other/e'), { recursive: true })
    await symlink('other', join(root, 'd'))
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'conflict' })
    await expect(stat(join(root, 'other/e/a'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a directory that comes to a place where others were', () => {
  const run = async (...operations: object[]): Promise<void> => {
    const trustPolicy = { version: 1, rules: [{ operations: ['batch_file_ops', 'move_file', 'copy_file'], paths: ['**'] }] } as const
    const trusted = await openWorkspace({ profile: 'fileops', fs: workspace.fs, settings: { approval: 'trusted', trustPolicy } })
    expect((await trusted.call('file_ops_hub', { operation: 'batch_file_ops', config: { operations } })).error).toBeNull()
  }
  const move = (path: string, destination_path: string) => ({ operation: 'move_file', path, config: { destination_path } })
  const copy = (path: string, destination_path: string) => ({ ...move(path, destination_path), operation: 'copy_file' })

  it('brings what is in it, whatever stood there before: undo and redo go on', async () => {
    for (const [path, content] of Object.entries({ 'd/x': 'of d', 'f/x': 'of f', a: 'a' }))
      await workspace.call('write_file', { file_path: path, content })
    const texts = async (): Promise<unknown[]> =>
      Promise.all(['d/x', 'f/x', 'g/x'].map((path) => readFile(join(root, path), 'utf8').catch(() => null)))
    await run(move('d', 'g'), copy('a', 'd/x'))
    await workspace.undo('last')
    expect(await texts()).toEqual(['of d', 'of f', null])
    await workspace.redo()
    expect(await texts()).toEqual(['a', 'of f', 'of d'])
    await workspace.undo('last')
    await run(copy('a', 'd/y'), move('d/x', 'x'), move('d', 'g'), move('f', 'd'))
    expect(await texts()).toEqual(['of f', null, null])
    await workspace.undo('last')
    expect(await texts()).toEqual(['of d', 'of f', null])
  })
})

describe('a mode', () => {
  const mode = async (): Promise<number> => (await stat(join(root, 'a'))).mode & 0o777

  it('that somebody changed since stays: undo takes back what the change did, no more', async () => {
    await writeFile(join(root, 'a'), 'one')
    await chmod(join(root, 'a'), 0o644)
    await workspace.call('write_file', { file_path: 'a', content: 'two', force_overwrite: true })
    await chmod(join(root, 'a'), 0o600)
    await workspace.undo('last')
    expect(await readFile(join(root, 'a'), 'utf8')).toBe('one')
    expect(await mode()).toBe(0o600)
    await workspace.redo()
    expect(await mode()).toBe(0o600)
  })

  it('comes back with a deleted file', async () => {
    await writeFile(join(root, 'a'), 'one')
    await chmod(join(root, 'a'), 0o751)
    await workspace.call('delete_file', { file_path: 'a' })
    await workspace.undo('last')
    expect(await mode()).toBe(0o751)
  })
})
