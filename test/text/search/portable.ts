/** What a search must give on every platform: with and without Buffer, and with the linear engine loaded when it is needed. */
import { expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { createIgnoreRules } from '../../../src/text/glob/ignore.ts'
import { compileQuery, type Query } from '../../../src/text/search/query.ts'
import { searchFiles } from '../../../src/text/search/search.ts'
import { walkFiles } from '../../../src/text/search/walk.ts'

const FILES: { readonly [path: string]: string | number[] } = {
  '.gitignore': 'out/\n',
  'a.txt': '\ufeffÉcole needle\r\n😀 hit\r\nécole',
  'b.bin': [0x68, 0x69, 0x74, 0],
  'c.txt': [0x68, 0x69, 0x74, 0xe9],
  'd.txt': `${'a'.repeat(40)}!\n${' '.repeat(100_000)}x\nhit  \n`,
  'out/e.txt': 'hit',
}

/** Registers the cases; `open` makes an empty storage. */
export function searchSuite(open: () => FileSystem): void {
  const everywhere = { text: 'hit', isRegex: false, fold: false, multiline: false, field: 'query' }
  it.each<[name: string, query: Partial<Query>, found: string[]]>([
    ['a literal', {}, ['a.txt:2:3', 'd.txt:3:1']],
    ['without case', { text: 'ÉCOLE', fold: true }, ['a.txt:1:1', 'a.txt:3:1']],
    ['a regular expression', { text: '\\bn\\w+e$', isRegex: true }, ['a.txt:1:7']],
    ['across lines', { text: 'needle\n😀', multiline: true }, ['a.txt:1:7']],
    ['an exponential pattern', { text: '^(a+)+!$', isRegex: true }, ['d.txt:1:1']],
    ['a quadratic pattern on a long line', { text: '\\s+$', isRegex: true }, ['d.txt:3:4']],
  ])('search: %s', async (_, query, found) => {
    const fs = open()
    await plant(fs)
    const { signal } = new AbortController()
    const selection = { ignore: createIgnoreRules(fs), hidden: false, include: null, exclude: null, extensions: null }
    const budget = { maxResults: 100, maxFiles: 100, maxScannedFiles: 100, maxScannedBytes: 1e9, timeout: 60_000, maxFileBytes: 1e9 }
    const search = compileQuery({ ...everywhere, ...query })
    const outcome = await searchFiles(fs, walkFiles(fs, '' as Path, selection, { signal }), {
      search,
      budget,
      mode: 'content',
      context: 0,
      signal,
    })
    expect(outcome.matches.map(({ path, line, column }) => `${path}:${line}:${column}`)).toEqual(found)
    expect(outcome).toMatchObject({ searchedFiles: 2, limits: [], passedOver: null })
  })
}

async function plant(fs: FileSystem): Promise<void> {
  const changes = Object.entries(FILES).map(([path, content]) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content)
    return {
      kind: 'write',
      path: path as Path,
      expect: 'absent',
      content: { hash: fs.hasher.hash(bytes), size: bytes.length, bytes },
    } as const
  })
  const draft = { time: '2025-01-01T00:00:00.000Z', kind: 'import', subject: 'test', tool: 'import', call: null } as const
  await fs.commit([{ kind: 'makeDirectory', path: 'out' as Path }, ...changes], { ...draft, id: '20250101T000000000Z-00000000' })
}
