/** `git_commit`: what it takes, what it leaves out, what it refuses, and that nothing moves unless it is done. */
import { describe, expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import { commitFiles } from '../../git/real_git.ts'
import { type Place, placeWith } from './setup.ts'

const FILES = { '.gitignore': '*.log\n', 'a.txt': 'one\n', 'kept.log': 'x\n', 'dir/b.txt': 'b\n' }

async function changed(options: Parameters<typeof placeWith>[1] = {}): Promise<Place> {
  const place = await placeWith(FILES, options)
  await place.fs.commit(
    (['.env', 'new.log', 'src/new.ts', 'src/id_rsa'] as Path[]).flatMap((path) => [
      ...(path === 'src/new.ts' ? [{ kind: 'makeDirectory', path: 'src' as Path } as const] : []),
      { kind: 'write', path, content: { ...contentOf(place, path) }, expect: 'absent' } as const,
    ]),
    { id: 'one', time: new Date(0).toISOString(), kind: 'import', subject: 'local', tool: 'test', call: null },
  )
  return place
}

function contentOf({ fs }: Place, text: string): { hash: ReturnType<typeof fs.hasher.hash>; size: number; bytes: Uint8Array } {
  const bytes = new TextEncoder().encode(text)
  return { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
}

/** All references, as the real git lists them. */
const refs = ({ git }: Place): string => git('for-each-ref')
const takenBy = async (place: Place, args: object): Promise<string> => {
  const { result, error, text } = await place.call('git_commit', { message: 'm', ...args })
  expect(error, text).toBeNull()
  return place.git('diff', '--name-only', `${result.commit}~1`, String(result.commit)).replaceAll('\n', ' ')
}

describe('what is taken', () => {
  test('what may hold secrets and what is ignored is left out, and said', async () => {
    const place = await changed()
    const { result, text } = await place.call('git_commit', { message: 'm', dry_run: true })
    expect(result).toMatchObject({ commit: null, dry_run: true, total: 1, left_out_total: 3 })
    expect(result.left_out).toEqual([
      { path: '.env', reason: 'sensitive' },
      { path: 'new.log', reason: 'ignored' },
      { path: 'src/id_rsa', reason: 'sensitive' },
    ])
    expect(text).toContain('[would commit 1 path to filewright/main: m]\nA src/new.ts\n')
    expect(await takenBy(place, {})).toBe('src/new.ts')
  })

  test('a directory leaves it out too, and a path of its own is refused', async () => {
    const place = await changed()
    for (const [path, code] of [
      ['.env', 'sensitive_path'],
      ['src/id_rsa', 'sensitive_path'],
      ['new.log', 'ignored_path'],
    ]) {
      const before = refs(place)
      expect((await place.call('git_commit', { message: 'm', paths: [path] })).error?.code).toBe(code)
      expect(refs(place)).toBe(before)
    }
    expect(await takenBy(place, { paths: ['src'] })).toBe('src/new.ts')
  })

  test('it is taken when the call is allowed to', async () => {
    const place = await changed()
    expect(await takenBy(place, { allow_ignored: true, paths: ['new.log'] })).toBe('new.log')
    expect(await takenBy(place, { allow_sensitive: true })).toBe('.env src/id_rsa src/new.ts')
  })

  test('what git knows already is not ignored', async () => {
    const { git, again } = await placeWith(FILES)
    git('add', '-f', 'kept.log')
    git('commit', '-q', '-m', 'By force')
    const place = await again({ name: 'other' })
    await place.say('write', { path: 'kept.log', content: 'y\n', mode: 'overwrite', allow_ignored: true })
    expect(await takenBy(place, {})).toBe('kept.log')
  })

  test('a file that became a directory is taken with all that is in it, or not', async () => {
    const place = await placeWith(FILES)
    await place.say('batch', {
      operations: [
        { op: 'delete', path: 'a.txt' },
        { op: 'write', path: 'a.txt/x', content: '1' },
      ],
    })
    await place.say('write', { path: 'a.txt/.env', content: '1', allow_sensitive: true })
    const { error } = await place.call('git_commit', { message: 'm' })
    expect(error).toMatchObject({ code: 'conflict', field: 'paths' })
    expect(await takenBy(place, { allow_sensitive: true })).toBe('a.txt a.txt/.env a.txt/x')
  })
})

describe('what is refused', () => {
  test('nothing to commit, unless that is wanted', async () => {
    const place = await placeWith(FILES)
    const before = refs(place)
    expect((await place.call('git_commit', { message: 'm' })).error?.code).toBe('no_match')
    expect(refs(place)).toBe(before)
    expect(await takenBy(place, { allow_empty: true })).toBe('')
  })

  test.each([
    [{ message: '  ' }, 'message'],
    [{ message: 'a\0b' }, 'message'],
    [{ message: '\ud800' }, 'message'],
    [{ message: 'm', author: { name: 'A <b>', email: 'a@b' } }, 'author.name'],
    [{ message: 'm', author: { name: 'A', email: 'a\n' + 'b' } }, 'author.email'],
    [{ message: 'm', author: { name: 'A' } }, 'author.email'],
    [{ message: 'm', paths: [] }, 'paths'],
    [{ message: 'm', amend: true }, 'amend'],
    [{}, 'message'],
  ])('%j', async (args, field) => {
    const place = await changed()
    const before = refs(place)
    expect((await place.call('git_commit', args)).error?.field).toBe(field)
    expect(refs(place)).toBe(before)
  })

  test('a base that is not the expected one, or a branch that somebody else moved', async () => {
    const place = await changed()
    const first = place.git('rev-parse', 'main')
    const expecting = await place.call('git_commit', { message: 'm', expected_base: commitFiles(place.dir, 'Other', { z: 'z' }) })
    expect(expecting.error).toMatchObject({ code: 'conflict', field: 'expected_base' })
    expect((await place.call('git_commit', { message: 'm', expected_base: first })).error).toBeNull()
    place.git('update-ref', 'refs/heads/filewright/main', 'main')
    expect((await place.call('git_status', {})).result).toMatchObject({ moved: true, tip: place.git('rev-parse', 'main') })
    const before = refs(place)
    expect((await place.call('git_commit', { message: 'm', allow_empty: true })).error?.code).toBe('conflict')
    expect(refs(place)).toBe(before)
  })

  test('a branch that a worktree has checked out', async () => {
    const place = await changed()
    await place.say('git_commit', { message: 'm' })
    place.git('checkout', '-q', 'filewright/main')
    const before = refs(place)
    const { error } = await place.call('git_commit', { message: 'm', allow_empty: true })
    expect(error?.code).toBe('unsupported')
    expect(error?.message).toContain('filewright/main')
    expect(refs(place)).toBe(before)
    expect(place.git('status', '--porcelain')).toBe('')
  })

  test('everything where nothing may be changed, and what the operator disabled', async () => {
    const place = await changed()
    await place.workspace.close()
    const reading = await place.again({ settings: { readOnly: true } })
    const before = refs(reading)
    expect((await reading.call('git_commit', { message: 'm' })).error?.code).toBe('read_only')
    expect((await reading.call('git_branch', { action: 'create', name: 'x' })).error?.code).toBe('read_only')
    for (const [tool, args] of [
      ['git_status', {}],
      ['git_diff', {}],
      ['git_log', {}],
      ['git_branch', {}],
    ] as const)
      await reading.say(tool, args)
    await reading.workspace.close()
    const without = await place.again({ settings: { disabled: ['git_commit', 'git_branch'] } })
    expect(
      without.workspace
        .tools()
        .map(({ tool }) => tool.name)
        .filter((name) => name.startsWith('git')),
    ).toEqual(['git_status', 'git_diff', 'git_log'])
    expect((await without.call('git_commit', { message: 'm' })).error?.code).toBe('unsupported')
    expect((await without.call('git_branch', {})).error?.code).toBe('unsupported')
    expect(refs(without)).toBe(before)
  })
})

test('of two processes that commit at once each change is committed once', async () => {
  const place = await changed()
  const other = await place.again()
  for (let at = 0; at < 3; at++) {
    await place.say('write', { path: `n${at}.txt`, content: `${at}\n` })
    const outcomes = await Promise.all([place, other].map(({ call }) => call('git_commit', { message: `Number ${at}` })))
    const codes = outcomes.map(({ error }) => error?.code ?? 'done').sort()
    expect(codes[0], codes.join()).toMatch(/^(conflict|done|no_match)$/)
    expect(codes).toContain('done')
  }
  expect(
    place
      .git('log', '--format=%s', 'filewright/main')
      .split('\n')
      .filter((line) => line.startsWith('Number')),
  ).toHaveLength(3)
  expect((await other.call('git_status', {})).result.total).toBe(2)
  await other.workspace.verify()
})

test('who commits: the call, the operator, the subject', async () => {
  const place = await changed({ settings: { author: { name: 'Op', email: 'op@example.com' } } })
  await place.say('git_commit', { message: 'One', author: { name: 'Änn', email: 'ann@example.com' } })
  expect(place.git('log', '-1', '--format=%an <%ae> %cn <%ce>', 'filewright/main')).toBe('Änn <ann@example.com> Op <op@example.com>')
  const other = await place.again({ name: 'other' })
  await other.say('git_commit', { message: 'Two', allow_empty: true }, { subject: 'bot <1>\nx' })
  expect(other.git('log', '-1', '--format=%an <%ae> %cn', 'filewright/other')).toBe('bot  1  x <bot-1-x@filewright.invalid> bot  1  x')
})

describe('a person who is asked', () => {
  test('sees the message and every change, and the same call runs then, once', async () => {
    const place = await changed({ settings: { approval: 'risky' } })
    const before = refs(place)
    const args = {
      message: 'Add it\u202e\n\nAnd more.',
      author: { name: 'A', email: 'a@example.com' },
      allow_sensitive: true,
      paths: ['.env', 'src/new.ts'],
    }
    const asked = await place.call('git_commit', args, { subject: 'bot' })
    expect(asked.error?.code).toBe('approval_required')
    expect(before.split('\n').filter((line) => line.includes('refs/heads'))).toEqual(
      refs(place)
        .split('\n')
        .filter((line) => line.includes('refs/heads')),
    )
    const request = await place.workspace.approvals.get(String(asked.approvalId))
    expect(request.reason).toMatch(/: Commit to filewright\/main by A <a@example\.com>: Add it⟦U\+202E⟧\n\nAnd more\.$/)
    expect(request.preview).toMatchObject({ count: 2, truncated: false })
    expect(request.preview.changes.map(({ kind, path, diff }) => [kind, path, diff])).toEqual([
      ['write', '.env', expect.stringContaining('+.env')],
      ['write', 'src/new.ts', expect.stringContaining('+src/new.ts')],
    ])
    await place.workspace.approvals.grant(request.id, { by: 'person' })
    // Another message is another call.
    expect((await place.call('git_commit', { ...args, message: 'Other' }, { subject: 'bot' })).error?.code).toBe('approval_required')
    const done = await place.call('git_commit', args, { subject: 'bot' })
    expect(done.error).toBeNull()
    expect((await place.workspace.log({ limit: 1 }))[0]?.record).toMatchObject({ kind: 'git', subject: 'bot', approval: request.id })
  })

  test('sees that a commit ends a merge, and is asked anew when one began meanwhile', async () => {
    const place = await changed({ settings: { approval: 'risky' } })
    place.git('update-ref', 'refs/heads/topic', place.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Theirs'))
    const args = { message: 'm', allow_sensitive: true, allow_empty: true }
    const ask = async (code: string): Promise<string> => {
      const { error, approvalId } = await place.call('git_commit', args, { subject: 'bot' })
      expect(error?.code).toBe(code)
      const { reason } = await place.workspace.approvals.grant(String(approvalId), { by: 'person' })
      return reason
    }
    expect(await ask('approval_required')).toMatch(/: Commit to filewright\/main: m$/)
    expect((await place.call('git_commit', args, { subject: 'bot' })).error).toBeNull()
    expect(await ask('approval_required')).toMatch(/: Commit to filewright\/main: m$/)
    const merged = await place.workspace.git?.merge('topic')
    expect(merged).toMatchObject({ kind: 'merge', paths: [] })
    expect(await ask('approval_stale')).toContain(`: Commit to filewright/main, with the merge of ${merged?.oid?.slice(0, 10)}: m`)
    const { result } = await place.call('git_commit', args, { subject: 'bot' })
    expect(result.parents).toContain(merged?.oid)
  })

  test('is asked anew when a file changed meanwhile', async () => {
    const place = await changed({ settings: { approval: 'risky' } })
    const { approvalId } = await place.call('git_commit', { message: 'm' }, { subject: 'bot' })
    await place.workspace.approvals.grant(String(approvalId), { by: 'person' })
    await place.say('write', { path: 'src/other.ts', content: 'x' })
    const again = await place.call('git_commit', { message: 'm' }, { subject: 'bot' })
    expect(again.error?.code).toBe('approval_stale')
    expect(place.git('branch', '--list', 'filewright/*')).toBe('')
  })

  test('trusted automation commits where its paths are trusted', async () => {
    const trustPolicy = { version: 1, rules: [{ operations: ['git_commit'], paths: ['/src/'] }] } as const
    const place = await changed({ settings: { approval: 'trusted', trustPolicy } })
    expect((await place.call('git_commit', { message: 'm', paths: ['src'] })).error).toBeNull()
    await place.fs.commit([{ kind: 'write', path: 'top' as Path, content: contentOf(place, 'x'), expect: 'absent' }], {
      id: 'two',
      time: new Date(0).toISOString(),
      kind: 'import',
      subject: 'local',
      tool: 'test',
      call: null,
    })
    expect((await place.call('git_commit', { message: 'm' })).error?.code).toBe('approval_required')
  })
})
