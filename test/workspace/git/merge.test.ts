/** Merges through the door: one change that an undo takes back, with the merge itself, and a commit of both that ends it. */
import { symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import type { Oid } from '../../../src/core/repository.ts'
import type { WorkspaceGit } from '../../../src/workspace/git/git.ts'
import { commitFiles } from '../../git/real_git.ts'
import { type Place, placeWith } from '../../tools/git/setup.ts'

const BASE = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'dir/c.txt': 'c\n', 'gone.txt': 'g\n' }
const gitOf = ({ workspace }: Place): WorkspaceGit => workspace.git as WorkspaceGit
const read = async ({ workspace }: Place, path: string): Promise<string> => (await workspace.call('read', { path })).text

/** A workspace with a commit of its own, and `main` with others. */
async function diverged(): Promise<Place & { readonly theirs: string; readonly ours: string }> {
  const place = await placeWith(BASE)
  const { say, git, dir } = place
  await say('edit', { path: 'b.txt', old: 'b', new: 'ours' })
  await say('git_commit', { message: 'Ours' })
  git('rm', '-q', 'gone.txt')
  const theirs = commitFiles(dir, 'Theirs', {
    'a.txt': 'one\n2\nthree\n',
    'dir/sub/new.txt': 'new\n',
    'run.sh*': '#!/bin/sh\n',
    link: '-> a.txt',
  })
  return { ...place, theirs, ours: git('rev-parse', 'filewright/main') }
}

const basis = async (place: Place): Promise<readonly [string | null, string | null]> => {
  const { base, merging } = await place.repository.status()
  return [base, merging]
}

describe('a merge without conflicts', () => {
  test('changes the files, is committed with both parents, and comes to the tree that git comes to', async () => {
    const place = await diverged()
    const { git, theirs, ours, workspace, call, say } = place
    const dry = await gitOf(place).merge('main', { dryRun: true })
    expect(dry).toMatchObject({ kind: 'merge', oid: theirs, record: null, conflicts: [] })
    expect(await basis(place)).toEqual([ours, null])
    const told: string[] = []
    workspace.subscribe((event) => event.type === 'change' && told.push(event.record.tool))
    const merged = await gitOf(place).merge('main')
    expect([...merged.paths]).toEqual(dry.paths)
    expect(told).toEqual(['git_merge'])
    expect(merged.record).toMatchObject({ kind: 'call', tool: 'git_merge' })
    expect((await call('git_status', {})).text).toContain(`[merging ${theirs.slice(0, 10)}:`)
    expect(await say('read', { path: 'a.txt' })).toContain('2')
    await expect(gitOf(place).merge('main')).rejects.toMatchObject({ code: 'conflict' })
    expect((await call('git_commit', { message: 'm', paths: ['a.txt'] })).error?.code).toBe('unsupported')
    const { result } = await call('git_commit', { message: 'Merge main' })
    expect(git('log', '-1', '--format=%P', String(result.commit))).toBe(`${ours} ${theirs}`)
    git('checkout', '-q', '-b', 'by-git', ours)
    git('merge', '-q', '--no-ff', '-m', 'Merge', 'main')
    expect(git('rev-parse', 'by-git^{tree}')).toBe(git('rev-parse', `${result.commit}^{tree}`))
    expect(await basis(place)).toEqual([result.commit, null])
    await workspace.verify()
  })

  test.each(['workspace', 'batch'])('is undone with its files, and redone (%s)', async (way) => {
    const place = await diverged()
    const { theirs, ours, workspace, say } = place
    const before = await place.repository.status()
    const { record } = await gitOf(place).merge('main')
    const after = await place.repository.status()
    if (way === 'workspace') await workspace.undo(String(record?.id))
    else await say('batch', { operations: [{ op: 'undo', change: record?.id }] })
    expect(await basis(place)).toEqual([ours, null])
    expect((await place.repository.status()).changes).toEqual(before.changes)
    expect(await workspace.call('read', { path: 'dir/sub' }).then(({ error }) => error?.code)).toBe('not_found')
    await workspace.redo()
    expect(await basis(place)).toEqual([ours, theirs])
    expect((await place.repository.status()).changes).toEqual(after.changes)
    await workspace.undo(String(record?.id))
    expect(await basis(place)).toEqual([ours, null])
    await workspace.verify()
  })

  test('going back behind it forgets it too, and behind its commit only takes back the files', async () => {
    const place = await diverged()
    const { ours, theirs, workspace, say } = place
    const [start] = await workspace.log({ limit: 1 })
    await gitOf(place).merge('main')
    await say('edit', { path: 'a.txt', old: 'three', new: '3' })
    await workspace.revertTo(String(start?.record.id))
    expect(await basis(place)).toEqual([ours, null])
    expect(await read(place, 'a.txt')).toContain('three')
    await workspace.undo('last')
    expect(await basis(place)).toEqual([ours, theirs])
    await say('git_commit', { message: 'Merge' })
    const [committed] = await basis(place)
    await workspace.revertTo(String(start?.record.id))
    expect(await basis(place)).toEqual([committed, null])
    expect(await read(place, 'a.txt')).toContain('three')
  })

  test('is abandoned with the files as they are', async () => {
    const place = await diverged()
    await expect(gitOf(place).abandonMerge()).rejects.toMatchObject({ code: 'not_found' })
    const { record } = await gitOf(place).merge('main')
    const ended = await gitOf(place).abandonMerge()
    expect(ended).toMatchObject({ kind: 'git', tool: 'git_merge', count: 0 })
    expect(await basis(place)).toEqual([place.ours, null])
    expect(await read(place, 'a.txt')).toContain('2')
    await expect(place.workspace.undo(ended.id)).rejects.toMatchObject({ code: 'unsupported' })
    await place.workspace.undo(String(record?.id))
    expect(await read(place, 'a.txt')).toContain('two')
    expect(await basis(place)).toEqual([place.ours, null])
  })
})

describe('a merge with conflicts', () => {
  test('writes markers and tells them, and is not committed before they are gone', async () => {
    const place = await placeWith(BASE)
    const { say, call, dir, git, workspace } = place
    await say('edit', { path: 'a.txt', old: 'two', new: 'ours' })
    await say('git_commit', { message: 'Ours' })
    commitFiles(dir, 'Theirs', { 'a.txt': 'one\ntheirs\nthree\n', 'b.txt': 'theirs\n' })
    const merged = await gitOf(place).merge('main')
    expect(merged.conflicts).toMatchObject([{ path: 'a.txt', kind: 'content' }])
    const { changes } = await workspace.show(String(merged.record?.id))
    expect(changes.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
    const text = await read(place, 'a.txt')
    expect(text).toContain('<<<<<<< filewright/main\nours\n=======\ntheirs\n>>>>>>> main\n')
    const refused = await call('git_commit', { message: 'Merge' })
    expect(refused.error).toMatchObject({ code: 'conflict', field: 'allow_markers' })
    await say('write', { path: 'a.txt', content: 'one\nboth\nthree\n', mode: 'overwrite' })
    const { result } = await call('git_commit', { message: 'Merge' })
    expect(git('show', `${result.commit}:a.txt`)).toBe('one\nboth\nthree')
    expect(git('log', '-1', '--format=%p', String(result.commit)).split(' ')).toHaveLength(2)
  })

  test('of every kind are written, told, undone without a trace, and committed', async () => {
    const place = await placeWith({
      both: 'base\n',
      'bin.dat': Uint8Array.of(0, 1, 2),
      'changed here': 'c\n',
      'changed there': 'c\n',
      link: '-> both',
      run: 'run\n',
      'to dir': 'file\n',
    })
    const { workspace, git, dir, repository } = place
    const write = (path: string, content: string) => ({ op: 'write', path, content, overwrite: true })
    const ours = await workspace.call('batch', {
      operations: [
        write('both', 'ours\n'),
        write('changed here', 'ours\n'),
        { op: 'delete', path: 'changed there' },
        write('added', 'ours\n'),
        write('to dir', 'ours\n'),
        { op: 'delete', path: 'link' },
        write('link/inside', 'ours\n'),
        write('run', 'ours\n'),
        write('a/b/c', 'ours\n'),
      ],
    })
    expect(ours.error, ours.text).toBeNull()
    await workspace.call('git_commit', { message: 'Ours' })
    git('rm', '-q', 'changed here', 'to dir', 'link', 'run')
    commitFiles(dir, 'Theirs', {
      both: 'theirs\n',
      'bin.dat': Uint8Array.of(0, 9, 9),
      'changed there': 'theirs\n',
      added: 'theirs\n',
      'to dir/inside': 'theirs\n',
      link: '-> added',
      'run*': 'run\n',
      a: 'a file\n',
    })
    const tree = async (): Promise<string> => JSON.stringify(await repository.diff(null, 'workspace'))
    const before = await tree()
    const { conflicts, record } = await gitOf(place).merge('main')
    expect(conflicts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['content', 'modify/delete', 'add/add', 'directory/file']))
    const after = await tree()
    expect(after).not.toBe(before)
    await workspace.undo(String(record?.id))
    expect(await tree()).toBe(before)
    await workspace.redo()
    expect(await tree()).toBe(after)
    expect((await workspace.call('git_commit', { message: 'Both', allow_markers: true })).error).toBeNull()
    await workspace.verify()
  })

  test('what may hold secrets is not left out of it, for that would undo it', async () => {
    const place = await placeWith(BASE)
    await place.say('git_commit', { message: 'Ours', allow_empty: true })
    commitFiles(place.dir, 'Theirs', { '.env': 'THEIRS=1\n' })
    await gitOf(place).merge('main')
    expect((await place.call('git_commit', { message: 'Merge' })).error?.code).toBe('sensitive_path')
    const { result } = await place.call('git_commit', { message: 'Merge', allow_sensitive: true })
    expect(place.git('show', `${result.commit}:.env`)).toBe('THEIRS=1')
  })
})

describe('where the workspace stands', () => {
  test('a workspace without commits of its own follows another branch, and goes back', async () => {
    const place = await placeWith(BASE)
    const first = place.git('rev-parse', 'main')
    const second = commitFiles(place.dir, 'Second', { 'a.txt': 'changed\n' })
    await place.say('edit', { path: 'b.txt', old: 'b', new: 'mine' })
    const { kind, record } = await gitOf(place).merge('main')
    expect(kind).toBe('fast-forward')
    expect(await basis(place)).toEqual([second, null])
    expect((await place.repository.status()).changes.map(({ path }) => path)).toEqual(['b.txt'])
    expect((await gitOf(place).merge('main')).kind).toBe('up-to-date')
    await place.workspace.undo(String(record?.id))
    expect(await basis(place)).toEqual([first, null])
    expect((await place.repository.status()).changes.map(({ path }) => path)).toEqual(['b.txt'])
    await place.workspace.redo()
    const { result } = await place.call('git_commit', { message: 'On top' })
    expect(result.parents).toEqual([second])
  })

  test('a branch that somebody else moved on is merged', async () => {
    const place = await diverged()
    const { git, ours } = place
    const tree = git('rev-parse', 'filewright/main^{tree}')
    const moved = git('commit-tree', '-p', ours, '-m', 'By hand', tree)
    git('update-ref', 'refs/heads/filewright/main', moved)
    expect((await place.call('git_commit', { message: 'm', allow_empty: true })).error?.code).toBe('conflict')
    await gitOf(place).merge('refs/heads/filewright/main')
    expect(await basis(place)).toEqual([moved, null])
    const { result } = await place.call('git_commit', { message: 'm', allow_empty: true })
    expect(result.parents).toEqual([moved])
  })

  test('switching takes the files of another commit, and keeps what was changed', async () => {
    const place = await placeWith(BASE)
    const first = place.git('rev-parse', 'main')
    place.git('rm', '-q', 'dir/c.txt')
    const second = commitFiles(place.dir, 'Second', { 'a.txt': 'changed\n', 'dir/c.txt/x': 'deep\n', 'n/e/w.txt': 'w\n' })
    await place.say('write', { path: 'mine.txt', content: 'mine\n' })
    const dry = await gitOf(place).switchTo('main', { dryRun: true })
    expect(await basis(place)).toEqual([first, null])
    const { record, paths } = await gitOf(place).switchTo('main')
    expect(paths).toEqual(dry.paths)
    expect(await basis(place)).toEqual([second, null])
    expect((await place.repository.status()).changes.map(({ path }) => path)).toEqual(['mine.txt'])
    await place.workspace.undo(String(record?.id))
    expect(await basis(place)).toEqual([first, null])
    expect((await place.repository.status()).changes.map(({ path }) => path)).toEqual(['mine.txt'])
    // A directory where the other commit has a file, a file where it has a directory, and the same file.
    for (const path of ['n', 'dir/c.txt', 'a.txt']) {
      await place.say('write', { path, content: 'mine\n', mode: 'overwrite' })
      await expect(gitOf(place).switchTo('main')).rejects.toMatchObject({ code: 'conflict', details: { path } })
      if (path !== 'a.txt') await place.workspace.undo('last')
    }
    await place.say('git_commit', { message: 'Mine' })
    await expect(gitOf(place).switchTo('main')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(gitOf(place).switchTo('nowhere')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a fork begins as this one is, with its journal, and goes its own way', async () => {
    const place = await diverged()
    await place.say('write', { path: 'open.txt', content: 'open\n' })
    await gitOf(place).fork('idea')
    await expect(gitOf(place).fork('idea')).rejects.toMatchObject({ code: 'already_exists' })
    const idea = await place.again({ name: 'idea' })
    expect(await read(idea, 'open.txt')).toContain('open')
    const { result } = await idea.call('git_commit', { message: 'Idea' })
    expect(result.branch).toBe('filewright/idea')
    expect(place.git('rev-parse', 'filewright/main')).toBe(place.ours)
    expect((await place.repository.status()).changes.map(({ path }) => path)).toEqual(['open.txt'])
    await idea.workspace.verify()
    expect(await place.repository.workspaces()).toEqual(['idea', 'main'])
  })

  test('nothing of it happens where nothing may be changed', async () => {
    const place = await placeWith(BASE)
    await place.workspace.close()
    const reading = await place.again({ settings: { readOnly: true } })
    const git = gitOf(reading)
    for (const act of [git.merge('main'), git.switchTo('main'), git.abandonMerge(), git.fork('x')])
      await expect(act).rejects.toMatchObject({ code: 'read_only' })
    expect((await git.merge('main', { dryRun: true })).kind).toBe('up-to-date')
  })
})

describe('what git has not, and what it has as bytes', () => {
  test('directories that hold nothing give way to files, and an undo brings them back', async () => {
    const place = await placeWith(BASE)
    place.git('rm', '-q', '-r', 'dir')
    const theirs = commitFiles(place.dir, 'Theirs', { dir: 'a file now\n', empty: 'a file\n' })
    const made = ['dir/none', 'empty', 'empty/deep'].map((path) => ({ kind: 'makeDirectory', path: path as Path }) as const)
    await place.fs.commit(made, { id: 'made', time: new Date(0).toISOString(), kind: 'call', subject: 'test', tool: 'test', call: null })
    const before = (await place.repository.status()).beside
    const { record } = await gitOf(place).merge('main')
    expect(await place.repository.diff(theirs as Oid, 'workspace')).toEqual([])
    await place.workspace.undo(String(record?.id))
    expect((await place.repository.status()).beside).toEqual(before)
    expect(await read(place, 'dir/c.txt')).toContain('c')
  })

  test('a directory gives no way to a file while it holds what a commit cannot', async () => {
    const place = await placeWith(BASE, { settings: { allowGitInternals: true } })
    commitFiles(place.dir, 'Theirs', { taken: 'a file\n' })
    await place.say('write', { path: 'taken/.git/config', content: 'mine\n' })
    await expect(gitOf(place).merge('main')).rejects.toMatchObject({ code: 'conflict' })
    expect(await read(place, 'taken/.git/config')).toContain('mine')
  })

  test('links lead where they led, whatever their bytes are', async () => {
    const place = await placeWith(BASE)
    const targets = [Buffer.from([0x74, 0xff, 0xfe]), Buffer.from('\ufeffmarked'), Buffer.from('plain')]
    for (const [index, target] of targets.entries()) symlinkSync(target, `${place.dir}/link${index}`)
    const theirs = commitFiles(place.dir, 'Links', {})
    await place.say('write', { path: 'own.txt', content: 'own\n' })
    await gitOf(place).merge('main')
    expect((await place.repository.diff(theirs as Oid, 'workspace')).map(({ path }) => path)).toEqual(['own.txt'])
  })
})

test('a branch that was put back is no merge: the workspace goes there, or the branch comes again', async () => {
  const place = await diverged()
  const { git, ours } = place
  const before = git('rev-parse', 'filewright/main~1')
  git('branch', '-f', 'filewright/main', before)
  await expect(gitOf(place).merge('filewright/main')).rejects.toMatchObject({ code: 'conflict', details: { base: ours, tip: before } })
  expect((await place.call('git_commit', { message: 'm', allow_empty: true })).error?.code).toBe('conflict')
  await gitOf(place).switchTo('filewright/main')
  await place.say('git_commit', { message: 'On', allow_empty: true })
  expect(git('rev-parse', 'filewright/main~1')).toBe(before)
})

test('the commit that ends a merge may leave out a secret of the workspace alone, and none that the merge is about', async () => {
  const place = await diverged()
  await place.say('write', { path: '.env', content: 'KEY=1\n', allow_sensitive: true })
  await gitOf(place).merge('main')
  await place.say('git_commit', { message: 'Merge' })
  expect(place.git('ls-tree', '--name-only', 'filewright/main', '.env')).toBe('')
  expect((await place.repository.status()).changes.map(({ path }) => path)).toEqual(['.env'])
  commitFiles(place.dir, 'Key', { 'site.pem': 'key\n' })
  await gitOf(place).merge('main')
  expect((await place.call('git_commit', { message: 'Merge' })).error?.code).toBe('sensitive_path')
})

test('records of the repository are exported, replayed elsewhere as what changed files, and archived', async () => {
  const place = await diverged()
  await gitOf(place).merge('main')
  await place.say('git_commit', { message: 'Merge' })
  const other = await place.again({ name: 'other', from: 'main~1' })
  const replayed = await other.workspace.replay(place.workspace.exportRecords())
  expect(replayed).toEqual({ records: 2, skipped: 2 })
  expect((await other.repository.status()).merging).toBeNull()
  expect((await other.repository.diff(null, 'workspace')).map(({ path, after }) => [path, after?.oid])).toEqual(
    (await place.repository.diff(null, 'workspace')).map(({ path, after }) => [path, after?.oid]),
  )
  const { openWorkspace } = await import('../../../src/workspace/open.ts')
  const { createMemoryFs } = await import('../../../src/fs/memory.ts')
  const memory = await openWorkspace({ fs: createMemoryFs() })
  await memory.restore(place.workspace.archive())
  expect(await memory.verify()).toEqual(await place.workspace.verify())
  const merge = (await memory.log()).find(({ record }) => record.tool === 'git_merge')
  await memory.undo(String(merge?.record.id))
})
