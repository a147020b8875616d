/** Repositories in which something is missing, damaged or strange: errors say so, and nothing else is harmed. */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Commit } from '../../../src/core/repository.ts'
import { openNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { at, commit, draft, hashOf, readText, scanPaths, write } from '../../../src/testing/setup.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import { commitFiles, fsck, gitBytes, initRepository, git as runGit, tempDir } from '../../git/real_git.ts'
import { ADA, type GitWorkspace, onRepository } from './place.ts'

/** A repository that git would find something wrong with at the end. */
async function onDamaged(
  body: (place: { readonly dir: string; git(...args: string[]): string; open(): Promise<GitWorkspace> }) => Promise<void>,
) {
  const { dir, remove } = tempDir()
  try {
    initRepository(dir)
    commitFiles(dir, 'First', { 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'src/c.txt': 'c\n', 'other/d.txt': 'd\n' })
    const open = async () => (await createGitFs({ git: await openNodeGitDirectory(dir, { durability: 'process' }) })) as GitWorkspace
    await body({ dir, git: (...args) => runGit(dir, ...args), open })
  } finally {
    remove()
  }
}

function pathOf(dir: string, oid: string): string {
  return join(dir, '.git/objects', oid.slice(0, 2), oid.slice(2))
}

function damage(dir: string, oid: string): void {
  chmodSync(pathOf(dir, oid), 0o644)
  writeFileSync(pathOf(dir, oid), 'no object at all')
}

test.each(['missing', 'damaged'] as const)('a blob that is %s', (kind) =>
  onDamaged(async ({ dir, git, open }) => {
    const oid = git('rev-parse', 'HEAD:src/b.txt')
    if (kind === 'missing') rmSync(pathOf(dir, oid))
    else damage(dir, oid)
    const code = kind === 'missing' ? 'io_error' : 'corrupt'
    const fs = await open()
    expect(await scanPaths(fs, '')).toContain('src/b.txt')
    await expect(fs.open(at('src/b.txt'))).rejects.toMatchObject({ code, details: { oid } })
    const seen: (string | null)[] = []
    await fs.readEach(['src/b.txt', 'src/c.txt'].map(at), { maxBytes: 100 }, (_, bytes, problem) => {
      seen.push(problem?.code ?? new TextDecoder().decode(bytes ?? new Uint8Array()))
      return true
    })
    expect(seen).toEqual([code, 'c\n'])
    await expect(commit(fs, write(fs, 'src/b.txt', 'x', hashOf(fs, 'b\n')))).rejects.toMatchObject({ code })
    await commit(fs, write(fs, 'src/c.txt', 'x', hashOf(fs, 'c\n')))
    expect((await fs.repository.status()).changes.map(({ path }) => path)).toEqual(['src/c.txt'])
  }),
)

test.each(['missing', 'damaged'] as const)('a tree that is %s is told and not entered', (kind) =>
  onDamaged(async ({ dir, git, open }) => {
    const oid = git('rev-parse', 'HEAD:src')
    if (kind === 'missing') rmSync(pathOf(dir, oid))
    else damage(dir, oid)
    const code = kind === 'missing' ? 'not_found' : 'corrupt'
    const fs = await open()
    expect(await scanPaths(fs, '')).toEqual(['a.txt', 'other', 'other/d.txt', 'src'])
    await expect(fs.list(at('src'))).rejects.toMatchObject({ code })
    await expect(commit(fs, write(fs, 'src/new', 'x'))).rejects.toMatchObject({ code })
    await commit(fs, write(fs, 'other/new', 'x'))
    expect(await readText(await open(), 'other/new')).toBe('x')
  }),
)

test('a reference that is no workspace', () =>
  onRepository(async ({ dir, git, open }) => {
    git('update-ref', 'refs/filewright/workspaces/main', 'HEAD')
    await expect(open()).rejects.toMatchObject({ code: 'corrupt' })
    git('update-ref', 'refs/filewright/workspaces/main', git('rev-parse', 'HEAD^{tree}'))
    await expect(open()).rejects.toMatchObject({ code: 'corrupt' })
    const other = await open({ workspace: 'other' })
    await commit(other, write(other, 'x', '1'))
    git('update-ref', '-d', 'refs/filewright/workspaces/main')
    await open()
    expect(existsSync(join(dir, '.git/refs/filewright/workspaces/other'))).toBe(true)
  }))

test('a newer format', () =>
  onRepository(async ({ dir, git, open }) => {
    const fs = await open()
    await commit(fs, write(fs, 'x', '1'))
    const newer = gitBytes(dir, ['cat-file', 'commit', 'refs/filewright/workspaces/main']).toString().replace('"format":1', '"format":2')
    const made = gitBytes(dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: newer }).toString().trim()
    git('update-ref', 'refs/filewright/workspaces/main', made)
    await expect(open()).rejects.toMatchObject({ code: 'unsupported' })
    await expect(commit(fs, write(fs, 'y', '1'))).rejects.toMatchObject({ code: 'unsupported' })
  }))

test('a base that is gone: files are there, and only what compares with it fails', () =>
  onDamaged(async ({ dir, git, open }) => {
    const fs = await open()
    await commit(fs, write(fs, 'x', '1'))
    const base = git('rev-parse', 'HEAD')
    rmSync(pathOf(dir, base))
    const again = await open()
    expect([await readText(again, 'x'), await readText(again, 'src/b.txt')]).toEqual(['1', 'b\n'])
    await commit(again, write(again, 'y', '1'))
    await expect(again.repository.status()).rejects.toMatchObject({ code: 'not_found', details: { oid: base } })
    await expect(again.repository.makeCommit({ message: 'x', author: ADA }, draft())).rejects.toMatchObject({ code: 'not_found' })
  }))

test('a lock that nobody gives up is named, after one wait', () =>
  onRepository(async ({ dir }) => {
    const fs = await createGitFs({ git: await openNodeGitDirectory(dir, { durability: 'process', lockWaitMs: 20 }) })
    await commit(fs, write(fs, 'x', '1'))
    let tries = 0
    const counted: typeof fs.commit = (changes, drafted) => {
      tries++
      return fs.commit(changes, drafted)
    }
    const workspace = await openWorkspace({ fs: { ...fs, commit: counted } })
    const [state, branch] = ['refs/filewright/workspaces/main', 'refs/heads/filewright/main'].map((ref) => join(dir, '.git', `${ref}.lock`))
    writeFileSync(state as string, '')
    const written = await workspace.call('write', { path: 'y', content: 'y' })
    expect(written.error?.code).toBe('conflict')
    expect(written.text).toContain('refs/filewright/workspaces/main.lock')
    expect(tries).toBe(1)
    rmSync(state as string)
    mkdirSync(dirname(branch as string), { recursive: true })
    writeFileSync(branch as string, '')
    const refused = await workspace.call('git_commit', { message: 'm' })
    expect(refused.error?.code).toBe('conflict')
    expect(refused.text).toContain('refs/heads/filewright/main.lock')
    expect(runGit(dir, 'log', '-1', '--format=%B', 'refs/filewright/workspaces/main')).toContain('"pending":[]')
    rmSync(branch as string)
    expect((await workspace.call('git_commit', { message: 'm' })).error).toBeNull()
    await workspace.close()
  }))

test('a shallow clone', () =>
  onRepository(async ({ dir }) => {
    commitFiles(dir, 'Second', { second: '2\n' })
    const { dir: scratch, remove } = tempDir()
    try {
      const clone = join(scratch, 'clone')
      runGit(scratch, 'clone', '-q', '--depth', '1', `file://${dir}`, clone)
      const fs = (await createGitFs({ git: await openNodeGitDirectory(clone, { durability: 'process' }) })) as GitWorkspace
      const known = await fs.repository.log()
      expect(known.map(({ message, parents }) => [message, parents])).toEqual([['Second\n', []]])
      expect(await fs.repository.commit((known[0] as Commit).oid)).toEqual(known[0])
      await commit(fs, write(fs, 'x', '1'))
      const { commit: made } = await fs.repository.makeCommit({ message: 'Third', author: ADA }, draft())
      expect(runGit(clone, 'log', '--format=%s', made.oid)).toBe('Third\nSecond')
      await fs.close()
      fsck(clone)
    } finally {
      remove()
    }
  }))

test('a partial clone without its server: what is not here is listed without being asked for', () =>
  onRepository(async ({ dir, git }) => {
    git('config', 'uploadpack.allowFilter', 'true')
    const { dir: scratch, remove } = tempDir()
    try {
      const clone = join(scratch, 'clone')
      runGit(scratch, 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${dir}`, clone)
      const repository = await openNodeGitDirectory(clone, { durability: 'process' })
      const asked: string[] = []
      repository.objects.promise(async (missing) => {
        asked.push(...missing)
      })
      const fs = (await createGitFs({ git: repository })) as GitWorkspace
      const sizes = (await fs.list(at('src'), { stat: true })).map(({ path, size }) => [path, size])
      expect(sizes).toEqual([
        ['src/a.txt', null],
        ['src/b.txt', null],
        ['src/deep', null],
      ])
      expect(asked).toEqual([])
      const oid = git('rev-parse', 'HEAD:src/a.txt')
      await expect(fs.stat(at('src/a.txt'))).rejects.toMatchObject({ code: 'io_error', details: { oid } })
      await expect(fs.open(at('src/a.txt'))).rejects.toMatchObject({ code: 'io_error', details: { oid } })
      const told: unknown[] = []
      await fs.readEach([at('src/a.txt')], { maxBytes: 100 }, (_, __, error) => {
        told.push(error?.code)
      })
      expect(told).toEqual(['io_error'])
      await expect(commit(fs, write(fs, 'src/a.txt', 'x', hashOf(fs, 'a\n')))).rejects.toMatchObject({ code: 'io_error' })
      expect(new Set(asked)).toEqual(new Set([oid]))
      const workspace = await openWorkspace({ fs })
      expect((await workspace.call('grep', { pattern: 'a' })).result).toMatchObject({
        files: 0,
        truncated: expect.stringMatching(/^6 files could not be read, the first is README\.md/),
      })
      // What was never looked at can be committed all the same.
      await commit(fs, write(fs, 'src/new', 'x'))
      const { commit: made } = await fs.repository.makeCommit({ message: 'New', author: ADA }, draft())
      expect(runGit(clone, 'diff-tree', '-r', '--name-status', `${made.oid}~`, made.oid)).toBe('A\tsrc/new')
      await fs.close()
    } finally {
      remove()
    }
  }))

test('names of workspaces', () =>
  onRepository(async ({ open }) => {
    for (const workspace of ['', '.', '..', 'a/b', 'a..b', 'a.lock', '-a', 'ä', 'x'.repeat(65), 'a b', 'a~1']) {
      await expect(open({ workspace })).rejects.toMatchObject({ code: 'invalid_name' })
    }
    for (const workspace of ['a', 'A.b-c_9', 'x'.repeat(64)]) await open({ workspace })
  }))
