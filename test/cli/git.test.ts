/** `filewright git` and `--fs git`, with the real git looking on. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { gitBytes, tryGit } from '../git/real_git.ts'
import { temporaryFolder } from './command.ts'
import { ownState, repository, repositoryAt, run } from './git_repository.ts'

describe('an edit and a commit', () => {
  test('end up on a branch of their own, and nothing of the person is touched', async () => {
    const { dir, text, write, git } = repository()
    writeFileSync(join(dir, 'a.txt'), 'mine\n')
    writeFileSync(join(dir, 'staged'), 'mine\n')
    git('add', 'staged')
    const before = ownState(dir)
    const main = git('rev-parse', 'main')
    await write('src/b.txt', 'B\n')
    await write('new.txt', 'new\n')
    expect(await text('git', 'status')).toBe(
      `On branch filewright/main\nIt begins at ${main.slice(0, 7)}; the first commit makes the branch.\n` +
        'Changes to be committed (2 paths):\n\tnew file:   new.txt\n\tmodified:   src/b.txt\n',
    )
    expect(tryGit(dir, ['rev-parse', '-q', '--verify', 'refs/heads/filewright/main']).status).toBe(1)
    expect(await text('git', 'commit', '-m', 'Both', '--author', 'Ana <ana@example.org>')).toMatch(
      /committed 2 paths to filewright\/main: Both/,
    )
    expect(ownState(dir)).toEqual(before)
    expect(git('log', '-1', '--format=%an <%ae>%n%s%n%P', 'filewright/main')).toBe(`Ana <ana@example.org>\nBoth\n${main}`)
    expect(git('show', 'filewright/main:src/b.txt')).toBe('B')
    expect(git('ls-tree', 'filewright/main', 'bin/run', 'link')).toBe(git('ls-tree', 'main', 'bin/run', 'link'))
    expect(await text('git', 'status')).toBe('On branch filewright/main\nnothing to commit\n')
    expect(git('diff', '--name-status', 'main', 'filewright/main')).toBe('A\tnew.txt\nM\tsrc/b.txt')
  })

  test('take the author that git itself would name', async () => {
    const { text, write, git } = repository()
    await write('x', 'x')
    await text('git', 'commit', '-m', 'X')
    expect(git('log', '-1', '--format=%an <%ae>', 'filewright/main')).toBe('Ada Author <ada@example.com>')
    vi.stubEnv('GIT_AUTHOR_NAME', '')
    vi.stubEnv('GIT_AUTHOR_EMAIL', '')
    git('config', 'user.name', 'Config Ann')
    git('config', 'user.email', 'config@example.com')
    await write('x', 'y')
    await text('git', 'commit', '-m', 'Y')
    expect(git('log', '-1', '--format=%an <%ae>', 'filewright/main')).toBe('Config Ann <config@example.com>')
  })

  test('are on the branch and from the commit that the flags say', async () => {
    const { text, write, git } = repository()
    const flags = ['--workspace', 'old', '--branch', 'agents/old', '--base', 'HEAD~1']
    await write('x', 'x', ...flags)
    await text('git', 'commit', '-m', 'X', '--workspace', 'old')
    expect(git('log', '--format=%s', 'agents/old')).toBe('X\nFirst')
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/filewright/workspaces/old\nrefs/heads/agents/old\nrefs/heads/main')
  })

  test('take a part, leave out what is ignored and what looks secret, and tell so', async () => {
    const { at, data, write, git } = repository()
    for (const path of ['src/c.txt', 'd.txt']) await write(path, 'c')
    expect(await at('call', '--profile', 'fileops', 'write_file', '{"file_path":"x.log","content":"","allow_ignored":true}')).toMatchObject(
      { status: 0 },
    )
    expect(
      await at('call', '--profile', 'fileops', 'write_file', '{"file_path":".env","content":"","allow_sensitive":true}'),
    ).toMatchObject({ status: 0 })
    expect(await data('git', 'commit', '-m', 'C', 'src', '--dry-run')).toMatchObject({ commit: null, total: 1 })
    await data('git', 'commit', '-m', 'C', 'src')
    expect(git('diff', '--name-only', 'main', 'filewright/main')).toBe('src/c.txt')
    await data('git', 'commit', '-m', 'D')
    expect(git('diff', '--name-only', 'filewright/main~', 'filewright/main')).toBe('d.txt')
    expect(await at('git', 'commit', '-m', 'E')).toMatchObject({ status: 5, stderr: expect.stringContaining('allow_sensitive') })
    await data('git', 'commit', '-m', 'E', '--allow-ignored', '--allow-sensitive')
    expect(git('diff', '--name-only', 'filewright/main~', 'filewright/main')).toBe('.env\nx.log')
  })

  test('are refused where the operator lets nothing change, by exit status', async () => {
    const { at, write, git } = repository()
    await write('x', 'x')
    expect(await at('git', 'commit', '-m', 'X', '--read-only')).toMatchObject({ status: 4, stdout: '' })
    expect(await at('git', 'branch', 'b', '--read-only')).toMatchObject({ status: 4 })
    expect(await at('git', 'fetch', '--read-only')).toMatchObject({ status: 4 })
    expect(await at('git', 'status', '--config', '/nonexistent')).toMatchObject({ status: 2 })
    expect(await at('git', 'commit')).toMatchObject({ status: 2 })
    expect(await at('git', 'frobnicate')).toMatchObject({ status: 2 })
    expect(git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main')
    const config = join(temporaryFolder(), 'c.json')
    writeFileSync(config, '{"fs": "sqlite"}')
    expect(await at('git', 'status', '--config', config)).toMatchObject({ status: 2 })
  })

  test('meet a branch that somebody moved, or has checked out', async () => {
    const { at, text, write, git } = repository()
    await write('x', 'x')
    await text('git', 'commit', '-m', 'X')
    git('update-ref', 'refs/heads/filewright/main', 'main')
    await write('x', 'y')
    expect(await at('git', 'commit', '-m', 'Y')).toMatchObject({ status: 5 })
    expect(await text('git', 'status')).toContain('The branch is at')
    expect(git('rev-parse', 'filewright/main')).toBe(git('rev-parse', 'main'))
    await write('z', 'z', '--workspace', 'mine', '--branch', 'main')
    expect(await at('git', 'commit', '-m', 'Z', '--workspace', 'mine')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('checked out'),
    })
  })
})

describe('what is printed', () => {
  test('log and show are as git prints them', async () => {
    const { text, write, git } = repository()
    await write('src/b.txt', 'B\n')
    await text('git', 'commit', '-m', 'Third')
    const plain = (...args: string[]): string => `${git('log', '--no-decorate', ...args)}\n`
    expect(await text('git', 'log', '--oneline')).toBe(plain('--oneline', 'filewright/main'))
    expect(await text('git', 'log')).toBe(plain('filewright/main'))
    expect(await text('git', 'log', 'main..filewright/main')).toBe(plain('main..filewright/main'))
    expect(await text('git', 'log', '--oneline', '--limit', '1', '--skip', '1')).toBe(
      plain('--oneline', '-1', '--skip', '1', 'filewright/main'),
    )
    expect(await text('git', 'log', '--oneline', 'src')).toBe(plain('--oneline', 'filewright/main', '--', 'src'))
    expect(await text('git', 'log', '--oneline', 'main', '--', 'a.txt')).toBe(plain('--oneline', 'main', '--', 'a.txt'))
    for (const revision of ['main', 'main~1', git('rev-parse', '--short', 'filewright/main')]) {
      expect(await text('git', 'show', revision)).toBe(`${git('show', '--no-decorate', '--no-renames', revision)}\n`)
    }
    // HEAD is that of the workspace.
    expect(await text('git', 'show', 'HEAD')).toBe(`${git('show', '--no-decorate', 'filewright/main')}\n`)
    expect(await text('git', 'show', 'main~1:a.txt')).toBe('one\ntwo\nthree\n')
  })

  test('a diff is git’s own, byte for byte, and git applies it', async () => {
    const { dir, text, data, write, git } = repository()
    await write('a.txt', 'one\n2\nthree\nfour')
    await write('nächste datei', 'n\n')
    await text('call', '--profile', 'fileops', 'delete_file', '{"file_path": "src/b.txt"}')
    const uncommitted = await text('git', 'diff')
    await text('git', 'commit', '-m', 'Changes')
    const theirs = gitBytes(dir, ['diff', '--no-renames', 'main', 'filewright/main']).toString()
    expect(uncommitted).toBe(theirs)
    expect(await text('git', 'diff', 'main')).toBe(theirs)
    expect(await text('git', 'diff', 'main', 'filewright/main')).toBe(theirs)
    expect(await text('git', 'diff', 'main..filewright/main')).toBe(theirs)
    expect(await text('git', 'diff')).toBe('')
    expect(await text('git', 'diff', 'main', 'a.txt')).toBe(gitBytes(dir, ['diff', 'main', 'filewright/main', '--', 'a.txt']).toString())
    expect(gitBytes(dir, ['apply', '--check', '-'], { input: uncommitted }).length).toBe(0)
    const { files } = (await data('git', 'diff', 'main', '--stat')) as { files: { path: string; added: number; removed: number }[] }
    const numbers = files.map(({ path, added, removed }) => `${added}\t${removed}\t${path}`)
    expect(numbers.join('\n')).toBe(git('-c', 'core.quotePath=false', 'diff', '--no-renames', '--numstat', 'main', 'filewright/main'))
    expect(await text('git', 'diff', 'main', '--stat')).toMatch(/ 3 files changed, 3 insertions\(\+\), 3 deletions\(-\)\n$/)
  })

  test('a pointer of Git LFS is told beside the patch', async () => {
    const { at, write } = repository()
    await write('big.bin', `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`)
    const { stdout, stderr } = await at('git', 'diff')
    expect(stdout).toContain('+size 12345')
    expect(stdout).not.toContain('pointer')
    expect(stderr).toMatch(/^big\.bin: pointer of Git LFS: .*12345 bytes/)
  })

  test('a word that is neither commit nor path is told, and -- says which is which', async () => {
    const { at, text } = repository()
    expect(await at('git', 'log', 'none')).toMatchObject({ status: 3, stderr: expect.stringContaining('none is no commit') })
    expect(await text('git', 'log', '--oneline', '--', 'none')).toBe('No commits.\n')
    expect(await at('git', 'log', 'main', 'main~1', 'HEAD')).toMatchObject({ status: 2 })
    expect(await at('git', 'diff', '--', '../x')).toMatchObject({ status: 4 })
    expect(await at('git', 'show', 'main:none')).toMatchObject({ status: 3 })
    expect(await at('git', 'show', 'main:src')).toMatchObject({ status: 2 })
    expect(await at('git', 'show', 'none')).toMatchObject({ status: 3 })
  })

  test('branches and tags are listed, made and deleted', async () => {
    const { at, text, data, write, git } = repository()
    expect(await text('git', 'branch')).toBe(`+ main ${git('rev-parse', '--short=7', 'main')}\n`)
    await write('x', 'x')
    await text('git', 'commit', '-m', 'X')
    await text('git', 'branch', 'topic/one', 'main~1')
    expect(git('rev-parse', 'topic/one')).toBe(git('rev-parse', 'main~1'))
    expect(await data('git', 'branch')).toMatchObject({
      branches: [
        { name: 'filewright/main', current: true },
        { name: 'main', checkedOut: true },
        { name: 'topic/one', current: false },
      ],
    })
    expect(await at('git', 'branch', 'topic/one')).toMatchObject({ status: 5 })
    expect(await at('git', 'branch', 'a..b')).toMatchObject({ status: 2 })
    expect(await at('git', 'branch', 'main', '--delete')).toMatchObject({ status: 4 })
    expect(await at('git', 'branch', '--delete')).toMatchObject({ status: 2 })
    await text('git', 'branch', 'topic/one', '--delete')
    await text('git', 'tag', 'light', 'main')
    await text('git', 'tag', 'v1.0', '-m', 'The first one')
    expect(git('cat-file', '-t', 'v1.0')).toBe('tag')
    expect(git('for-each-ref', '--format=%(refname:short) %(contents:subject)', 'refs/tags')).toBe('light Second\nv1.0 The first one')
    expect(await text('git', 'tag')).toMatch(/^light [0-9a-f]{7}\nv1\.0 [0-9a-f]{7}\n$/)
    expect(await text('log')).toMatch(/git git_branch/)
  })
})

describe('where there is no repository', () => {
  test('nothing is made, and the error says what to do', async () => {
    const folder = temporaryFolder()
    for (const args of [
      ['git', 'status'],
      ['log', '--fs', 'git'],
      ['call', 'read', '{}', '--fs', 'git'],
    ]) {
      const ended = await run([...args, '--repo', folder])
      expect(ended).toMatchObject({ status: 3, stderr: expect.stringContaining('filewright git init') })
    }
    expect(existsSync(join(folder, '.git'))).toBe(false)
  })

  test('it is found from below, in a linked worktree and a bare one too, and a folder in the midst is told apart', async () => {
    const { dir, write, text, git } = repository()
    const folder = temporaryFolder()
    await write('src/b.txt', 'B\n')
    await text('git', 'commit', '-m', 'B')
    git('worktree', 'add', '-q', join(folder, 'look'), 'filewright/main')
    git('clone', '-q', '--bare', dir, join(folder, 'bare.git'))
    vi.spyOn(process, 'cwd').mockReturnValue(join(folder, 'look/src'))
    onTestFinished(() => void vi.restoreAllMocks())
    expect((await run(['git', 'log', '--oneline', '--limit', '1'])).stdout).toMatch(/ B\n$/)
    await write('src/b.txt', 'C\n')
    expect(await run(['git', 'commit', '-m', 'C'])).toMatchObject({ status: 4, stderr: expect.stringContaining('checked out') })
    const bare = repositoryAt(join(folder, 'bare.git'))
    await bare.write('x', 'x')
    await bare.text('git', 'commit', '-m', 'X', '--workspace', 'main')
    expect(bare.git('log', '-1', '--format=%s', 'filewright/main')).toBe('X')
    expect(await run(['git', 'status', '--repo', join(dir, 'src')])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('inside of'),
    })
  })

  test('init makes one, in a folder or a database', async () => {
    const folder = temporaryFolder()
    const dir = join(folder, 'new')
    expect(await run(['git', 'init', dir])).toMatchObject({ status: 0, stderr: '' })
    const { text, write, git } = repositoryAt(dir)
    expect(git('status', '--porcelain', '--branch')).toBe('## No commits yet on main')
    expect(await text('git', 'status')).toBe('On branch filewright/main\nNo commits yet\nnothing to commit\n')
    expect(await text('git', 'log')).toBe('No commits.\n')
    expect(await text('git', 'diff')).toBe('')
    await write('a', 'a\n')
    await text('git', 'commit', '-m', 'Root')
    expect(git('log', '--format=%s %P', 'filewright/main')).toBe('Root ')
    expect(await run(['git', 'init', dir])).toMatchObject({ status: 5 })
    expect(await run(['git', 'init'])).toMatchObject({ status: 2 })
    const db = join(folder, 'r.sqlite')
    expect(await run(['git', 'init', '--db', db])).toMatchObject({ status: 0 })
    expect(await run(['git', 'init', '--db', db])).toMatchObject({ status: 5 })
    const place = ['--fs', 'git', '--db', db]
    expect(await run(['call', 'write', '{"path":"a","content":"a\\n"}', ...place])).toMatchObject({ status: 0 })
    expect(await run(['git', 'commit', '-m', 'In a database', '--db', db])).toMatchObject({ status: 0 })
    expect((await run(['git', 'log', '--oneline', '--db', db])).stdout).toMatch(/^[0-9a-f]{7} In a database\n$/)
    expect(await run(['verify', ...place])).toMatchObject({ status: 0 })
    expect(await run(['git', 'status', '--db', join(folder, 'none.sqlite')])).toMatchObject({ status: 3 })
    expect(existsSync(join(folder, 'none.sqlite'))).toBe(false)
  })

  test('a seed makes one in memory, and the export is what was seeded and done', async () => {
    const folder = temporaryFolder()
    const [seed, exported] = [join(folder, 'seed'), join(folder, 'exported')]
    mkdirSync(join(seed, '.git'), { recursive: true })
    mkdirSync(join(seed, 'empty'))
    writeFileSync(join(seed, '.git/config'), '[core]\n')
    writeFileSync(join(seed, 'a'), 'a', { mode: 0o640 })
    const flags = ['--fs', 'git', '--seed', seed, '--export', exported]
    expect(await run(['call', 'edit', '{"path":"a","old":"a","new":"b"}', ...flags])).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(join(exported, 'a'), 'utf8')).toBe('b')
    expect(readFileSync(join(exported, '.git/config'), 'utf8')).toBe('[core]\n')
    expect(existsSync(join(exported, 'empty'))).toBe(true)
  })
})

test('a terminal is shown colors, names of branches, and no escape of somebody else', async () => {
  const { dir, text, write, git } = repository()
  vi.stubEnv('NO_COLOR', '')
  vi.stubEnv('TERM', 'xterm')
  await write('bad\u202ename', 'a\u001b]0;x\u0007\n')
  const shown: string[] = []
  const terminal = { isTTY: true, write: (part: string | Uint8Array) => void shown.push(String(part)) }
  const on = async (...args: readonly string[]): Promise<string> => {
    shown.length = 0
    expect(await runCommand(['git', ...args, '--repo', dir], { stdout: terminal, stderr: terminal })).toBe(0)
    return shown.join('')
  }
  expect(await on('status')).toContain('\u001b[32m\tnew file:   "bad\\342\\200\\256name"\u001b[39m')
  expect(await on('diff')).toContain('\u001b[32m+a\\x1b]0;x\\x07\u001b[39m')
  await text('git', 'commit', '-m', 'Title\u001b[2J')
  expect(await on('log', '--oneline')).toBe(
    `\u001b[33m${git('rev-parse', '--short=7', 'filewright/main')}\u001b[39m \u001b[33m(workspace -> filewright/main) \u001b[39mTitle\\x1b[2J\n` +
      `\u001b[33m${git('rev-parse', '--short=7', 'main')}\u001b[39m \u001b[33m(main) \u001b[39mSecond\n\u001b[33m${git('rev-parse', '--short=7', 'main~1')}\u001b[39m First\n`,
  )
  for (const args of [['show'], ['log'], ['branch'], ['show', 'HEAD:bad\u202ename']]) {
    // Nothing but colors: every escape sequence there is ours.
    expect((await on(...args)).replace(/\p{Cc}\[\d+m/gu, '')).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}]/u)
  }
})

test('every command of git has help with examples, and a row in docs/git.md', async () => {
  const { stdout } = await run(['git', '--help'])
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name as string).filter((name) => name !== 'help')
  for (const name of names) {
    const help = await run(['git', name, '--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toMatch(/Examples:\n {2}\$ filewright git /)
  }
  const docs =
    readFileSync(join(import.meta.dirname, '../../docs/git.md'), 'utf8')
      .split('## Commands\n')[1]
      ?.split('\n## ')[0] ?? ''
  expect([...docs.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name).sort()).toEqual(names.sort())
})
