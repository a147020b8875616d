/** Calls that must stay in a part of the workspace: nothing outside is named, shown, or committed. */
import { expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import { placeWith } from './setup.ts'

const only = (...paths: string[]) => ({ within: async () => paths as Path[] })

test('nothing else is named, shown or committed', async () => {
  const place = await placeWith({ 'in/a.txt': 'a\n', 'secret/b.txt': 'hidden\n', top: 'top\n' })
  const { call, say, git } = place
  await say('write', { path: 'secret/b.txt', content: 'hidden too\n', mode: 'overwrite' })
  await say('git_commit', { message: 'Other things' })
  for (const path of ['in/a.txt', 'secret/b.txt', 'secret/new.txt', 'top'])
    await say('write', { path, content: 'hidden three\n', mode: 'overwrite' })
  const inside = only('in')
  const said: string[] = []
  for (const [tool, args] of [
    ['git_status', {}],
    ['git_status', { all: true, paths: ['.'] }],
    ['git_diff', {}],
    ['git_diff', { stat: true, all: true }],
    ['git_diff', { from: 'HEAD~1', to: 'HEAD' }],
    ['git_log', {}],
    ['git_log', { show: 'HEAD~1' }],
    ['git_commit', { message: 'm', dry_run: true }],
  ] as const) {
    const { text, result, error } = await call(tool, args, inside)
    expect(error, text).toBeNull()
    said.push(text, JSON.stringify(result))
  }
  expect(said.join('\n')).toContain('in/a.txt')
  for (const word of ['secret', 'top', 'hidden too', 'Other things']) expect(said.join('\n')).not.toContain(word)
  const named: readonly (readonly [string, object])[] = [
    ['git_status', { paths: ['secret'] }],
    ['git_diff', { paths: ['in', 'secret/b.txt'] }],
    ['git_log', { paths: ['top'] }],
    ['git_log', { show: 'HEAD' }],
    ['git_commit', { message: 'm', paths: ['secret/b.txt'] }],
    ['git_branch', { action: 'delete', name: 'main' }],
  ]
  for (const [tool, args] of named) {
    const { error, text } = await call(tool, args, inside)
    expect(['outside_root', 'unsupported'], text).toContain(error?.code)
    expect(text).not.toContain('hidden')
  }
  git('branch', 'other')
  expect((await call('git_branch', { action: 'delete', name: 'other' }, inside)).error?.code).toBe('outside_root')
  const { result } = await call('git_commit', { message: 'Mine' }, inside)
  expect(git('diff', '--name-only', `${result.commit}~1`, String(result.commit))).toBe('in/a.txt')
  expect((await call('git_status', {}, only('nothing'))).result.total).toBe(0)
  expect((await call('git_log', {}, only())).result.commits).toEqual([])
})

test('the states of workspaces, which hold what nobody committed, are no commits that can be named', async () => {
  const { call, say, git, again, repository } = await placeWith({ 'files/a.txt': 'a\n', 'b.txt': 'b\n' })
  await say('write', { path: '.env', content: 'KEY=hidden\n', allow_sensitive: true })
  await say('edit', { path: 'b.txt', old: 'b', new: 'hidden' })
  const state = 'refs/filewright/workspaces/main'
  const oid = git('rev-parse', state)
  git('tag', '-a', '-m', 'A state', 'sly', state)
  const names = [state, state.slice('refs/'.length), oid, oid.slice(0, 12), 'sly', `${state}~0`]
  for (const name of names) {
    const calls: readonly (readonly [string, object])[] = [
      ['git_log', { show: name }],
      ['git_log', { from: name }],
      ['git_log', { from: `HEAD..${name}` }],
      ['git_diff', { from: 'HEAD', to: name }],
      ['git_branch', { action: 'create', name: 'leak', from: name }],
    ]
    for (const [tool, args] of calls) {
      for (const how of [undefined, only('files')]) {
        const { error, text } = await call(tool, args, how)
        expect(error?.code, `${tool} ${JSON.stringify(args)}: ${text}`).toBe('not_found')
        expect(text).not.toContain('hidden')
      }
    }
  }
  expect((await call('git_log', { cursor: `0:${oid}` })).error?.code).toBe('not_found')
  await expect(again({ name: 'other', from: state })).rejects.toMatchObject({ code: 'not_found' })
  // Its parent is of history.
  expect(await repository.resolve(`${state}^`)).toBe(git('rev-parse', 'main'))
})

test('folders of backups are neither shown nor committed', async () => {
  const { call, say, workspace, again } = await placeWith({ 'a.txt': 'a\n' }, { profile: 'fileops+git' })
  await workspace.call('write_file', { file_path: 'a.txt', content: 'b\n', force_overwrite: true, backup_root: 'kept' })
  const { result } = await call('git_status', { all: true })
  expect(result.changes).toMatchObject([{ path: 'a.txt' }])
  await say('git_commit', { message: 'm' })
  expect((await again({ profile: 'git' })).workspace.tools()).toHaveLength(5)
  expect((await call('git_commit', { message: 'm', paths: ['kept'] })).error?.code).toBe('no_match')
})
