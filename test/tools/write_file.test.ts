/** `write_file`: P-40 to P-46, T-P-WF-01 to 17. */
import { describe, expect, test } from 'vitest'
import { EMPTY_HASH } from '../../src/core/hash.ts'
import { ID } from '../../src/core/id.ts'
import { sha, workspaceWith } from './setup.ts'

const OLD = 'alpha\nbeta\n'
const NEW = 'alpha\ngamma\n'
const DIFF = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n alpha\n-beta\n+gamma\n'
const FILES = {
  'a.txt': OLD,
  'run.sh': { text: '#!/bin/sh\n', mode: 0o750 },
  'a.bin': new Uint8Array([0, 1, 2, 255]),
  'latin1.txt': new Uint8Array([0x63, 0xe9, 0x0a]),
  'd/k': 'k',
  in: { link: 'd/k' },
  into: { link: 'd/new.txt' },
  outside: { link: '../away' },
  '.gitignore': 'build/\n*.log\n!keep.log\n/only-root.txt\n',
} as const

describe('creates', () => {
  test.each<[string, object, string, string]>([
    ['WF-01 a new file', { file_path: 'n.txt', content: 'hello\nworld\n' }, 'n.txt', 'hello\nworld\n'],
    ['WF-01 with parents', { file_path: 'x/y/z.txt', content: 'deep' }, 'x/y/z.txt', 'deep'],
    ['WF-01 absolute', { file_path: '/abs.txt', content: 'abs\n' }, 'abs.txt', 'abs\n'],
    ['C-2 dots inside', { file_path: 'd/../b.txt', content: 'b\n' }, 'b.txt', 'b\n'],
    ['C-4 through a link to nothing', { file_path: 'into', content: 'x\n' }, 'd/new.txt', 'x\n'],
    ['WF-12 nothing', { file_path: 'e.txt', content: '' }, 'e.txt', ''],
    ['P-45 verbatim', { file_path: 'v.txt', content: '\ufeffa\r\nb\nc' }, 'v.txt', '\ufeffa\r\nb\nc'],
    ['WF-09 by appending', { file_path: 'log/n.txt', content: 'b\n', append: true }, 'log/n.txt', 'b\n'],
    ['overwrite of nothing', { file_path: 'n.txt', content: 'x', overwrite: true }, 'n.txt', 'x'],
    ['force of nothing', { file_path: 'n.txt', content: 'x', force_overwrite: true }, 'n.txt', 'x'],
    [
      'P-6 null means not given',
      {
        file_path: 'n.txt',
        content: 'x',
        overwrite: null,
        expected_sha256: null,
        content_artifact: null,
        content_artifact_uri: null,
        source_encoding: null,
        create_dirs: null,
      },
      'n.txt',
      'x',
    ],
    ['WF-11 re-included', { file_path: 'keep.log', content: 'x' }, 'keep.log', 'x'],
    ['WF-11 ignored, when allowed', { file_path: 'build/o', content: 'x', allow_ignored: true }, 'build/o', 'x'],
    ['WF-10 sensitive, when allowed', { file_path: '.env', content: 'K=1\n', allow_sensitive: true }, '.env', 'K=1\n'],
    ['WF-10 harmless', { file_path: '.env.example', content: 'K=\n' }, '.env.example', 'K=\n'],
  ])('%s', async (_, args, path, content) => {
    const { call, read, fs } = await workspaceWith(FILES)
    const { result, code, text } = await call('write_file', args)
    const bytes = new TextEncoder().encode(content).length
    const lines = content.split('\n').length - (content === '' || content.endsWith('\n') ? 1 : 0)
    const hash = sha(fs, content)
    expect(code).toBeNull()
    expect(result).toEqual({
      file_path: `/${path}`,
      created: true,
      bytes_written: bytes,
      requested_bytes: bytes,
      requested_lines: lines,
      requested_sha256: hash,
      diff: null,
      dry_run: false,
      file_bytes_after: bytes,
      lines_after: lines,
      sha256_after: hash,
      self_verified: true,
      summary: text,
    })
    expect(await read(path)).toBe(content)
  })

  test('WF-12 the hash of nothing', async () => {
    const { call } = await workspaceWith({})
    expect((await call('write_file', { file_path: 'e', content: '' })).result.requested_sha256).toBe(EMPTY_HASH)
  })
})

describe('P-40 replaces and extends', () => {
  const upper = (hash: string): string => hash.toUpperCase()
  test.each<[string, object, string, string, string, ((hash: string) => string)?]>([
    ['WF-03 with the right hash', { file_path: 'a.txt', content: NEW, overwrite: true }, 'a.txt', OLD, NEW, (hash) => hash],
    ['WF-04 the hash in upper case', { file_path: 'a.txt', content: NEW, overwrite: true }, 'a.txt', OLD, NEW, upper],
    [
      'WF-05 by force, whatever the hash',
      { file_path: 'a.txt', content: NEW, force_overwrite: true },
      'a.txt',
      OLD,
      NEW,
      () => '0'.repeat(64),
    ],
    ['WF-08 append', { file_path: 'a.txt', content: 'b', append: true }, 'a.txt', OLD, `${OLD}b`],
    ['P-41 append wins over overwrite', { file_path: 'a.txt', content: 'b', append: true, overwrite: true }, 'a.txt', OLD, `${OLD}b`],
    ['append with the right hash', { file_path: 'a.txt', content: 'b', append: true }, 'a.txt', OLD, `${OLD}b`, (hash) => hash],
    ['C-5 through a link', { file_path: 'in', content: 'new\n', force_overwrite: true }, 'd/k', 'k', 'new\n'],
  ])('%s', async (_, args, path, before, after, hash) => {
    const { call, read, stat, fs, workspace } = await workspaceWith(FILES)
    const expected = hash ? { expected_sha256: hash(sha(fs, before)) } : {}
    const { result, code } = await call('write_file', { ...args, ...expected })
    expect(code).toBeNull()
    const added = (args as { content: string }).content.length
    expect(result).toMatchObject({
      file_path: `/${path}`,
      created: false,
      bytes_written: added,
      requested_bytes: added,
      current_sha256: sha(fs, before),
      sha256_after: sha(fs, after),
      file_bytes_after: after.length,
      self_verified: true,
      backup_id: expect.stringMatching(ID),
      diff: expect.stringContaining(`--- a/${path}\n+++ b/${path}\n@@`),
    })
    expect(await read(path)).toBe(after)
    expect((await stat('in'))?.kind).toBe('link')
    await workspace.undo('last')
    expect(await read(path)).toBe(before)
  })

  test('C-14 the mode stays', async () => {
    const { call, stat } = await workspaceWith(FILES)
    await call('write_file', { file_path: 'run.sh', content: 'exit 1\n', force_overwrite: true })
    expect((await stat('run.sh'))?.mode).toBe(0o750)
  })

  test('WF-14 what was no text has no diff', async () => {
    const { call } = await workspaceWith(FILES)
    for (const file_path of ['a.bin', 'latin1.txt']) {
      const { result } = await call('write_file', { file_path, content: 'text\n', force_overwrite: true })
      expect(result).toMatchObject({ diff: null, created: false, self_verified: true })
    }
  })

  test('WF-06 without a backup there is no id, and no undo', async () => {
    const { call, workspace } = await workspaceWith(FILES)
    const { result } = await call('write_file', { file_path: 'a.txt', content: NEW, force_overwrite: true, create_backup: false })
    expect(result).not.toHaveProperty('backup_id')
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('P-10 the backup goes where it is asked for, and the change can be undone', async () => {
    const { call, read, workspace } = await workspaceWith(FILES)
    const { result } = await call('write_file', { file_path: 'a.txt', content: NEW, force_overwrite: true, backup_root: 'bk' })
    expect(await read(`bk/${result.backup_id}.data`)).toBe(OLD)
    await workspace.undo('last')
    expect(await read('a.txt')).toBe(OLD)
  })

  test('WF-15 identical content is not written again', async () => {
    const { call, stat, workspace } = await workspaceWith(FILES)
    const before = await stat('a.txt')
    const { result } = await call('write_file', { file_path: 'a.txt', content: OLD, force_overwrite: true })
    expect(result).toMatchObject({ created: false, diff: '', bytes_written: 0, self_verified: true, file_bytes_after: 11, lines_after: 2 })
    expect(result).not.toHaveProperty('backup_id')
    expect(await stat('a.txt')).toEqual(before)
    expect(await workspace.log()).toHaveLength(1)
  })

  test('a name that was there before another file is created again: each create is its own', async () => {
    const { call, read } = await workspaceWith({})
    const calls = Array.from({ length: 20 }, (_, i) => call('write_file', { file_path: 'log', content: `${i}\n`, append: true }))
    const outcomes = await Promise.all(calls)
    expect(outcomes.filter(({ result }) => result.created)).toHaveLength(1)
    expect(
      (await read('log'))
        ?.split('\n')
        .filter(Boolean)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })
})

describe('refuses, and changes nothing', () => {
  const wrong = { expected_sha256: '0'.repeat(64) }
  test.each<[string, object, string, object?]>([
    ['WF-02 to replace by accident', { file_path: 'a.txt', content: NEW }, 'already_exists', { current_sha256: true }],
    ['25 also when it is the same', { file_path: 'a.txt', content: OLD }, 'already_exists'],
    ['already_exists comes before a wrong hash', { file_path: 'a.txt', content: NEW, ...wrong }, 'already_exists'],
    [
      'WF-03 to replace without a hash',
      { file_path: 'a.txt', content: NEW, overwrite: true },
      'confirmation_required',
      { current_sha256: true, diff: DIFF },
    ],
    ['25 also when it is the same', { file_path: 'a.txt', content: OLD, overwrite: true }, 'confirmation_required', { diff: '' }],
    [
      'WF-04 a wrong hash',
      { file_path: 'a.txt', content: NEW, overwrite: true, ...wrong },
      'stale_expected_sha256',
      { current_sha256: true },
    ],
    ['P-40 a hash of nothing', { file_path: 'n.txt', content: NEW, ...wrong }, 'stale_expected_sha256'],
    ['P-40 a hash of nothing, by force', { file_path: 'n.txt', content: NEW, force_overwrite: true, ...wrong }, 'stale_expected_sha256'],
    ['P-40 to append with a wrong hash', { file_path: 'a.txt', content: 'b', append: true, ...wrong }, 'stale_expected_sha256'],
    [
      'P-40 to append with a wrong hash, by force',
      { file_path: 'a.txt', content: 'b', append: true, force_overwrite: true, ...wrong },
      'stale_expected_sha256',
    ],
    [
      '25 a wrong hash in a dry run',
      { file_path: 'a.txt', content: NEW, dry_run: true, ...wrong },
      'stale_expected_sha256',
      { current_sha256: true },
    ],
    ['P-46 no parent', { file_path: 'no/a.txt', content: 'x', create_dirs: false }, 'not_found'],
    ['P-46 no parent in a dry run', { file_path: 'no/a.txt', content: 'x', create_dirs: false, dry_run: true }, 'not_found'],
    ['P-46 a directory', { file_path: 'd', content: 'x', force_overwrite: true }, 'is_directory'],
    ['a final slash', { file_path: 'n/', content: 'x' }, 'is_directory'],
    ['a final slash in a dry run', { file_path: 'n/', content: 'x', dry_run: true }, 'is_directory'],
    ['C-5 outside', { file_path: 'outside', content: 'x', force_overwrite: true }, 'outside_root'],
    ['C-2 above the root', { file_path: '../x', content: 'x' }, 'outside_root'],
    ['C-8 through a file', { file_path: 'a.txt/x', content: 'x' }, 'not_directory'],
    ['38 a control character in a name', { file_path: 'a\nb', content: 'x' }, 'invalid_name'],
    ['WF-10 sensitive', { file_path: 'sub/ID_RSA', content: 'x' }, 'sensitive_path'],
    ['WF-10 sensitive in a dry run', { file_path: '.env', content: 'x', dry_run: true }, 'sensitive_path'],
    ['WF-11 ignored', { file_path: 'deep/er/x.log', content: 'x' }, 'ignored_path'],
    ['WF-11 below an ignored directory', { file_path: 'build/keep.log', content: 'x' }, 'ignored_path'],
    ['C-39b git', { file_path: 'sub/.GIT/x', content: 'x', allow_ignored: true, allow_sensitive: true }, 'protected_path'],
    ['C-39b the store', { file_path: '.filewright/x', content: 'x', allow_ignored: true }, 'protected_path'],
    [
      'P-3 a backup that cannot be made',
      { file_path: 'a.txt', content: NEW, force_overwrite: true, backup_root: 'run.sh' },
      'not_directory',
    ],
    ['31 a backup outside', { file_path: 'a.txt', content: NEW, force_overwrite: true, backup_root: '../bk' }, 'outside_root'],
  ])('%s', async (_, args, code, facts: { current_sha256?: boolean; diff?: string } = {}) => {
    const fixture = await workspaceWith(FILES)
    const before = await fixture.paths()
    const { content } = args as { content: string }
    const outcome = await fixture.call('write_file', args)
    expect(outcome.code).toBe(code)
    expect(outcome.result).toMatchObject({
      file_path: '',
      created: false,
      bytes_written: 0,
      requested_bytes: content.length,
      requested_sha256: sha(fixture.fs, content),
      dry_run: false,
      self_verified: false,
      ...(facts.current_sha256 && { current_sha256: sha(fixture.fs, OLD) }),
      ...(facts.diff !== undefined && { diff: facts.diff }),
    })
    expect(await fixture.paths()).toEqual(before)
    expect(await fixture.read('a.txt')).toBe(OLD)
  })

  test.each<[string, object, string, string]>([
    ['P-44 no content', { file_path: 'n' }, 'missing_argument', 'content'],
    ['the shape comes before the path', { file_path: '.git/x' }, 'missing_argument', 'content'],
    [
      'WF-16 an artifact without a resolver',
      { file_path: 'n', content_artifact_uri: 'artifact://report/1' },
      'unsupported',
      'content_artifact_uri',
    ],
    [
      'P-44 an artifact wins over content',
      { file_path: 'n', content: 'x', content_artifact: { id: 1 } },
      'unsupported',
      'content_artifact',
    ],
    ['WF-13 no hash', { file_path: 'a.txt', content: NEW, overwrite: true, expected_sha256: 'no' }, 'invalid_argument', 'expected_sha256'],
    ['C-22 a lone surrogate', { file_path: 'n', content: 'x\ud800y' }, 'invalid_argument', 'content'],
    ['W-5 a misspelt option', { file_path: 'a.txt', content: NEW, overwite: true }, 'invalid_argument', 'overwite'],
    ['C-41 content that is no text', { file_path: 'n', content: 5 }, 'invalid_argument', 'content'],
    ['an encoding that there is not', { file_path: 'n', content: 'x', source_encoding: 'latin1' }, 'invalid_argument', 'source_encoding'],
  ])('%s', async (_, args, code, field) => {
    const { call, read } = await workspaceWith(FILES)
    const outcome = await call('write_file', args)
    expect({ code: outcome.code, field: outcome.field }).toEqual({ code, field })
    expect(outcome.result.error).toContain(field)
    expect(await read('n')).toBeNull()
  })

  test('C-37 a file larger than what is read whole can be replaced, but not extended', async () => {
    const { call, read } = await workspaceWith({ big: 'x'.repeat(100) }, { fs: { limits: { textBytes: 50 } } })
    expect((await call('write_file', { file_path: 'big', content: 'y', append: true })).code).toBe('too_large')
    const { result } = await call('write_file', { file_path: 'big', content: 'y', force_overwrite: true })
    expect(result).toMatchObject({ diff: null, self_verified: true })
    expect(await read('big')).toBe('y')
  })
})

describe('P-42 a dry run', () => {
  test.each<[string, object, object, RegExp]>([
    ['WF-07 creates nothing', { file_path: 'new/dir/a.txt', content: 'x\n' }, { created: true, diff: null }, /^Would create/],
    [
      'previews without consent',
      { file_path: 'a.txt', content: NEW },
      { created: false, diff: DIFF },
      /needs overwrite and expected_sha256 [0-9a-f]{64}\.$/,
    ],
    ['previews by force', { file_path: 'a.txt', content: NEW, force_overwrite: true }, { diff: DIFF }, /^Would replace a\.txt\.$/],
    [
      'previews an append',
      { file_path: 'a.txt', content: 'x\n', append: true },
      { created: false, diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n alpha\n beta\n+x\n' },
      /^Would append/,
    ],
    ['says that nothing would change', { file_path: 'a.txt', content: OLD }, { created: false, diff: '' }, /already holds/],
  ])('%s', async (_, args, expected, summary) => {
    const fixture = await workspaceWith(FILES)
    const before = await fixture.paths()
    const { result, code } = await fixture.call('write_file', { ...args, dry_run: true, backup_root: 'bk' })
    expect(code).toBeNull()
    expect(result).toMatchObject({
      ...expected,
      dry_run: true,
      bytes_written: 0,
      self_verified: false,
      summary: expect.stringMatching(summary),
    })
    expect(result).not.toHaveProperty('backup_id')
    expect(await fixture.paths()).toEqual(before)
    expect(await fixture.workspace.log()).toHaveLength(1)
  })
})
