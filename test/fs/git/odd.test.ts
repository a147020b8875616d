/** What repositories hold that files on disk are not, and what files may be called that git takes into no commit. */
import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import {
  at,
  bytesOf,
  commit,
  copy,
  draft,
  hashOf,
  link,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  scanAll,
  scanPaths,
  utf8,
  write,
} from '../../../src/testing/setup.ts'
import { snapshot } from '../../../src/testing/snapshot.ts'
import { gitBytes } from '../../git/real_git.ts'
import { ADA, onRepository } from './place.ts'

const request = { message: 'Edits', author: ADA }

/** Commits a tree of entries as `git mktree` takes them, to the branch main. */
function commitTree(dir: string, git: (...args: string[]) => string, entries: Buffer): Oid {
  const tree = gitBytes(dir, ['mktree', '-z', '--missing'], { input: entries }).toString().trim()
  const made = git('commit-tree', '-m', 'By hand', tree)
  git('update-ref', 'refs/heads/main', made)
  return made as Oid
}

test('a submodule is listed, cannot be changed, and survives commits and moves of what it is in', () =>
  onRepository(async ({ git, open }) => {
    const other = '1234567890123456789012345678901234567890'
    git('update-index', '--add', '--cacheinfo', `160000,${other},src/sub`)
    git('commit', '-q', '-m', 'Submodule')
    const fs = await open()
    expect(await fs.stat(at('src/sub'))).toMatchObject({ kind: 'special', size: null, hash: null })
    await expect(fs.open(at('src/sub'))).rejects.toMatchObject({ code: 'not_regular' })
    await expect(fs.list(at('src/sub'))).rejects.toMatchObject({ code: 'not_directory' })
    await expect(fs.stat(at('src/sub/x'))).rejects.toMatchObject({ code: 'not_directory' })
    const { version } = await fs.stat(at('src/sub'))
    if (version === null) throw new Error('A submodule has a version.')
    for (const change of [
      write(fs, 'src/sub', 'x', { version }),
      remove('src/sub', { version }),
      move('src/sub', 'y', { version }),
      copy('src/sub', 'y', { version }),
    ]) {
      await expect(commit(fs, change)).rejects.toMatchObject({ code: 'not_regular' })
    }
    await commit(fs, move('src', 'source', 'directory'), write(fs, 'source/new', 'x'))
    const { commit: made } = await fs.repository.makeCommit(request, draft())
    expect(git('ls-tree', made.oid, 'source/sub')).toBe(`160000 commit ${other}\tsource/sub`)
    expect((await scanAll(await open(), 'source')).find(({ path }) => path === 'source/sub')?.kind).toBe('special')
  }))

test('names and links that are not UTF-8 come back byte for byte', () =>
  onRepository(async ({ dir, git, open }) => {
    const blob = git('hash-object', '-w', 'README.md')
    const target = gitBytes(dir, ['hash-object', '-w', '--stdin'], { input: Buffer.from([0xff, 0x2f, 0xfe]) })
      .toString()
      .trim()
    const rows = [`100644 blob ${blob}\tbad`, `120000 blob ${target}\tlink`, `100644 blob ${blob}\tok`]
    const entries = Buffer.concat([Buffer.from(rows[0] as string), Buffer.from([0xff, 0]), Buffer.from(`${rows[1]}\0${rows[2]}\0`)])
    commitTree(dir, git, entries)
    const fs = await open()
    expect(await scanPaths(fs, '')).toEqual(['bad\udcff', 'link', 'ok'])
    expect(await fs.readLink(at('link'))).toBe('\udcff/\udcfe')
    const { target: text } = await fs.stat(at('link'))
    await commit(fs, move('bad\udcff', 'bad\udcfe', hashOf(fs, '# Sample\n')), link('other', '\udcfd'), write(fs, 'x', '1'))
    expect(text).toBe('\udcff/\udcfe')
    await expect(commit(fs, write(fs, 'two\udcc3\udca9', '1'))).rejects.toMatchObject({ code: 'invalid_name' })
    await fs.repository.makeCommit(request, draft())
    const tree = gitBytes(dir, ['ls-tree', '-z', '--name-only', 'filewright/main'])
    expect(tree.equals(Buffer.from([...Buffer.from('bad'), 0xfe, 0, ...Buffer.from('link\0ok\0other\0x\0')]))).toBe(true)
    expect(gitBytes(dir, ['cat-file', 'blob', 'filewright/main:other'])).toEqual(Buffer.from([0xfd]))
  }))

const REFUSED = ['.git', '.GIT', '.Git ', 'git~1', '.git.', '.g\u200cit', '.git::$INDEX_ALLOCATION', 'a\\.git']

test('what git refuses is kept beside, and is in no commit', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    for (const name of REFUSED) {
      await plant(fs, {
        [name]: null,
        [`${name}/sub`]: null,
        [`${name}/sub/config`]: `in ${name}`,
        [`${name}/empty`]: null,
        [`x${name}`]: 'fine',
      })
      await commit(fs, { ...write(fs, `${name}/run`, '#!'), mode: 0o700 }, link(`${name}/link`, 'sub'))
    }
    await commit(fs, link('.gitmodules', 'README.md'), write(fs, 'src/.git', 'gitdir: elsewhere'))
    const before = await snapshot(fs)
    const again = await open()
    expect(await snapshot(again)).toEqual(before)
    const { changes, beside } = await again.repository.status()
    const fine = REFUSED.map((name) => `x${name}`).filter((name) => !name.includes('\\'))
    expect(changes.map(({ path }) => path)).toEqual(fine.sort())
    for (const name of REFUSED) expect(beside).toContain(`${name}/sub/config`)
    expect(beside).toEqual(expect.arrayContaining(['.gitmodules', 'src/.git', '.git/empty', '.git/run', '.git/link']))
    await again.repository.makeCommit(request, draft())
    expect(git('ls-tree', '-r', '--name-only', 'filewright/main')).not.toMatch(/^\.git|\/\.git/m)
    // Out of there, and into it: from then on they are stored as what they are.
    await commit(again, move('.git', 'plain', 'directory'), move('src', '.git', 'directory'))
    await commit(again, write(again, 'plain/sub/more', 'x'))
    const moved = await snapshot(again)
    expect(await snapshot(await open())).toEqual(moved)
    const { commit: made } = await again.repository.makeCommit(request, draft())
    expect(git('ls-tree', '-r', '--name-only', made.oid, 'plain').split('\n')).toEqual([
      'plain/link',
      'plain/run',
      'plain/sub/config',
      'plain/sub/more',
    ])
    expect(git('ls-tree', '-r', '--name-only', made.oid, 'src')).toBe('')
    await commit(again, move('.git', 'src', 'directory'))
    const { commit: back } = await again.repository.makeCommit(request, draft())
    expect(git('rev-parse', `${back.oid}:src/deep`)).toBe(git('rev-parse', 'main:src/deep'))
  }))

test('facts that git does not keep stay with the workspace', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    const mtimeMs = Date.UTC(2001, 1, 1)
    await commit(
      fs,
      { ...write(fs, 'secret', 'x'), mode: 0o600, mtimeMs },
      { ...makeDirectory('private'), mode: 0o700 },
      { ...write(fs, 'src/a.txt', 'a\n', hashOf(fs, 'a\n')), mode: 0o664 },
    )
    expect((await fs.repository.status()).beside).toEqual(['private', 'secret', 'src/a.txt'].filter((path) => path !== 'secret'))
    await fs.repository.makeCommit(request, draft())
    const again = await open()
    expect(await again.stat(at('secret'))).toMatchObject({ mode: 0o600, mtimeMs, size: 1, hash: hashOf(fs, 'x').hash })
    expect(await again.stat(at('private'))).toMatchObject({ mode: 0o700 })
    expect((await again.repository.status()).beside).toEqual(['private', 'secret', 'src/a.txt'])
    expect(git('ls-tree', 'filewright/main', 'secret').slice(0, 6)).toBe('100644')
  }))

test('a large file is staged, read by parts and committed without being held', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    const size = 20 * 1024 * 1024
    async function* parts() {
      for (let part = 0; part < 20; part++) yield new Uint8Array(1024 * 1024).fill(part)
    }
    const content = await fs.stage(parts())
    expect(content.size).toBe(size)
    await fs.commit([{ kind: 'write', path: at('large'), content, expect: 'absent' }], draft())
    const again = await open()
    const reader = await again.open(at('large'))
    const into = new Uint8Array(10)
    await reader.read(7 * 1024 * 1024 - 5, into)
    expect([...into]).toEqual([6, 6, 6, 6, 6, 7, 7, 7, 7, 7])
    await reader.read(3, into)
    expect([...into]).toEqual(Array(10).fill(0))
    await reader.close()
    expect(fs.hasher.hash(await bytesOf(await again.open(at('large'))))).toBe(content.hash)
    await again.repository.makeCommit(request, draft())
    expect(git('cat-file', '-s', 'filewright/main:large')).toBe(`${size}`)
  }))

test('what is staged and what is kept outlives garbage collection', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    const content = await fs.stage(utf8('staged'))
    await commit(fs, write(fs, 'src/a.txt', 'one', hashOf(fs, 'a\n')))
    await commit(fs, write(fs, 'src/a.txt', 'two', { hash: hashOf(fs, 'one').hash }))
    await fs.notes.swap('group/a', null, 'noted')
    git('gc', '-q')
    await fs.commit([{ kind: 'write', path: at('staged'), content, expect: 'absent' }], draft())
    git('gc', '-q', '--prune=now')
    const again = await open()
    expect([await readText(again, 'staged'), await readText(again, 'src/a.txt')]).toEqual(['staged', 'two'])
    expect(new TextDecoder().decode(await bytesOf(await again.object(hashOf(fs, 'one').hash)))).toBe('one')
    expect(await again.notes.list('')).toEqual([{ key: 'group/a', value: 'noted' }])
    await again.forget([hashOf(fs, 'one').hash])
    const blob = gitBytes('/', ['hash-object', '--stdin'], { input: 'one' }).toString().trim()
    git('cat-file', '-e', blob)
    git('gc', '-q', '--prune=now')
    expect(() => git('cat-file', '-e', blob)).toThrow()
  }))
