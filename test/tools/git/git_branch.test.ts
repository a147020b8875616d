/** `git_branch`: lists, new branches and tags, and what may not be deleted. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Place, placeWith } from './setup.ts'

const heads = ({ git }: Place): string => git('for-each-ref', 'refs/heads', 'refs/tags')

test('branches and tags are what git lists', async () => {
  const place = await placeWith({ 'a.txt': 'a\n' })
  const { call, say, git } = place
  await say('git_branch', { action: 'create', name: 'topic/ä', dry_run: true })
  expect(git('branch', '--list', 'topic/*')).toBe('')
  const made = await call('git_branch', { action: 'create', name: 'topic/ä', from: 'main' })
  expect(made.result).toMatchObject({ name: 'topic/ä', oid: git('rev-parse', 'main'), change: made.changeId })
  await say('git_branch', { action: 'create_tag', name: 'v1' })
  await say('git_branch', { action: 'create_tag', name: 'v2', message: 'Version 2' })
  expect(git('cat-file', '-t', 'v2')).toBe('tag')
  expect(git('tag', '-l', '--format=%(contents)', 'v2')).toBe('Version 2\n')
  const { result, text } = await call('git_branch', {})
  const listed = (result.branches as { name: string; oid: string; current: boolean; checked_out: boolean }[]).map(
    (one) => `${one.oid} ${one.name}`,
  )
  expect(listed.join('\n')).toBe(git('for-each-ref', '--format=%(objectname) %(refname:short)', 'refs/heads'))
  expect(result.branches).toContainEqual({ name: 'main', oid: git('rev-parse', 'main'), current: false, checked_out: true })
  expect(text).toContain('main (checked out)')
  expect((await call('git_branch', { action: 'list_tags' })).result.tags).toEqual(
    ['v1', 'v2'].map((name) => ({ name, oid: git('rev-parse', 'main') })),
  )
  const page = await call('git_branch', { limit: 1 })
  expect(page.result).toMatchObject({ total: 2, next_offset: 1 })
  expect((await call('git_branch', { offset: 1 })).result.branches).toHaveLength(1)
  for (const [action, name] of [
    ['create', 'topic/ä'],
    ['create_tag', 'v1'],
  ]) {
    expect((await call('git_branch', { action, name })).error?.code).toBe('already_exists')
  }
})

test('a branch is deleted with a person who sees what is lost', async () => {
  const place = await placeWith({ 'a.txt': 'a\n' }, { settings: { approval: 'risky' } })
  const { call, git } = place
  git('branch', 'same')
  git('checkout', '-q', '-b', 'more')
  git('commit', '-q', '--allow-empty', '-m', 'One more')
  git('checkout', '-q', 'main')
  const asked = await call('git_branch', { action: 'delete', name: 'more' }, { subject: 'bot' })
  expect(asked.error?.code).toBe('approval_required')
  const { reason, preview } = await place.workspace.approvals.get(String(asked.approvalId))
  expect(reason).toMatch(/on no branch and no tag: 1$/)
  expect(preview).toEqual({ changes: [], count: 0, truncated: false })
  expect(git('branch', '--list', 'more')).not.toBe('')
  await place.workspace.approvals.grant(String(asked.approvalId), { by: 'person' })
  // Where it is now is part of what was granted.
  git('update-ref', 'refs/heads/more', git('commit-tree', '-m', 'x', 'main^{tree}'))
  expect((await call('git_branch', { action: 'delete', name: 'more' }, { subject: 'bot' })).error?.code).toBe('approval_stale')
  const dry = await call('git_branch', { action: 'delete', name: 'same', dry_run: true })
  expect(dry.result).toMatchObject({ lost: 0, dry_run: true })
})

test('what is in use is not deleted, and strange names are refused', async () => {
  const place = await placeWith({ 'a.txt': 'a\n' })
  const { call, say, git, dir } = place
  await say('git_commit', { message: 'm', allow_empty: true })
  git('worktree', 'add', '-q', '-b', 'in-tree', join(dir, '..', 'tree'))
  const before = heads(place)
  const cases: readonly (readonly [object, string])[] = [
    [{ action: 'delete', name: 'main' }, 'unsupported'],
    [{ action: 'delete', name: 'in-tree' }, 'unsupported'],
    [{ action: 'delete', name: 'filewright/main' }, 'unsupported'],
    [{ action: 'delete', name: 'none' }, 'not_found'],
    [{ action: 'delete' }, 'missing_argument'],
    [{ action: 'delete', name: 'main', from: 'main' }, 'invalid_argument'],
    [{ action: 'create', name: 'x', message: 'm' }, 'invalid_argument'],
    [{ action: 'create', name: 'x', from: 'nowhere' }, 'not_found'],
    [{ action: 'rename', name: 'x' }, 'invalid_argument'],
    [{ name: 'x' }, 'invalid_argument'],
    ...['..', 'a..b', '-x', 'a b', 'x.lock', '/x', 'x/', 'HEAD', '@', 'a@{b', 'a\0', 'é\n', '../../config', 'x'.repeat(5000), ''].map(
      (name) => [{ action: 'create', name }, 'invalid_name'] as const,
    ),
  ]
  for (const [args, code] of cases) expect((await call('git_branch', args)).error?.code, JSON.stringify(args)).toBe(code)
  expect(heads(place)).toBe(before)
})

test("a branch that stands for another one is neither deleted nor committed to: the other may be anybody's", async () => {
  const { git, call, say, repository } = await placeWith({ 'a.txt': 'a\n' })
  git('branch', 'other')
  git('symbolic-ref', 'refs/heads/master', 'refs/heads/main')
  git('symbolic-ref', 'refs/heads/alias', 'refs/heads/other')
  git('symbolic-ref', 'refs/heads/nowhere', 'refs/heads/unborn')
  git('symbolic-ref', 'refs/heads/filewright/main', 'refs/heads/main')
  onTestFinished(() => void git('symbolic-ref', '-d', 'refs/heads/nowhere'))
  const before = git('for-each-ref', 'refs/heads')
  for (const name of ['master', 'alias']) expect((await call('git_branch', { action: 'delete', name })).error?.code).toBe('unsupported')
  expect((await call('git_branch', { action: 'create', name: 'nowhere' })).error?.code).toBe('unsupported')
  const checkedOut = (await repository.branches()).flatMap((one) => (one.checkedOut ? [one.name] : []))
  expect(checkedOut).toEqual(['filewright/main', 'main', 'master'])
  await say('edit', { path: 'a.txt', old: 'a', new: 'b' })
  expect((await call('git_commit', { message: 'm' })).error?.code).toBe('unsupported')
  expect(git('for-each-ref', 'refs/heads')).toBe(before)
  expect(git('status', '--porcelain')).toBe('')
})

test('what is refused is refused in a dry run too, and leaves no object behind', async () => {
  const { git, call, say } = await placeWith({ 'a.txt': 'a\n' })
  await say('git_branch', { action: 'create_tag', name: 'v1', message: 'One' })
  const objects = git('count-objects')
  const refused: readonly (readonly [action: string, name: string, code: string])[] = [
    ['create', 'main', 'already_exists'],
    ['create', 'a b', 'invalid_name'],
    ['create_tag', 'v1', 'already_exists'],
    ['create_tag', '-d', 'invalid_name'],
    ['create_tag', 'HEAD', 'invalid_name'],
    ['create_tag', 'a..b', 'invalid_name'],
  ]
  for (const [action, name, code] of refused) {
    for (const dry_run of [true, false]) {
      const message = action === 'create_tag' ? { message: 'A tag' } : {}
      expect((await call('git_branch', { action, name, dry_run, ...message })).error?.code, `${action} ${name}`).toBe(code)
    }
  }
  expect(git('count-objects')).toBe(objects)
})
