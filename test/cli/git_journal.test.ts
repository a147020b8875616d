/** Everything that a workspace can do, on a repository: the journal, undo, archives, approvals, merges and forks. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tryGit } from '../git/real_git.ts'
import { temporaryFolder } from './command.ts'
import { ownState, repository, run } from './git_repository.ts'

describe('the journal', () => {
  test('tells, takes back, puts back and proves, in one process after another', async () => {
    const { dir, text, data, write, git } = repository()
    const before = ownState(dir)
    for (const content of ['1\n', '2\n', '3\n']) await write('a.txt', content)
    expect(await text('log')).toMatch(/^ +3 .*\n +2 .*\n +1 .*\n$/)
    expect(await text('show', '2')).toContain('-1\n+2\n')
    await text('undo')
    expect(await text('call', 'read', '{"path":"a.txt"}')).toContain('2')
    await text('redo')
    await text('undo', '3')
    await text('revert-to', '1')
    expect(await text('call', 'read', '{"path":"a.txt"}')).toContain('1')
    expect(await data('verify')).toMatchObject({ records: 7 })
    expect(await text('git', 'status')).toContain('modified:   a.txt')
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/filewright/workspaces/main\nrefs/heads/main')
    expect(ownState(dir)).toEqual(before)
    // The person's own git cleans up, and nothing of it is lost.
    git('gc', '-q', '--prune=now')
    expect(await data('verify')).toMatchObject({ records: 7 })
    expect(await text('show', '2')).toContain('-1\n+2\n')
  })

  test('has backups, and gives up and purges what it should not hold', async () => {
    const { dir, at, text, data, write, git } = repository()
    await write('env', 'KEY=5ecret\n')
    await write('env', 'KEY=\n')
    expect(await text('backups', 'env')).toMatch(/env {2}11 bytes {2}write_file\n$/)
    expect(await text('rollback', 'env', '--dry-run')).toContain('+KEY=5ecret')
    expect(await data('purge', 'env')).toMatchObject({ objects: 1 })
    expect(await at('rollback', 'env')).toMatchObject({ status: expect.toBeOneOf([3, 4]) })
    expect(await data('verify')).toMatchObject({ records: 3 })
    git('gc', '-q', '--prune=now')
    const objects = git('cat-file', '--batch-check', '--batch-all-objects')
      .split('\n')
      .map((line) => line.split(' ')[0] as string)
    for (const oid of objects) expect(tryGit(dir, ['cat-file', 'blob', oid]).stdout.toString()).not.toContain('5ecret')
    await write('env', 'KEY=x\n')
    expect(await data('gc', '--keep-records', '1')).toMatchObject({ recordsKept: 1 })
    expect(await data('verify')).toMatchObject({ records: 4 })
  })

  test('goes from storage to storage: as a patch, as records, as an archive', async () => {
    const { dir, text, data, write } = repository()
    await write('a.txt', 'one\n')
    await write('dir/new', 'new\n')
    const folder = temporaryFolder()
    const [records, archive] = [join(folder, 'r.jsonl'), join(folder, 'w.tar')]
    expect(tryGit(dir, ['apply', '--check', '-'], { input: await text('export', '--patch', '-') })).toMatchObject({ status: 0 })
    await data('export', '--records', records)
    await data('export', '--history', archive)
    const other = join(folder, 'other')
    expect(await run(['git', 'init', other])).toMatchObject({ status: 0 })
    expect(await run(['import', '--history', archive, '--fs', 'git', '--repo', other])).toMatchObject({ status: 0 })
    expect((await run(['git', 'status', '--repo', other])).stdout).toContain('dir/new')
    expect(await run(['undo', '--fs', 'git', '--repo', other])).toMatchObject({ status: 0 })
    expect(await run(['replay', records, '--dry-run', '--fs', 'git', '--repo', dir, '--workspace', 'again'])).toMatchObject({
      status: 0,
      stderr: '',
    })
    const plain = join(folder, 'plain')
    const second = join(folder, 'second')
    expect(await run(['git', 'init', second])).toMatchObject({ status: 0 })
    await run(['call', 'write', '{"path":"a.txt","content":"one\\ntwo\\nthree\\nfour\\n"}', '--fs', 'git', '--repo', second])
    expect((await run(['replay', dir, '--from', '2', '--fs', 'git', '--repo', second])).stdout).toBe('Replayed 1 change.\n')
    mkdirSync(plain)
    expect(await run(['import', '--history', archive, '--root', plain])).toMatchObject({ status: 0 })
    expect(readFileSync(join(plain, 'dir/new'), 'utf8')).toBe('new\n')
    writeFileSync(join(plain, 'extra'), 'x')
    await text('import', join(plain, 'dir'), '--note', 'Brought')
    expect(await text('show')).toContain('Brought')
    const exported = join(folder, 'exported')
    await text('log', '--export', exported)
    expect(readFileSync(join(exported, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('watches nothing, and lets a person decide only at a terminal', async () => {
    const { at, text, write } = repository()
    expect(await at('watch')).toMatchObject({ status: 4 })
    expect(await text('watch', '--once')).toBe('Nothing new.\n')
    await write('x', 'x')
    const refused = await at('git', 'commit', '-m', 'X', '--approval', 'risky')
    expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('filewright approve') })
    expect(await text('approve')).toContain('git_commit')
    expect(await at('approve', 'x')).toMatchObject({ status: 4 })
  })

  test('is there when a server is: its tools are those for files and for git', async () => {
    const { text, data } = repository()
    const { tools } = (await data('tools')) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['read', 'edit', 'git_status', 'git_commit', 'git_diff', 'git_log', 'git_branch']),
    )
    expect(await text('call', 'git_status', '{}')).toContain('filewright/main')
  })
})

describe('a merge', () => {
  test('brings two workspaces together, with both as parents', async () => {
    const { dir, text, data, write, git } = repository()
    const before = ownState(dir)
    await write('x', 'x\n')
    await text('git', 'commit', '-m', 'X')
    await text('git', 'fork', 'idea')
    expect(await data('git', 'workspaces')).toEqual({ workspaces: ['idea', 'main'] })
    expect(await data('verify', '--workspace', 'idea')).toMatchObject({ records: expect.any(Number) })
    await write('idea', 'idea\n', '--workspace', 'idea')
    await text('git', 'commit', '-m', 'Idea', '--workspace', 'idea')
    await write('y', 'y\n')
    await text('git', 'commit', '-m', 'Y')
    expect(await text('git', 'merge', 'filewright/idea', '--dry-run')).toContain('  idea\n')
    expect(await data('git', 'merge', 'filewright/idea')).toMatchObject({ kind: 'merge', paths: ['idea'], conflicts: [] })
    expect(await text('git', 'status')).toContain('Merging ')
    await text('git', 'commit', '-m', 'Both')
    expect(git('log', '-1', '--format=%P', 'filewright/main')).toBe(
      `${git('rev-parse', 'filewright/main~1')} ${git('rev-parse', 'filewright/idea')}`,
    )
    expect(git('ls-tree', '--name-only', 'filewright/main')).toBe('.gitignore\na.txt\nbin\nidea\nlink\nsrc\nx\ny')
    expect(await text('git', 'log')).toBe(`${git('log', '--no-decorate', 'filewright/main')}\n`)
    expect(await text('git', 'merge', 'filewright/idea')).toBe('Already up to date.\n')
    expect(await text('git', 'log', '--oneline', '--first-parent')).not.toContain('Idea')
    expect(ownState(dir)).toEqual(before)
  })

  test('has conflicts as data and as markers, and its commit waits until they are gone', async () => {
    const { at, text, write, git } = repository()
    git('checkout', '-q', '-b', 'theirs')
    writeFileSync(join(git('rev-parse', '--show-toplevel'), 'a.txt'), 'THEIRS\ntwo\nthree\nfour\n')
    git('commit', '-q', '-a', '-m', 'Theirs')
    git('checkout', '-q', 'main')
    await write('a.txt', 'OURS\ntwo\nthree\nfour\n', '--base', 'main')
    await text('git', 'commit', '-m', 'Ours')
    const merged = await at('git', 'merge', 'theirs', '--json')
    expect(merged.status).toBe(5)
    expect(JSON.parse(merged.stdout)).toMatchObject({ kind: 'merge', conflicts: [{ path: 'a.txt', kind: 'content' }] })
    expect(await text('call', 'read', '{"path":"a.txt"}')).toMatch(/<<<<<<< [\s\S]*OURS[\s\S]*=======[\s\S]*THEIRS[\s\S]*>>>>>>> theirs/)
    expect(await at('git', 'commit', '-m', 'Both')).toMatchObject({ status: 5, stderr: expect.stringContaining('markers') })
    expect(await at('git', 'merge', 'theirs')).toMatchObject({ status: 5 })
    await text('git', 'merge', '--abort')
    expect(await at('git', 'merge', '--abort')).toMatchObject({ status: 3 })
    await text('undo')
    expect(await text('call', 'read', '{"path":"a.txt"}')).toContain('OURS')
    expect((await at('git', 'merge', 'theirs')).stdout).toContain('CONFLICT (content): a.txt')
    await write('a.txt', 'BOTH\ntwo\nthree\nfour\n')
    await text('git', 'commit', '-m', 'Both')
    expect(git('rev-list', '--parents', '-1', 'filewright/main').split(' ')).toHaveLength(3)
    expect(git('show', 'filewright/main:a.txt')).toBe('BOTH\ntwo\nthree\nfour')
    expect(await at('git', 'merge')).toMatchObject({ status: 2 })
    expect(await at('git', 'merge', 'none')).toMatchObject({ status: 3 })
  })

  test('goes forward, or switches, where the workspace has nothing of its own', async () => {
    const { text, write } = repository()
    await write('x', 'x\n', '--base', 'main~1')
    expect(await text('git', 'switch', 'main', '--dry-run')).toContain('  a.txt\n')
    expect(await text('git', 'switch', 'main')).toMatch(/^The workspace is at [0-9a-f]{7}\. This is change 2, with 2 paths\.\n$/)
    expect(await text('git', 'status')).toContain('new file:   x')
    expect(await text('call', 'read', '{"path":"a.txt"}')).toContain('four')
    await text('undo')
    expect(await text('call', 'read', '{"path":"a.txt"}')).not.toContain('four')
    expect(await text('git', 'merge', 'main')).toMatch(/at [0-9a-f]{7}/)
    expect(await text('git', 'status')).not.toContain('Merging')
    expect(existsSync('x')).toBe(false)
  })
})
