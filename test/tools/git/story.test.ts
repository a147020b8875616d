/** The git tools together: what a model does in a repository, and what the real git says about it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitBytes } from '../../git/real_git.ts'
import { placeWith } from './setup.ts'

const FILES = { 'README.md': '# One\n', 'src/a.ts': 'let a = 1\nlet b = 2\n', 'src/b.ts': 'let c = 3\n' }

test('status, an edit, a diff, a commit of one of two changed paths, log, status', async () => {
  const place = await placeWith(FILES, { settings: { author: { name: 'Mo Del', email: 'mo@example.com' } } })
  const { say, call, git } = place
  const first = git('rev-parse', 'HEAD')
  expect(place.workspace.profile.name).toBe('native+git')
  expect(await say('git_status', {})).toBe(
    `branch filewright/main, at ${first.slice(0, 10)} (the branch begins with the next commit)\n[nothing to commit]`,
  )
  await say('edit', { path: 'src/a.ts', old: 'let a', new: 'const a' })
  await say('write', { path: 'new/c.txt', content: 'c\n' })
  const status = await call('git_status', {})
  expect(status.result).toMatchObject({ branch: 'filewright/main', base: first, tip: null, moved: false, merging: null, total: 2 })
  expect(status.result.changes).toEqual([
    { path: 'new/c.txt', kind: 'added', mode: '100644' },
    { path: 'src/a.ts', kind: 'modified', old_mode: '100644', mode: '100644' },
  ])
  // The state is a commit of the product's own, whose tree git can read.
  const theirs = git('diff-tree', '-r', '--name-status', 'main^{tree}', 'refs/filewright/workspaces/main:files')
  expect(status.text).toContain(`\n${theirs.replaceAll('\t', ' ')}`)
  const diff = await say('git_diff', {})
  expect(diff).toContain('-let a = 1\n+const a = 1\n')
  const { result, changeId } = await call('git_commit', { message: 'Make a constant\n\nIt never changes.', paths: ['src'] })
  const commit = String(result.commit)
  expect(result).toMatchObject({ branch: 'filewright/main', parents: [first], total: 1, change: changeId })
  expect(result.left_out).toEqual([{ path: 'new/c.txt', reason: 'not named' }])

  // What the real git says about it.
  expect(git('rev-parse', 'filewright/main')).toBe(commit)
  expect(git('rev-parse', 'main')).toBe(first)
  expect(git('log', '-1', '--format=%an <%ae>|%cn|%B', commit)).toBe(
    'Mo Del <mo@example.com>|Mo Del|Make a constant\n\nIt never changes.\n',
  )
  expect(git('diff', '--name-status', 'main', 'filewright/main')).toBe('M\tsrc/a.ts')
  expect(git('status', '--porcelain')).toBe('')
  const log = await call('git_log', {})
  expect((log.result.commits as { oid: string }[]).map(({ oid }) => oid)).toEqual(git('log', '--format=%H', commit).split('\n'))
  expect(log.text).toMatch(/ Mo Del: Make a constant\n/)

  expect(await say('git_status', {})).toBe(`branch filewright/main, at ${commit.slice(0, 10)}\nA new/c.txt`)
  const records = (await place.workspace.log({ limit: 1 })).map(({ record }) => record)
  expect(records).toMatchObject([{ id: changeId, kind: 'git', tool: 'git_commit', subject: 'local', count: 0 }])
  expect(records[0]?.call).toMatch(/^[0-9a-f]{64}$/)
  expect(records[0]?.note).toContain(commit.slice(0, 7))
  await expect(place.workspace.undo(String(changeId))).rejects.toMatchObject({ code: 'unsupported' })
  expect(await place.workspace.show(String(changeId))).toMatchObject({ changes: [], undone: false })
  await place.workspace.verify()
})

test('a diff is what git says it is, and git applies it', async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at}\n`)
  const place = await placeWith({
    'a.txt': lines.join(''),
    'no end': 'one',
    'run.sh': '#!/bin/sh\n',
    'gone.txt': 'x\n',
    link: '-> a.txt',
    'to link': 'text\n',
    'ä ö.txt': 'names\n',
  })
  const { say, call, git, dir } = place
  await say('edit', {
    path: 'a.txt',
    edits: [
      { old: 'line 3\n', new: 'three\n' },
      { old: 'line 50\n', new: '' },
    ],
  })
  await say('write', { path: 'no end', content: 'two', mode: 'overwrite' })
  await say('batch', {
    operations: [
      { op: 'delete', path: 'gone.txt' },
      { op: 'write', path: 'sub/new.txt', content: 'new\n' },
    ],
  })
  await say('edit', { path: 'ä ö.txt', old: 'names', new: 'näme' })
  await say('git_commit', { message: 'Second' })
  const own = ((await call('git_diff', { from: 'HEAD~1', to: 'HEAD' })).text as string).replace(/\n\[[^\n]*\]$/, '\n')
  const theirs = git('diff', '--no-renames', '--abbrev=7', '--no-color', 'filewright/main~1', 'filewright/main')
  // Git adds the line before a hunk to its head.
  expect(own.trimEnd()).toBe(theirs.replace(/^(@@ .* @@).*$/gm, '$1'))
  writeFileSync(join(dir, '..', 'patch'), own)
  git('apply', '--index', '--whitespace=nowarn', '../patch')
  expect(git('write-tree')).toBe(git('rev-parse', 'filewright/main^{tree}'))
})

test('another tool names a branch, and the log tells ranges and one commit as git does', async () => {
  const { say, call, git } = await placeWith(FILES)
  for (const at of [1, 2, 3]) {
    await say('write', { path: `src/${at}.txt`, content: `${at}\n` })
    await say('git_commit', { message: `Add ${at}` })
  }
  await say('git_branch', { action: 'create', name: 'topic/one', from: 'HEAD~1' })
  expect(git('rev-parse', 'topic/one')).toBe(git('rev-parse', 'filewright/main~1'))
  const oids = async (args: object): Promise<string> =>
    ((await call('git_log', args)).result.commits as { oid: string }[]).map(({ oid }) => oid).join('\n')
  expect(await oids({ from: 'main..HEAD' })).toBe(git('log', '--format=%H', 'main..filewright/main'))
  expect(await oids({ paths: ['src/2.txt'] })).toBe(git('log', '--format=%H', 'filewright/main', '--', 'src/2.txt'))
  expect(await oids({ from: 'topic/one', limit: 2 })).toBe(git('log', '--format=%H', '-2', 'topic/one'))
  const page = await call('git_log', { limit: 2 })
  expect(await oids({ limit: 2, cursor: page.result.cursor })).toBe(git('log', '--format=%H', '--skip=2', 'filewright/main'))
  const shown = await call('git_log', { show: 'topic/one' })
  expect(shown.result).toMatchObject({ total: 1, changes: [{ path: 'src/2.txt', kind: 'added', added: 1, removed: 0 }] })
  expect(shown.text).toContain('\n    Add 2\n')
})

test('commits of any time and any message are told', async () => {
  const { call, git, dir } = await placeWith(FILES)
  const tree = git('rev-parse', 'main^{tree}')
  let parent = git('rev-parse', 'main')
  for (const when of ['1 -0730', '300000000000 +1400', '8640000000000 +1400']) {
    const who = `A\u0085 B <a@example.com> ${when}`
    const text = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nEscape \u001b[31m\u009b in it\r\n\nmore\u0007\n`
    parent = gitBytes(dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: text }).toString().trim()
  }
  git('update-ref', 'refs/heads/odd', parent)
  const { text, result } = await call('git_log', { from: 'odd', limit: 3 })
  expect((result.commits as { date: string }[]).map(({ date }) => date)).toEqual([
    '@8640000000000',
    '+011476-08-15T19:20:00+14:00',
    '1969-12-31T16:30:01-07:30',
  ])
  const shown = (await call('git_log', { show: 'odd' })).text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
  for (const said of [text, shown]) expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})
