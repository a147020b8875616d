/** Commits of real repositories and bundles as workspaces in memory: what git made is read, and nothing on disk changes. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { GitFiles } from '../../src/git/files.ts'
import { finalChanges, finalDiff, repo } from '../../src/testing/index.ts'
import { fromCommit } from '../../src/testing/node.ts'
import { openSeed, seedOf } from '../../src/testing/repo.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { copyOut } from '../git/copied.ts'
import { commitFiles, fsck, git, initRepository, sampleRepository, tempDir } from '../git/real_git.ts'

function temporary(): string {
  const { dir, remove } = tempDir()
  onTestFinished(remove)
  return dir
}

/** Two commits, and a file that is in none. */
function repository(): string {
  const dir = join(temporary(), 'work')
  initRepository(dir)
  commitFiles(dir, 'First', { 'a.txt': 'one\n', 'bin/run*': '#!/bin/sh\n', link: '-> a.txt' })
  commitFiles(dir, 'Second', { 'a.txt': 'two\n' })
  writeFileSync(join(dir, 'a.txt'), 'not committed\n')
  return dir
}

/** Everything about a folder that a program could change. */
function look(dir: string): string {
  const lines = readdirSync(dir, { recursive: true }).map((name) => {
    const path = join(dir, String(name))
    const stats = lstatSync(path)
    const content = stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
    return `${name} ${stats.mode} ${stats.mtimeMs} ${stats.ino} ${content}`
  })
  return lines.sort().join('\n')
}

async function paths(workspace: Workspace): Promise<string[]> {
  const found: string[] = []
  for await (const page of (await workspace.view()).scan('' as never)) for (const { path } of page) found.push(path)
  return found
}

async function read(workspace: Workspace, path: string): Promise<string> {
  return (await workspace.call('read', { path })).text
}

describe('fromCommit', () => {
  test('a worktree: what is committed, not what lies there', async () => {
    const dir = repository()
    const before = look(dir)
    const workspace = await fromCommit(dir)
    expect(await paths(workspace)).toEqual(['a.txt', 'bin', 'bin/run', 'link'])
    expect(await read(workspace, 'a.txt')).toBe('two\n')
    expect(await finalDiff(workspace)).toBe('')
    await workspace.call('edit', { path: 'a.txt', old: 'two', new: 'three' })
    await workspace.call('write', { path: 'new.txt', content: 'x' })
    const committed = await workspace.call('git_commit', { message: 'In memory' })
    expect(committed.error).toBeNull()
    expect((await finalChanges(workspace)).map(({ path }) => path)).toEqual(['a.txt', 'new.txt'])
    await workspace.close()
    expect(look(dir)).toBe(before)
    fsck(dir)
  })

  test.each([
    ['HEAD~1', 'one\n'],
    ['main', 'two\n'],
    ['v1', 'one\n'],
  ])('at %s', async (ref, content) => {
    const dir = repository()
    git(dir, 'tag', '-a', 'v1', '-m', 'One', 'HEAD~1')
    expect(await read(await fromCommit(dir, ref), 'a.txt')).toBe(content)
  })

  test('a bare repository with packs, one that borrows objects, and a linked worktree', async () => {
    const dir = join(temporary(), 'sample')
    sampleRepository(dir)
    git(dir, 'gc', '-q')
    const there = git(dir, 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean)
    git(dir, 'clone', '-q', '--bare', dir, `${dir}.git`)
    git(dir, 'clone', '-q', '--shared', dir, `${dir}-shared`)
    git(dir, 'worktree', 'add', '-q', `${dir}-linked`)
    for (const place of [`${dir}.git`, `${dir}-shared`, `${dir}-linked`]) {
      const before = look(place)
      const workspace = await fromCommit(place)
      expect((await paths(workspace)).filter((path) => there.includes(path)).sort()).toEqual(there.sort())
      await workspace.call('write', { path: 'README.md', content: 'changed\n' })
      await workspace.close()
      expect(look(place)).toBe(before)
    }
  })

  test('workspaces that are in the repository already are not seen', async () => {
    const dir = repository()
    git(dir, 'update-ref', 'refs/filewright/workspaces/main', 'HEAD~1')
    git(dir, 'update-ref', 'refs/filewright/main', 'HEAD~1')
    const workspace = await fromCommit(dir)
    expect([await read(workspace, 'a.txt'), await workspace.log()]).toEqual(['two\n', []])
    expect(git(dir, 'rev-parse', 'refs/filewright/main')).toBe(git(dir, 'rev-parse', 'HEAD~1'))
  })

  test('a bundle', async () => {
    const dir = repository()
    const file = join(temporary(), 'a.bundle')
    git(dir, 'bundle', 'create', '-q', file, '--all', 'HEAD')
    const before = readFileSync(file)
    const workspace = await fromCommit(file)
    expect(await read(workspace, 'a.txt')).toBe('two\n')
    expect((await workspace.call('git_log', {})).text).toContain('First')
    expect(await read(await fromCommit(file, 'main~1'), 'a.txt')).toBe('one\n')
    git(dir, 'bundle', 'create', '-q', file, 'main')
    expect(await read(await fromCommit(file), 'a.txt')).toBe('two\n')
    expect(before.length).toBeGreaterThan(100)
    git(dir, 'tag', 'first', 'main~1')
    git(dir, 'bundle', 'create', '-q', file, 'first')
    expect(await read(await fromCommit(file), 'a.txt')).toBe('one\n')
  })

  test('what cannot be opened', async () => {
    const dir = repository()
    const folder = temporary()
    const [part, cut, none] = [join(folder, 'part.bundle'), join(folder, 'cut.bundle'), join(folder, 'none.bundle')]
    git(dir, 'bundle', 'create', '-q', part, 'HEAD~1..main')
    git(dir, 'bundle', 'create', '-q', cut, 'main')
    truncateSync(cut, lstatSync(cut).size - 30)
    writeFileSync(none, 'text\n')
    await expect(fromCommit(part)).rejects.toMatchObject({ code: 'unsupported' })
    await expect(fromCommit(cut)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(fromCommit(none)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(fromCommit(join(folder, 'missing'))).rejects.toMatchObject({ code: 'not_found' })
    await expect(fromCommit(folder)).rejects.toMatchObject({ code: 'not_found' })
    await expect(fromCommit(dir, 'no-such-branch')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('repo as a repository', () => {
  const FILES = { 'a.txt': 'one\n', 'bin/run': { text: 'run\n', mode: 0o755 }, link: { link: 'a.txt' }, 'ä.txt': 'x', 'dir/b': 'b\n' }

  test('one commit, whose name is always the same, and which git finds sound', async () => {
    const [first, second] = [await repo(FILES), await repo(FILES)]
    const [status, again] = [await first.fs.repository?.status(), await second.fs.repository?.status()]
    expect(status).toEqual(again)
    expect(status?.changes).toEqual([])
    const log = (await first.fs.repository?.log()) ?? []
    expect(log.map(({ message, parents }) => [message, parents])).toEqual([['The files that the test begins with\n', []]])
    const dir = temporary()
    const seed = await seedOf(FILES)
    await copyOut(seed.git, dir)
    fsck(dir)
    expect(git(dir, 'rev-parse', 'main')).toBe(log[0]?.oid)
    expect(git(dir, 'ls-tree', '-r', 'main').replace(/ [0-9a-f]{40}/g, '')).toBe(
      ['100644 blob\ta.txt', '100755 blob\tbin/run', '100644 blob\tdir/b', '120000 blob\tlink', '100644 blob\t"\\303\\244.txt"'].join('\n'),
    )
  })

  test('two runs of the same work have the same commits and records', async () => {
    const run = async (): Promise<unknown> => {
      const workspace = await repo(FILES)
      await workspace.call('edit', { path: 'a.txt', old: 'one', new: 'two' })
      await workspace.call('git_commit', { message: 'Two', author: { name: 'Ada', email: 'ada@example.org' } })
      await workspace.call('write', { path: 'c.txt', content: 'c' })
      return [(await workspace.fs.repository?.status())?.base, (await workspace.log()).map(({ record }) => record.hash)]
    }
    const first = await run()
    expect(JSON.stringify(first)).toMatch(/^\["[0-9a-f]{40}",\["[0-9a-f]{64}"/)
    expect(await run()).toEqual(first)
  })

  test('workspaces over one seed do not see each other, and leave it as it is', async () => {
    const seed = await seedOf(FILES)
    const refs = async (files: GitFiles): Promise<unknown> => [[...(await files.list('refs'))], [...(await files.list('objects/pack'))]]
    const before = await refs(seed.git)
    const [first, second] = [await openSeed(seed), await openSeed(seed)]
    await first.call('write', { path: 'a.txt', content: 'first\n' })
    expect(await read(second, 'a.txt')).toBe('one\n')
    expect(await refs(seed.git)).toEqual(before)
    await first.close()
    expect(await read(second, 'a.txt')).toBe('one\n')
  })

  test('what no commit holds is there all the same', async () => {
    const workspace = await repo({ ...FILES, empty: { directory: true }, 'sub/.git/config': '[core]\n' })
    expect(await paths(workspace)).toEqual(expect.arrayContaining(['empty', 'sub/.git/config']))
    expect(await finalDiff(workspace)).toBe('')
    expect((await workspace.fs.repository?.status())?.changes).toEqual([])
  })

  test.each([
    ['a path that leaves', { '../x': '' }, 'outside_root'],
    ['a file and a directory', { a: '', 'a/b': '' }, 'invalid_argument'],
  ])('refuses %s', async (_, files, code) => {
    await expect(repo(files as never)).rejects.toMatchObject({ code })
  })

  test('an empty one has no commit', async () => {
    const workspace = await repo({})
    expect((await workspace.fs.repository?.status())?.base).toBeNull()
    await workspace.call('write', { path: 'a', content: 'x' })
    expect((await finalChanges(workspace)).map(({ path }) => path)).toEqual(['a'])
  })
})
