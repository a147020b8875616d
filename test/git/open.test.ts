/** Repositories are opened and begun: every kind that git makes, and none that we would misread. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import { initNodeGitDirectory, openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { initGitDirectory, openGitDirectory } from '../../src/git/open.ts'
import { temporaryPath } from '../../src/git/temporary.ts'
import { copyOut } from './copied.ts'
import { temporaryFolder } from './folder.ts'
import { commitFiles, fsck, git, initRepository, sampleRepository } from './real_git.ts'

const codeOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'none',
    (error: { code: string }) => error.code,
  )

describe('pipes in place of files', () => {
  it('are never waited for', async () => {
    const oid = 'abcdefabcdefabcdefabcdefabcdefabcdefabcd' as Oid
    const openAll = async (dir: string): Promise<void> => {
      const opening = await openNodeGitDirectory(dir)
      await opening.refs.head()
      await opening.refs.list('refs/')
      await opening.objects.read(oid)
    }
    for (const name of ['.git', '.git/commondir', '.git/HEAD', '.git/config', '.git/packed-refs', `.git/objects/ab/${oid.slice(2)}`]) {
      const dir = temporaryFolder()
      if (name !== '.git') initRepository(dir)
      const path = join(dir, name)
      rmSync(path, { force: true, recursive: true })
      mkdirSync(join(path, '..'), { recursive: true })
      execFileSync('mkfifo', [path])
      expect([name, await codeOf(openAll(dir))]).toEqual([name, 'not_regular'])
    }
  })
})

describe('beginning a repository', () => {
  it('on disk, with a worktree: git works in it', async () => {
    const dir = join(temporaryFolder(), 'new')
    const { refs, config } = await initNodeGitDirectory(dir, { defaultBranch: 'trunk' })
    expect(await refs.head()).toEqual({ branch: 'refs/heads/trunk', oid: null })
    expect((await config()).boolean('core.bare')).toBe(false)
    expect(git(dir, 'status', '--porcelain', '--branch')).toBe('## No commits yet on trunk')
    fsck(dir)
    const tip = commitFiles(dir, 'first', { a: 'a\n' })
    expect(await refs.head()).toEqual({ branch: 'refs/heads/trunk', oid: tip })
    const again = await initNodeGitDirectory(dir)
    expect(await again.refs.head()).toEqual({ branch: 'refs/heads/trunk', oid: tip })
    fsck(dir)
  })

  it('on disk, bare', async () => {
    const dir = join(temporaryFolder(), 'bare.git')
    await initNodeGitDirectory(dir, { bare: true })
    expect(git(dir, 'rev-parse', '--is-bare-repository')).toBe('true')
    fsck(dir)
  })

  it('in memory: git takes it when it is copied out', async () => {
    const files = createMemoryGitFiles()
    await initGitDirectory(files)
    const dir = temporaryFolder()
    await copyOut(files, dir)
    fsck(dir)
    expect(git(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  })

  it('keeps settings that are there, and refuses a bad branch', async () => {
    const files = createMemoryGitFiles()
    await files.write('config', new TextEncoder().encode('# mine\n[user]\n\tname = A\n'))
    expect(await codeOf(initGitDirectory(files, { defaultBranch: '-x' }))).toBe('invalid_name')
    const { config } = await initGitDirectory(files)
    expect((await config()).get('user.name')).toBe('A')
    expect(new TextDecoder().decode((await files.read('config')) as Uint8Array)).toMatch(/^# mine\n/)
  })
})

describe('opening a repository', () => {
  it('of a worktree, bare, a linked worktree, a submodule, one that borrows objects', async () => {
    const parent = temporaryFolder()
    const main = join(parent, 'main')
    sampleRepository(main)
    const tip = git(main, 'rev-parse', 'HEAD')
    git(parent, 'clone', '-q', '--bare', 'main', 'bare')
    git(main, 'worktree', 'add', '-q', '--detach', '../linked')
    git(parent, 'clone', '-q', '--shared', 'main', 'shared')
    const outer = join(parent, 'outer')
    initRepository(outer)
    git(outer, 'submodule', '--quiet', 'add', main, 'inner')
    git(outer, 'commit', '-q', '-m', 'with a submodule')
    for (const name of ['main', 'main/.git', 'bare', 'linked', 'shared', 'outer/inner']) {
      const { refs, objects, close } = await openNodeGitDirectory(join(parent, name))
      const { oid } = await refs.head()
      expect([name, oid]).toEqual([name, tip])
      expect((await objects.read(oid as never)).type).toBe('commit')
      await close()
    }
    expect(await codeOf(openNodeGitDirectory(parent))).toBe('not_found')
    expect(await codeOf(openNodeGitDirectory(join(parent, 'none')))).toBe('not_found')
    for (const name of ['main', 'bare', 'shared', 'outer']) fsck(join(parent, name))
  })

  it('reads what ends a shallow clone, and settings of one worktree', async () => {
    const parent = temporaryFolder()
    sampleRepository(join(parent, 'main'))
    git(parent, 'clone', '-q', '--depth', '2', `file://${parent}/main`, 'clone')
    const dir = join(parent, 'clone')
    git(dir, 'config', 'extensions.worktreeConfig', 'true')
    git(dir, 'config', 'core.repositoryFormatVersion', '1')
    git(dir, 'config', '--worktree', 'filewright.test', 'own')
    const { shallow, config } = await openNodeGitDirectory(dir)
    expect([...(await shallow())].sort()).toEqual(readFileSync(join(dir, '.git/shallow'), 'utf8').trim().split('\n').sort())
    expect((await config()).get('filewright.test')).toBe('own')
    git(dir, 'config', '--worktree', 'filewright.test', 'changed')
    expect((await config()).get('filewright.test')).toBe('changed')
    git(dir, 'fetch', '-q', '--unshallow')
    expect(await shallow()).toEqual(new Set())
    fsck(dir)
  })

  it('refuses formats that it would misread', async () => {
    const parent = temporaryFolder()
    git(parent, 'init', '-q', '--object-format=sha256', 'sha256')
    expect(await codeOf(openNodeGitDirectory(join(parent, 'sha256')))).toBe('unsupported')
    const plain = join(parent, 'plain')
    initRepository(plain)
    const config = readFileSync(join(plain, '.git/config'), 'utf8')
    const withSettings = async (text: string): Promise<string> => {
      writeFileSync(join(plain, '.git/config'), `${config.replace('version = 0', 'version = 1')}${text}`)
      return codeOf(openNodeGitDirectory(plain))
    }
    expect(await withSettings('[extensions]\n\trefStorage = reftable\n')).toBe('unsupported')
    expect(await withSettings('[extensions]\n\tsomethingNew = true\n')).toBe('unsupported')
    expect(await withSettings('[core]\n\trepositoryformatversion = 2\n')).toBe('unsupported')
    expect(await withSettings('[extensions]\n\tpartialClone = origin\n\tobjectFormat = sha1\n')).toBe('none')
    expect(await withSettings('[broken\n')).toBe('corrupt')
  })

  it('removes what was left long ago, and nothing younger', async () => {
    const files = createMemoryGitFiles()
    await initGitDirectory(files)
    const old = temporaryPath('objects/pack', Date.now() - 2 * 24 * 3600_000)
    const young = temporaryPath('objects/pack')
    for (const path of [old, young]) await files.write(path, new Uint8Array(3))
    await openGitDirectory(files)
    expect(await files.read(old)).toBeNull()
    expect(await files.read(young)).not.toBeNull()
  })

  it('finds a linked worktree whose repository is gone to be none', async () => {
    const parent = temporaryFolder()
    mkdirSync(join(parent, 'x'))
    writeFileSync(join(parent, 'x/.git'), 'gitdir: ../gone/.git/worktrees/x\n')
    expect(await codeOf(openNodeGitDirectory(join(parent, 'x')))).toBe('not_found')
    rmSync(join(parent, 'x/.git'))
  })
})
