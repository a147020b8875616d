/** `file_bytes` beyond the workspace: only where the operator lets it, and regular files only (F-60, C-10). */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import { createUnconfinedReads, openNodeFs } from '../../../src/fs/node.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { temporaryFolder } from '../storages.ts'

let folder: string
let root: string
let confined: Workspace
let unconfined: Workspace

beforeEach(async () => {
  folder = temporaryFolder()
  root = join(folder, 'root')
  mkdirSync(join(root, 'sub'), { recursive: true })
  writeFileSync(join(folder, 'outside'), 'out\n')
  writeFileSync(join(root, 'inside'), 'in\n')
  symlinkSync('../outside', join(root, 'link'))
  execFileSync('mkfifo', [join(folder, 'fifo')])
  const fs = await openNodeFs({ root, durability: 'process' })
  confined = await openWorkspace({ fs, profile: 'fsproc' })
  unconfined = await openWorkspace({ fs, profile: 'fsproc', unconfinedReads: createUnconfinedReads() })
})

const bytesOf = (workspace: Workspace, path: string) => workspace.call('file_bytes', { path })

describe('without leave', () => {
  it.each(['../outside', 'link', '~/x', '~', 'ABSOLUTE'])('%s is refused, and the setting is named', async (given) => {
    const { error, result } = await bytesOf(confined, given === 'ABSOLUTE' ? join(folder, 'outside') : given)
    expect(error?.code).toBe('outside_root')
    expect(result.error).toContain('--unconfined-file-bytes')
    expect(result.error).toContain('unconfinedReads')
  })
})

it('inside the roots of a client nothing beyond them is read, and no setting is named that would not help', async () => {
  const within = async () => ['sub' as Path]
  for (const path of ['../outside', 'inside', 'link', '~', join(folder, 'outside')]) {
    const { error, result } = await unconfined.call('file_bytes', { path }, { within })
    expect(error?.code).toBe('outside_root')
    expect(result.error).not.toContain('--unconfined-file-bytes')
  }
})

describe('with leave', () => {
  it.each(['../outside', 'link', 'ABSOLUTE'])('%s is read', async (given) => {
    const { result } = await bytesOf(unconfined, given === 'ABSOLUTE' ? join(folder, 'outside') : given)
    expect(result).toMatchObject({ success: true, data: { path: join(folder, 'outside'), size_bytes: 4, verdict: 'ok' } })
  })

  it('what is inside is read as without', async () => {
    expect((await bytesOf(unconfined, join(root, 'inside'))).result).toMatchObject({ data: { path: join(root, 'inside'), size_bytes: 3 } })
    expect((await bytesOf(unconfined, 'none')).error?.code).toBe('not_found')
  })

  it('~ is the home folder, and nothing else is expanded', async () => {
    const { error } = await bytesOf(unconfined, '~/no-such-file-in-any-home')
    expect([error?.code, error?.message]).toEqual(['not_found', expect.stringContaining('~/no-such-file-in-any-home')])
    expect(error?.message).not.toContain(homedir())
    expect((await bytesOf(unconfined, '~')).error?.code).toBe('is_directory')
    expect((await bytesOf(unconfined, '$HOME/x')).error?.code).toBe('not_found')
    expect((await bytesOf(unconfined, '~root/x')).error?.code).toBe('not_found')
  })

  it('only regular files are opened', { timeout: 10_000 }, async () => {
    expect((await bytesOf(unconfined, join(folder, 'fifo'))).error?.code).toBe('not_regular')
    expect((await bytesOf(unconfined, '/dev/zero')).error?.code).toBe('not_regular')
    expect((await bytesOf(unconfined, folder)).error?.code).toBe('is_directory')
    expect((await bytesOf(unconfined, join(folder, 'none'))).error?.code).toBe('not_found')
    expect((await bytesOf(unconfined, `${folder}/a\0b`)).error?.code).toBe('invalid_argument')
  })

  it('no other tool leaves the workspace', async () => {
    expect((await unconfined.call('read_file', { file: join(folder, 'outside') })).error?.code).toBe('outside_root')
    expect((await unconfined.call('read_file', { file: '~/x' })).error?.code).toBe('not_found')
  })
})
