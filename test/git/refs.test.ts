/** References: against git's own, on disk and in memory. */
import { mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import { openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import type { GitDirectory } from '../../src/git/directory.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { branchRef, isRefName } from '../../src/git/ref_names.ts'
import { temporaryFolder } from './folder.ts'
import { commitFiles, fsck, git, initRepository, sampleRepository, tryGit } from './real_git.ts'

async function opened(dir: string): Promise<GitDirectory> {
  const opening = await openNodeGitDirectory(dir, { durability: 'process', lockWaitMs: 200 })
  onTestFinished(() => void opening.close())
  return opening
}

/** A repository with two commits. */
function twoCommits(): { readonly dir: string; readonly one: Oid; readonly two: Oid } {
  const dir = temporaryFolder()
  initRepository(dir)
  const one = commitFiles(dir, 'one', { a: '1\n' }) as Oid
  const two = commitFiles(dir, 'two', { a: '2\n' }) as Oid
  return { dir, one, two }
}

const allRefs = (dir: string): string[] => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)').split('\n').filter(Boolean)
const codeOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'none',
    (error: { code: string }) => error.code,
  )

describe('names of references', () => {
  it('are those that git check-ref-format takes', () => {
    const part = fc.constantFrom(
      'a',
      'B',
      '.',
      '..',
      '/',
      '@',
      '{',
      '@{',
      '.lock',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      ']',
      '\\',
      ' ',
      '\x7f',
      '\t',
      '-',
      'ü',
      '名',
      'x',
      '!',
      '#',
    )
    const dir = temporaryFolder()
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const name = parts.join('')
        expect([name, isRefName(name)]).toEqual([name, tryGit(dir, ['check-ref-format', name]).status === 0])
        const isBranch = tryGit(dir, ['check-ref-format', '--branch', name]).status === 0
        let ours = true
        try {
          branchRef(name)
        } catch {
          ours = false
        }
        // `@` and `@{-1}` stand for other branches, which is none of ours.
        if (name !== '@' && !name.includes('@{')) expect([name, ours]).toEqual([name, isBranch])
      }),
      { numRuns: Number(process.env.FILEWRIGHT_RUNS ?? 120) },
    )
  })
})

describe('references on disk', () => {
  it('are what git says they are, loose and packed', async () => {
    const dir = temporaryFolder()
    sampleRepository(dir)
    git(dir, 'pack-refs', '--all')
    commitFiles(dir, 'later', { later: 'x' })
    git(dir, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main')
    git(dir, 'symbolic-ref', 'refs/remotes/origin/none', 'refs/heads/none')
    const { refs } = await opened(dir)
    expect((await refs.list('refs/')).map(({ oid, name }) => `${oid} ${name}`)).toEqual(allRefs(dir))
    expect((await refs.list('refs/heads/to')).map(({ name }) => name)).toEqual(['refs/heads/topic/one'])
    expect(await refs.head()).toEqual({ branch: 'refs/heads/main', oid: git(dir, 'rev-parse', 'HEAD') })
    expect(await refs.read('refs/remotes/origin/HEAD')).toBe(git(dir, 'rev-parse', 'main'))
    expect(await refs.read('refs/remotes/origin/none')).toBeNull()
    const tag = (await refs.list('refs/tags/')).find(({ name }) => name === 'refs/tags/v1.0')
    expect(tag?.peeled).toBe(git(dir, 'rev-parse', 'v1.0^{}'))
    git(dir, 'symbolic-ref', '-d', 'refs/remotes/origin/none')
    git(dir, 'checkout', '-q', '--detach')
    expect(await refs.head()).toEqual({ branch: null, oid: git(dir, 'rev-parse', 'HEAD') })
    fsck(dir)
  })

  it('are set where they are as expected, loose, packed, symbolic, new and gone', async () => {
    const { dir, one, two } = twoCommits()
    const { refs } = await opened(dir)
    expect(await refs.update({ name: 'refs/heads/new', from: null, to: one })).toBe(true)
    expect(await refs.update({ name: 'refs/heads/new', from: null, to: two })).toBe(false)
    git(dir, 'pack-refs', '--all')
    expect(await refs.update({ name: 'refs/heads/new', from: two, to: two })).toBe(false)
    expect(await refs.update({ name: 'refs/heads/new', from: one, to: two })).toBe(true)
    expect(git(dir, 'rev-parse', 'refs/heads/new')).toBe(two)
    expect(await refs.update({ name: 'refs/heads/new', from: two, to: null })).toBe(true)
    expect(tryGit(dir, ['rev-parse', '--verify', '-q', 'refs/heads/new']).status).not.toBe(0)
    expect(readFileSync(join(dir, '.git/packed-refs'), 'utf8')).toMatch(
      /^# pack-refs with: peeled fully-peeled sorted \n[0-9a-f]{40} refs\/heads\/main\n$/,
    )
    expect(await refs.update({ name: 'HEAD', from: two, to: one })).toBe(true)
    expect(git(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(git(dir, 'rev-parse', 'main')).toBe(one)
    expect(await refs.update({ name: 'refs/heads/none', from: null, to: null })).toBe(true)
    await refs.setSymbolic('HEAD', 'refs/heads/unborn')
    expect(await refs.head()).toEqual({ branch: 'refs/heads/unborn', oid: null })
    git(dir, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    git(dir, 'reset', '-q', '--hard')
    fsck(dir)
  })

  it('never stand in each other’s way: a directory is no name', async () => {
    const { dir, one } = twoCommits()
    const { refs } = await opened(dir)
    await refs.update({ name: 'refs/heads/a/b', from: null, to: one })
    for (const pack of [false, true]) {
      if (pack) git(dir, 'pack-refs', '--all')
      expect(await codeOf(refs.update({ name: 'refs/heads/a', from: null, to: one }))).toBe('conflict')
      expect(await codeOf(refs.update({ name: 'refs/heads/a/b/c', from: null, to: one }))).toBe('conflict')
    }
    expect(await refs.update({ name: 'refs/heads/a/b', from: one, to: null })).toBe(true)
    expect(await refs.update({ name: 'refs/heads/a', from: null, to: one })).toBe(true)
    expect(git(dir, 'rev-parse', 'a')).toBe(one)
    fsck(dir)
  })

  it('have names that git allows', async () => {
    const { dir, one } = twoCommits()
    const { refs } = await opened(dir)
    for (const name of ['refs/heads/a..b', 'refs/heads/.a', 'heads/x', 'x', 'refs/heads/a.lock', '../x', 'refs/../../x', 'refs/heads/']) {
      expect(await codeOf(refs.update({ name, from: null, to: one }))).toBe('invalid_name')
    }
    expect(await refs.read('../config')).toBeNull()
  })

  it('broken ones are told when asked for, and left out of lists', async () => {
    const { dir } = twoCommits()
    const { refs } = await opened(dir)
    writeFileSync(join(dir, '.git/refs/heads/broken'), 'nonsense\n')
    writeFileSync(join(dir, '.git/refs/heads/empty'), '')
    writeFileSync(join(dir, '.git/refs/heads/loop'), 'ref: refs/heads/loop\n')
    for (const name of ['broken', 'empty', 'loop']) expect(await codeOf(refs.read(`refs/heads/${name}`))).toBe('corrupt')
    expect((await refs.list('refs/heads/')).map(({ name }) => name)).toEqual(['refs/heads/main'])
  })

  it('that stand in packed-refs under a name that git refuses are left out', async () => {
    const { dir, one } = twoCommits()
    const bad = ['refs/heads/../../hooks/x', 'refs/heads/a b', '../x', 'refs/heads/x.lock']
    writeFileSync(join(dir, '.git/packed-refs'), [...bad, 'refs/tags/good'].map((name) => `${one} ${name}\n`).join(''))
    const { refs } = await opened(dir)
    expect((await refs.list('')).map(({ name }) => name)).toEqual(['refs/heads/main', 'refs/tags/good'])
  })

  it('are symbolic links where git is told to prefer them, also where they lead to nothing yet', async () => {
    const { dir, one } = twoCommits()
    const head = join(dir, '.git/HEAD')
    for (const branch of ['main', 'unborn']) {
      rmSync(head)
      symlinkSync(`refs/heads/${branch}`, head)
      expect(git(dir, 'symbolic-ref', 'HEAD')).toBe(`refs/heads/${branch}`)
      const { refs } = await opened(dir)
      expect(await refs.head()).toMatchObject({ branch: `refs/heads/${branch}` })
      expect([...(await refs.checkedOut())]).toEqual([`refs/heads/${branch}`])
    }
    symlinkSync('refs/heads/main', join(dir, '.git/refs/heads/other'))
    const { refs } = await opened(dir)
    expect(await refs.leadsTo('refs/heads/other')).toBe('refs/heads/main')
    await refs.setSymbolic('HEAD', 'refs/heads/main')
    expect(git(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(git(dir, 'rev-parse', 'main~')).toBe(one)
  })

  it('do not lead out by symbolic links', async () => {
    const { dir, one } = twoCommits()
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'secret'), `${one}\n`)
    mkdirSync(join(outside, 'dir'))
    symlinkSync(join(outside, 'secret'), join(dir, '.git/refs/heads/link'))
    symlinkSync(join(outside, 'dir'), join(dir, '.git/refs/heads/dir'))
    const { refs } = await opened(dir)
    expect((await refs.list('refs/')).map(({ name }) => name)).toEqual(['refs/heads/main'])
    expect(await codeOf(refs.read('refs/heads/link'))).toBe('outside_root')
    expect(await codeOf(refs.update({ name: 'refs/heads/dir/x', from: null, to: one }))).toBe('outside_root')
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe(`${one}\n`)
  })

  it('that another program has locked are a conflict that names the lock', async () => {
    const { dir, one, two } = twoCommits()
    const { refs } = await opened(dir)
    const lock = join(dir, '.git/refs/heads/main.lock')
    writeFileSync(lock, '')
    const failure = await refs.update({ name: 'refs/heads/main', from: two, to: one }).then(
      () => null,
      (error: Error) => error,
    )
    expect(failure).toMatchObject({ code: 'conflict', details: { lock: 'refs/heads/main.lock' } })
    rmSync(lock)
    expect(await refs.update({ name: 'refs/heads/main', from: two, to: one })).toBe(true)
  })

  it('a lock of ours whose process is gone is taken away; that of a living one is not', async () => {
    const { dir, one, two } = twoCommits()
    const lock = join(dir, '.git/refs/heads/main.lock')
    const { files, refs } = await opened(dir)
    let mark = ''
    await files.update('refs/heads/main', () => {
      mark = readlinkSync(lock)
      return undefined
    })
    expect(mark).toContain(` ${process.pid} `)
    const parts = mark.split(' ')
    const changed = (at: number, value: string): string => parts.with(at, value).join(' ')
    // It lives, it is of another machine, or of another name space of processes: nobody knows.
    for (const other of [mark, changed(1, 'elsewhere'), changed(3, 'space'), 'somebody']) {
      symlinkSync(other, lock)
      expect(await codeOf(refs.update({ name: 'refs/heads/main', from: two, to: one }))).toBe('conflict')
      rmSync(lock)
    }
    // Its number is nobody's, or another's by now, or the machine was started anew.
    let [from, to] = [two, one]
    for (const dead of [changed(4, '4194000'), changed(5, '1'), changed(2, 'boot')]) {
      symlinkSync(dead, lock)
      expect(await refs.update({ name: 'refs/heads/main', from, to })).toBe(true)
      ;[from, to] = [to, from]
    }
    git(dir, 'reset', '-q', '--hard')
    fsck(dir)
  })

  it('reflogs are those that git would write', async () => {
    const { dir, one, two } = twoCommits()
    const { refs } = await opened(dir)
    const by = { name: 'A <U>', email: 'a@example.com', timeMs: 1_700_000_000_000, offsetMinutes: -90 }
    await refs.update({ name: 'refs/heads/main', from: two, to: one, message: 'reset:\n moved', by })
    await refs.update({ name: 'refs/heads/side', from: null, to: one, message: 'branch', by })
    await refs.update({ name: 'refs/filewright/x', from: null, to: one, message: 'none', by })
    await refs.update({ name: 'refs/tags/x', from: null, to: one, message: 'none', by })
    expect(git(dir, 'reflog', 'show', '--format=%gn %ge %gs %H', '-1', 'main')).toBe(`A U a@example.com reset: moved ${one}`)
    expect(git(dir, 'reflog', '-1', '--format=%gs')).toBe('reset: moved')
    expect(readFileSync(join(dir, '.git/logs/refs/heads/side'), 'utf8')).toBe(
      `${'0'.repeat(40)} ${one} A U <a@example.com> 1700000000 -0130\tbranch\n`,
    )
    for (const name of ['refs/filewright/x', 'refs/tags/x']) expect(tryGit(dir, ['reflog', 'exists', name]).status).not.toBe(0)
    await refs.update({ name: 'refs/heads/side', from: one, to: null })
    expect(tryGit(dir, ['reflog', 'exists', 'refs/heads/side']).status).not.toBe(0)
    await refs.update({ name: 'refs/heads/side/deep', from: null, to: one, message: 'again', by })
    git(dir, 'reset', '-q', '--hard')
    fsck(dir)
  })

  it('of worktrees: their own HEAD, the shared rest, and what is checked out anywhere', async () => {
    const { dir, one, two } = twoCommits()
    const linked = join(temporaryFolder(), 'linked')
    git(dir, 'worktree', 'add', '-q', '-b', 'side', linked, one)
    git(dir, 'branch', 'rebased', two)
    git(dir, 'branch', 'free', two)
    const main = await opened(dir)
    const other = await opened(linked)
    expect(await main.refs.head()).toEqual({ branch: 'refs/heads/main', oid: two })
    expect(await other.refs.head()).toEqual({ branch: 'refs/heads/side', oid: one })
    mkdirSync(join(dir, '.git/rebase-merge'))
    writeFileSync(join(dir, '.git/rebase-merge/head-name'), 'refs/heads/rebased\n')
    const all = new Set(['refs/heads/main', 'refs/heads/side', 'refs/heads/rebased'])
    expect(await main.refs.checkedOut()).toEqual(all)
    expect(await other.refs.checkedOut()).toEqual(all)
    rmSync(join(dir, '.git/rebase-merge'), { recursive: true })
    expect(await other.refs.update({ name: 'refs/heads/free', from: two, to: one })).toBe(true)
    expect(await main.refs.read('refs/heads/free')).toBe(one)
    expect(await other.refs.update({ name: 'refs/worktree/own', from: null, to: one })).toBe(true)
    expect(await main.refs.read('refs/worktree/own')).toBeNull()
    expect(git(linked, 'rev-parse', 'refs/worktree/own')).toBe(one)
    for (const [place, at] of [
      [main, dir],
      [other, linked],
    ] as const) {
      expect((await place.refs.list('refs/')).map(({ oid, name }) => `${oid} ${name}`)).toEqual(allRefs(at))
    }
    const bare = join(temporaryFolder(), 'bare')
    git(dir, 'clone', '-q', '--bare', dir, bare)
    expect(await (await opened(bare)).refs.checkedOut()).toEqual(new Set())
    fsck(dir)
  })
})

describe('references in memory', () => {
  it('follow the same rules', async () => {
    const files = createMemoryGitFiles()
    const { refs, objects } = await initGitDirectory(files, { defaultBranch: 'trunk' })
    expect(await refs.head()).toEqual({ branch: 'refs/heads/trunk', oid: null })
    const { oid } = await objects.writeBlob(new TextEncoder().encode('x'))
    expect(await refs.update({ name: 'refs/filewright/a', from: null, to: oid })).toBe(true)
    expect(await refs.update({ name: 'refs/filewright/a', from: null, to: oid })).toBe(false)
    expect(await codeOf(refs.update({ name: 'refs/filewright/a/b', from: null, to: oid }))).toBe('conflict')
    expect(await (await openGitDirectory(files)).refs.list('refs/')).toEqual([{ name: 'refs/filewright/a', oid }])
    expect(await refs.update({ name: 'refs/filewright/a', from: oid, to: null })).toBe(true)
    expect(await refs.list('refs/')).toEqual([])
    expect(await refs.checkedOut()).toEqual(new Set())
  })
})
