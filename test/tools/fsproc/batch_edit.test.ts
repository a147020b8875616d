/** The `batch_edit` family: all or nothing, checked before, and taken back (F-80, F-81). */
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { platformHasher } from '../../../src/core/hash.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import { type ProfileFixture, profileWith } from '../../profiles/setup.ts'
import { temporaryFolder } from '../storages.ts'

const hashOf = (text: string): string => platformHasher().hash(new TextEncoder().encode(text))
const replace = (file: string, ...edits: object[]) => ({ op: 'replace', file, edits })
const create = (file: string, content: string) => ({ op: 'create', file, content })
const remove = (file: string) => ({ op: 'delete', file })
const rewrite = (file: string, content: string, checksum: string) => ({ op: 'rewrite', file, content, checksum })

const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' }

async function checkpointOf(fixture: ProfileFixture, operations: object[], more: object = {}): Promise<string> {
  const { result } = await fixture.call('batch_edit', { operations, ...more })
  expect(result).toMatchObject({ success: true, data: { applied: true } })
  return (result.data as { checkpoint: string }).checkpoint
}

describe('batch_edit', () => {
  it('does all in one change', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const { result, text } = await fixture.call('batch_edit', {
      operations: [
        replace('a.txt', { line: 1, old: 'one', new: '1' }, { line: 3, old: 'three', new: '3a\n3b' }),
        create('new/n.txt', 'n\n'),
        remove('b.txt'),
        rewrite('sub/c.txt', 'C', hashOf('c\n').toUpperCase()),
      ],
    })
    expect(result).toMatchObject({ data: { applied: true, summary: { modified: 1, created: 1, deleted: 1, rewritten: 1 } } })
    expect(text).toContain((result.data as { checkpoint: string }).checkpoint)
    expect(await fixture.read('a.txt')).toBe('1\ntwo\n3a\n3b\n')
    expect(await fixture.read('new/n.txt')).toBe('n\n')
    expect(await fixture.read('b.txt')).toBeNull()
    expect(await fixture.read('sub/c.txt')).toBe('C')
    expect((await fixture.workspace.log({ limit: 5 })).filter(({ record }) => record.tool === 'batch_edit')).toHaveLength(1)
  })

  it('keeps line ends, and what it does not name (T-F-BE-06)', async () => {
    const fixture = await profileWith('fsproc', { f: 'a\r\nb\r\nc\rd\n' })
    await checkpointOf(fixture, [replace('f', { old: 'a', new: 'x\ny' })])
    expect(await fixture.read('f')).toBe('x\r\ny\r\nb\r\nc\rd\n')
  })

  it.each<[string, object[], string, RegExp]>([
    ['T-F-BE-01: an edit that does not fit', [replace('b.txt', { old: 'none', new: '' })], 'no_match', /operations\[1\]\.edits\[0\]/],
    ['T-F-BE-02: a file that exists', [create('b.txt', '')], 'already_exists', /b\.txt/],
    ['T-F-BE-03: a stale checksum', [rewrite('b.txt', '', hashOf('other'))], 'stale_expected_sha256', /b\.txt/],
    ['T-F-BE-07: a path outside', [create('../x', '')], 'outside_root', /\.\.\/x/],
    ['a missing file', [remove('none')], 'not_found', /none/],
    ['a rewrite of nothing', [rewrite('none', '', hashOf(''))], 'not_found', /none/],
    ['a directory', [remove('sub')], 'is_directory', /sub/],
    ['git internals', [create('.git/hooks/x', '')], 'protected_path', /\.git/],
    ['one file twice', [create('./n', ''), create('n', '')], 'invalid_argument', /operation 1/],
    ['edits that overlap', [replace('b.txt', { old: 'b', new: '' }, { old: 'b', new: 'x' })], 'invalid_argument', /edits\[1\]/],
  ])('%s: nothing is applied', async (_, operations, code, said) => {
    const fixture = await profileWith('fsproc', FILES)
    const first = replace('a.txt', { old: 'one', new: '1' })
    const { code: found, result } = await fixture.call('batch_edit', { operations: [first, ...operations] })
    expect(found).toBe(code)
    expect(result).toEqual({ success: false, error: expect.stringMatching(said) })
    for (const [file, text] of Object.entries(FILES)) expect(await fixture.read(file)).toBe(text)
    expect(await fixture.read('n')).toBeNull()
  })

  it.each<[string, unknown, string]>([
    ['no operations', undefined, 'missing_argument'],
    ['an empty list', [], 'invalid_argument'],
    ['an unknown operation', [{ op: 'move', file: 'a.txt' }], 'invalid_argument'],
    ['an empty old', [replace('a.txt', { old: '', new: 'x' })], 'invalid_argument'],
    ['no edits', [{ op: 'replace', file: 'a.txt', edits: [] }], 'invalid_argument'],
    ['a checksum that is none', [rewrite('a.txt', '', 'abc')], 'invalid_argument'],
    ['a line before the first', [replace('a.txt', { line: 0, old: 'one', new: 'x' })], 'invalid_argument'],
    ['half a character', [create('n', '\ud800')], 'invalid_argument'],
  ])('refuses %s', async (_, operations, code) => {
    const fixture = await profileWith('fsproc', FILES)
    expect((await fixture.call('batch_edit', { operations })).code).toBe(code)
  })

  it('acts below path, on links as a whole, and lets null stand for no line', async () => {
    const fixture = await profileWith('fsproc', { ...FILES, 'sub/link': { link: 'c.txt' } })
    await checkpointOf(fixture, [remove('link'), replace('c.txt', { line: null, old: 'c', new: 'C' })], { path: 'sub' })
    expect(await fixture.read('sub/c.txt')).toBe('C\n')
    expect((await fixture.call('batch_edit', { path: 'sub', operations: [remove('../a.txt')] })).code).toBe('outside_root')
  })
})

describe('batch_edit_check', () => {
  it('tells all problems as data, and changes nothing', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const { result, text } = await fixture.call('batch_edit_check', {
      operations: [
        replace('a.txt', { line: 2, old: 'one', new: '1' }),
        replace('b.txt', { line: 7, old: 'none', new: '' }, { old: 'b', new: 'B' }),
        create('../x', ''),
        rewrite('sub/c.txt', 'c\n', hashOf('c\n')),
      ],
    })
    expect(result.data).toMatchObject({
      ok: false,
      blocking: true,
      error_count: 2,
      warning_count: 2,
      diagnostics: [
        { operation: 0, file: 'a.txt', severity: 'warning', code: 'line_moved', line: 1, edit: 0 },
        { operation: 1, file: 'b.txt', severity: 'error', code: 'no_match', line: 7, edit: 0 },
        { operation: 2, file: '../x', severity: 'error', code: 'outside_root' },
        { operation: 3, file: 'sub/c.txt', severity: 'warning', code: 'no_change' },
      ],
    })
    expect(text).toContain('no_match')
    for (const [file, held] of Object.entries(FILES)) expect(await fixture.read(file)).toBe(held)
    expect(await fixture.workspace.log().then((entries) => entries.filter(({ record }) => record.kind === 'call'))).toEqual([])
  })

  it('says that a batch can be applied', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const { result } = await fixture.call('batch_edit_check', { operations: [remove('a.txt'), create('a/b.txt', '')] })
    expect(result.data).toEqual({ ok: true, diagnostics: [], blocking: false, error_count: 0, warning_count: 0 })
  })
})

describe('batch_rollback', () => {
  const operations = [
    replace('a.txt', { old: 'two', new: '' }),
    create('new/deep/n.txt', 'n'),
    remove('b.txt'),
    rewrite('sub/c.txt', 'C', hashOf('c\n')),
  ]

  it('restores all, once (T-F-BE-04)', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const checkpoint = await checkpointOf(fixture, operations)
    expect((await fixture.call('batch_rollback', { checkpoint })).result).toEqual({ success: true, data: { restored: true } })
    for (const [file, held] of Object.entries(FILES)) expect(await fixture.read(file)).toBe(held)
    expect((await fixture.fs.list('' as never)).map(({ path }) => path)).not.toContain('new')
    expect((await fixture.call('batch_rollback', { checkpoint })).code).toBe('conflict')
    // It is an undo like any other.
    await fixture.workspace.redo()
    expect(await fixture.read('b.txt')).toBeNull()
  })

  it('is refused as a conflict when a file moved on, and nothing is restored', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const checkpoint = await checkpointOf(fixture, operations)
    await fixture.call('write_file', { file: 'sub/c.txt', content: 'later' })
    const { code, result } = await fixture.call('batch_rollback', { checkpoint })
    expect([code, result.error]).toEqual(['conflict', expect.stringContaining('sub/c.txt')])
    expect(await fixture.read('b.txt')).toBeNull()
    expect(await fixture.read('sub/c.txt')).toBe('later')
  })

  it('leaves a folder in which other things are by now', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const checkpoint = await checkpointOf(fixture, operations)
    await fixture.call('write_file', { file: 'new/other', content: 'x' })
    expect((await fixture.call('batch_rollback', { checkpoint })).code).toBeNull()
    expect([await fixture.read('new/other'), await fixture.read('new/deep/n.txt')]).toEqual(['x', null])
  })

  it('a batch that changed nothing has nothing to restore', async () => {
    const fixture = await profileWith('fsproc', FILES)
    const checkpoint = await checkpointOf(fixture, [replace('a.txt', { old: 'one', new: 'one' })])
    expect((await fixture.call('batch_rollback', { checkpoint })).code).toBeNull()
  })

  it('takes back no other change, and nothing outside of path', async () => {
    const fixture = await profileWith('fsproc', FILES)
    await fixture.call('write_file', { file: 'a.txt', content: 'x' })
    const other = (await fixture.workspace.log())[0]?.record.id as string
    for (const checkpoint of ['none', other]) expect((await fixture.call('batch_rollback', { checkpoint })).code).toBe('not_found')
    const checkpoint = await checkpointOf(fixture, [remove('b.txt')])
    expect((await fixture.call('batch_rollback', { path: 'sub', checkpoint })).code).toBe('outside_root')
  })

  it('still knows a checkpoint after a restart, with modes and links, and the text is short', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'd'))
    writeFileSync(join(root, 'big'), 'x'.repeat(5_000_000), { mode: 0o600 })
    symlinkSync('d', join(root, 'link'))
    const open = async () => openWorkspace({ fs: await openNodeFs({ root, durability: 'process' }), profile: 'fsproc' })
    const first = await open()
    const { result } = await first.call('batch_edit', { operations: [remove('big'), remove('link')] })
    const { checkpoint } = result.data as { checkpoint: string }
    expect(checkpoint.length).toBeLessThan(100)
    await first.close()
    const second = await open()
    expect((await second.call('batch_rollback', { checkpoint })).error).toBeNull()
    await second.close()
    expect(readFileSync(join(root, 'big'), 'latin1')).toBe('x'.repeat(5_000_000))
    expect(lstatSync(join(root, 'big')).mode & 0o777).toBe(0o600)
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true)
  })
})
