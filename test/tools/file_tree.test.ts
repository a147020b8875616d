/** file_tree by rule. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'

let workspace: Workspace

/** Whatever a call answers; each test looks at what it means. */
// biome-ignore lint/suspicious/noExplicitAny: the fields differ from call to call
type Answer = { readonly [key: string]: any }
type Files = { readonly [path: string]: string | { readonly link: string } | null }

async function plant(files: Files): Promise<void> {
  const imported = []
  for (const [path, what] of Object.entries(files)) {
    if (what === null) imported.push({ path, directory: true } as const)
    else if (typeof what === 'object') imported.push({ path, link: what.link })
    else imported.push({ path, content: await workspace.stage(new TextEncoder().encode(what)) })
  }
  await workspace.importFiles(imported, { operator: true, replace: true })
}

async function tree(args: object): Promise<Answer> {
  const { result, error } = await workspace.call('file_tree', { root_path: '.', ...args })
  return error ? { code: error.code, field: error.field } : result
}

beforeEach(async () => {
  workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
})

const PROJECT: Files = {
  'proj/README.md': '# r\n',
  'proj/src/main.rs': 'fn main() {}\n',
  'proj/src/lib/util.rs': '',
  'proj/Cargo.toml': '[package]\n',
}

describe('the picture', () => {
  it('T-P-TR-01: directories first, two spaces a level', async () => {
    await plant(PROJECT)
    expect(await tree({ root_path: 'proj' })).toMatchObject({
      root_path: '/proj',
      tree: 'proj/\n  src/\n    lib/\n      util.rs\n    main.rs\n  Cargo.toml\n  README.md',
      rendered_files: 4,
      rendered_dirs: 3,
      scanned_files: 4,
      scanned_dirs: 3,
      omitted_entries: 0,
      truncated: false,
    })
    expect((await tree({})).tree).toMatch(/^\/\n {2}proj\//)
  })
  it('T-P-TR-02: a depth cut is told, exactly deep enough is not one', async () => {
    await plant(PROJECT)
    expect(await tree({ root_path: 'proj', max_depth: 1 })).toMatchObject({
      tree: 'proj/\n  src/\n  Cargo.toml\n  README.md',
      truncated: true,
      truncated_reason: 'max_depth',
    })
    expect((await tree({ root_path: 'proj', max_depth: 1 })).next_offset).toBeUndefined()
    expect(await tree({ root_path: 'proj', max_depth: 0 })).toMatchObject({
      tree: 'proj/',
      rendered_files: 0,
      rendered_dirs: 1,
      truncated: true,
    })
    expect(await tree({ root_path: 'proj', max_depth: 3 })).toMatchObject({ truncated: false })
    expect(await tree({ root_path: 'proj', max_depth: 9999 })).toMatchObject({ truncated: false })
  })
  it('T-P-TR-03, T-X-05: pages cover every entry once, in order', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `d${i % 4}/file${String(i).padStart(2, '0')}.txt`)
    await plant(Object.fromEntries(names.map((name) => [name, ''])))
    const whole = (await tree({})).tree.split('\n').slice(1)
    for (const max_chars of [30, 57, 200, 1000]) {
      const seen: string[] = []
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page: Answer = await tree({ max_chars, offset })
        expect(page.tree.length).toBeLessThanOrEqual(max_chars)
        seen.push(...page.tree.split('\n').slice(1))
        offset = page.next_offset
      }
      expect(seen).toEqual(whole)
    }
    expect(await tree({ max_chars: 3 })).toMatchObject({ tree: '/', truncated: true, truncated_reason: 'max_chars' })
  })
  it('T-P-TR-05: ignore rules of every level, .ignore over .gitignore', async () => {
    await plant({
      'p/.gitignore': 'dist/\n!dist/keep\n*.log\n',
      'p/dist/keep': '',
      'p/a.log': '',
      'p/src/.gitignore': 'gen.txt\n!keep.log\n',
      'p/src/gen.txt': '',
      'p/src/keep.log': '',
      'p/gen.txt': '',
      '.gitignore': 'above.txt\n',
      'p/above.txt': '',
      'p/.ignore': '!a.log\n',
    })
    expect((await tree({ root_path: 'p' })).tree).toBe('p/\n  src/\n    keep.log\n  a.log\n  gen.txt')
  })
  it('T-P-TR-06, 07: exclude and include', async () => {
    await plant({
      'target/debug/x.o': '',
      'src/a.rs': '',
      'src/b.txt': '',
      'src/deep/d.rs': '',
      'doc/c.md': '',
      e: null,
      'gen.rs': '',
      '.gitignore': 'gen.rs\n',
    })
    expect((await tree({ exclude_patterns: ['target/**', 'src', 'doc/'] })).tree).toBe('/\n  e/')
    expect(await tree({ include_patterns: ['*.rs'] })).toMatchObject({
      tree: '/\n  src/\n    deep/\n      d.rs\n    a.rs\n  gen.rs',
      rendered_files: 3,
      rendered_dirs: 3,
    })
    expect(await tree({ include_patterns: ['*/'] })).toMatchObject({
      tree: '/\n  doc/\n  e/\n  src/\n    deep/\n  target/\n    debug/',
      rendered_files: 0,
    })
    expect(await tree({ include_patterns: ['a{'] })).toMatchObject({ code: 'invalid_argument' })
  })
  it('T-P-TR-08, 09: hidden names, git, links', async () => {
    await plant({ '.env': '', '.config/x': '', '.git/HEAD': '', 'sub/.git/HEAD': '', a: '', up: { link: 'sub' } })
    expect((await tree({})).tree).toBe('/\n  sub/\n  a\n  up -> sub')
    expect((await tree({ show_hidden: true })).tree).toBe('/\n  .config/\n    x\n  sub/\n  .env\n  a\n  up -> sub')
  })
  it('P-112: control characters are escaped', async () => {
    await plant({ 'a.txt': '', link: { link: 'x\ny\u001b[2J' } })
    expect((await tree({})).tree).toBe('/\n  a.txt\n  link -> x\\x0ay\\x1b[2J')
  })
})

describe('the scan', () => {
  it('T-P-TR-10: the fingerprint is of the structure alone', async () => {
    await plant({ 'a.txt': 'one\n', 'sub/b.txt': '' })
    const { snapshot_fingerprint } = await tree({})
    expect((await tree({ max_chars: 12, offset: 1 })).snapshot_fingerprint).toBe(snapshot_fingerprint)
    await plant({ 'a.txt': 'two\n' })
    expect((await tree({})).snapshot_fingerprint).toBe(snapshot_fingerprint)
    await plant({ 'c.txt': '' })
    expect((await tree({})).snapshot_fingerprint).not.toBe(snapshot_fingerprint)
  })
  it('T-P-TR-11: a budget ends it, and nothing unscanned is drawn', async () => {
    await plant(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, ''])))
    expect(await tree({ max_scanned_files: 10, include_stats: true })).toMatchObject({
      scan_truncated: true,
      stats_complete: false,
      scanned_files: 10,
      rendered_files: 10,
      omitted_entries: 0,
      truncated: true,
      truncated_reason: 'max_scanned_files',
    })
  })
  it('T-P-TR-12, 14: bad roots and bad numbers', async () => {
    await plant({ 'a.txt': '' })
    expect(await tree({ root_path: 'a.txt' })).toMatchObject({ code: 'not_directory' })
    expect(await tree({ root_path: 'gone' })).toMatchObject({ code: 'not_found' })
    for (const [field, value] of Object.entries({
      max_chars: 0,
      offset: -1,
      max_depth: -1,
      max_scanned_files: 0,
      show_hidden: 'yes',
      stats_scope: 'all',
    })) {
      expect(await tree({ [field]: value })).toEqual({ code: 'invalid_argument', field })
    }
  })
  it('T-P-TR-13: large files are scanned and not drawn', async () => {
    await plant({ small: 'x', large: '12345678901' })
    expect(await tree({ max_file_size: 10 })).toMatchObject({ tree: '/\n  small', scanned_files: 2, omitted_entries: 1 })
  })
  it('P-115: statistics of the picture, or of everything', async () => {
    await plant({ 'src/a.rs': 'abc\n', 'src/b.rs': 'def\n', 'x.md': '', 'src/deep/c.rs': 'x' })
    expect(await tree({ include_stats: true, max_depth: 2 })).toMatchObject({
      stats_complete: true,
      extension_stats: [
        { extension: 'rs', files: 2, bytes: 8 },
        { extension: 'md', files: 1, bytes: 0 },
      ],
      largest_dirs: [
        { path: 'src', files: 2 },
        { path: '.', files: 1 },
      ],
    })
    expect((await tree({ include_stats: true, max_depth: 2, stats_scope: 'scanned' })).extension_stats[0]).toEqual({
      extension: 'rs',
      files: 3,
      bytes: 9,
    })
  })
  it('a canceled scan says so', async () => {
    await plant({ a: '' })
    const stop = new AbortController()
    const call = workspace.call('file_tree', { root_path: '.' }, { signal: stop.signal })
    stop.abort()
    const { result, error } = await call
    expect(error?.code === 'canceled' || result.scan_cancelled === true).toBe(true)
  })
})
