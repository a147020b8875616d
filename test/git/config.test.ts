/** Git's settings, against git itself. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { isFilewrightError } from '../../src/core/errors.ts'
import { editConfig, readConfig } from '../../src/git/config.ts'
import { git, gitBytes, tempDir, tryGit } from './real_git.ts'

const { dir, remove } = tempDir()
afterAll(remove)
const path = join(dir, 'config')

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What git says is in a file; null when it refuses it. */
function listed(text: string | Uint8Array): string[] | null {
  writeFileSync(path, text)
  const { status, stdout } = tryGit(dir, ['config', '--file', path, '--no-includes', '--list', '-z'])
  return status === 0 ? stdout.toString().split('\0').slice(0, -1) : null
}

/** The same of ours. */
function ours(text: string | Uint8Array): string[] | null {
  try {
    const { entries } = readConfig(typeof text === 'string' ? bytes(text) : text)
    return entries.map(({ key, value }) => (value === null ? key : `${key}\n${value}`))
  } catch (error) {
    if (isFilewrightError(error, 'corrupt')) return null
    throw error
  }
}

const CASES: readonly string[] = [
  '',
  '[core]\n\tbare = true\n',
  '[core]bare=true\n[core] filemode\n',
  '\ufeff[core]\n\tbare = false\n',
  '[Core]\nBare = TRUE ; comment\n# comment\n; other\n',
  '[remote "Origin"]\n\turl = https://example.com/a#b.git\n',
  '[remote "a\\"b\\\\c\\d"]\n\turl = "x # y ; z" # comment\n',
  '[branch "feature/x.y"]\n\tremote = origin\n\tmerge = refs/heads/x\n',
  '[a]\n\tb = one \\\n  two\n',
  '[a]\n\tb = "one \\\n  two" three\n',
  '[a]\r\n\tb = c\r\n\td\r\n',
  '[a]\n\tb = \\t\\n\\b\\\\\\"\n',
  '[a]\n\tb = x  y \t z   \n',
  '[a]\n\tb = " lead and trail "\n',
  '[a]\n\tb =\n\tc = ""\n\td\n',
  '[a.B]\n\tc = d\n',
  '[a]\n\tb = c',
  '[a]\n\tb = "open\n',
  '[a]\n\tb = \\q\n',
  '[a]\n\t1b = c\n',
  '[a]\n\tb c = d\n',
  '[a\n\tb = c\n',
  '[a "b]\n\tc = d\n',
  '[a "b" ]\n\tc = d\n',
  '[a "b"]c = d ; e\n',
  '[]\n\tb = c\n',
  '[a]\n\tb = c\\\n',
  '[a]\n\tb-c = d\n\tB-C = e\n',
  '[include]\n\tpath = other\n',
  '[a]\n\tü = 1\n',
  '[a]\n\tb = ü\n[a "ü"]\n\tb = x\n',
]

describe('settings', () => {
  for (const text of CASES) {
    it(`reads as git does: ${JSON.stringify(text)}`, () => expect(ours(text)).toEqual(listed(text)))
  }

  it('reads any mixture as git does', () => {
    const piece = fc.constantFrom(
      ...'[a] [b "c"] [d.e] \n \t = " \\ # ; x Y 1 - . \r\n \\n \\" \\\n name value'.split(' '),
      ' ',
      '\n',
      'k = v\n',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        expect(ours(text)).toEqual(listed(text))
      }),
      { numRuns: Number(process.env.FILEWRIGHT_RUNS ?? 150) },
    )
  })

  it('gives values, lists, subsections, yes and no', () => {
    const config = readConfig(
      bytes('[remote "o"]\nurl = 1\nurl = 2\n[remote "O.x"]\nurl=3\n[core]\nbare\nx=no\ny=5\nz=maybe\n[include]\npath=/etc/x\n'),
    )
    expect(config.get('REMOTE.o.URL')).toBe('2')
    expect(config.getAll('remote.o.url')).toEqual(['1', '2'])
    expect(config.subsections('remote')).toEqual(['o', 'O.x'])
    expect([config.boolean('core.bare'), config.boolean('core.x'), config.boolean('core.y'), config.boolean('core.none')]).toEqual([
      true,
      false,
      true,
      undefined,
    ])
    expect(() => config.boolean('core.z')).toThrow()
    expect(config.notes).toHaveLength(1)
  })

  it('later files win', () => {
    expect(readConfig(bytes('[a]\nb=1\n'), bytes('[a]\nb=2\n')).get('a.b')).toBe('2')
  })

  it('makes settings that git reads, and keeps the rest byte for byte', () => {
    const values = [
      'plain',
      ' lead',
      'trail ',
      'a;b',
      'a#b',
      'q"q',
      'b\\s',
      'l1\nl2',
      't\tt',
      'ü 名',
      '',
      '+refs/heads/*:refs/remotes/origin/*',
      'c\rr',
    ]
    for (const value of values) {
      const text =
        '# mine\n[core]\n\tbare = true ; yes\n[remote "origin"] ; head\n\turl = old\n\tfetch = a\n\tfetch = b\n[z]\n\tlast = \xff'
      const start = Uint8Array.from(text, (char) => char.charCodeAt(0))
      const edited = editConfig(start, [
        { key: 'remote.origin.url', values: [value] },
        { key: 'remote.origin.promisor', values: ['true'] },
        { key: 'remote.origin.fetch', values: [value, 'two'] },
        { key: 'extensions.partialClone', values: ['origin'] },
        { key: 'branch.a"b\\c.remote', values: [value] },
      ])
      writeFileSync(path, edited)
      const get = (key: string): string[] =>
        gitBytes(dir, ['config', '--file', path, '-z', '--get-all', key]).toString().split('\0').slice(0, -1)
      expect(get('remote.origin.url')).toEqual([value])
      expect(get('remote.origin.fetch')).toEqual([value, 'two'])
      expect(get('remote.origin.promisor')).toEqual(['true'])
      expect(get('extensions.partialclone')).toEqual(['origin'])
      expect(get('branch.a"b\\c.remote')).toEqual([value])
      const kept = Buffer.from(edited).toString('latin1')
      expect(kept).toContain('# mine\n[core]\n\tbare = true ; yes\n[remote "origin"] ; head\n')
      expect(kept).toContain('[z]\n\tlast = \xff\n')
      expect(ours(edited)?.length).toBe(8)
    }
  })

  it('settings that are made twice or removed leave no trace of the first', () => {
    const once = editConfig(bytes('[a]b=1\n[c]\n'), [{ key: 'a.b', values: ['2'] }])
    const twice = editConfig(once, [
      { key: 'a.b', values: [] },
      { key: 'c.d', values: ['x'] },
    ])
    writeFileSync(path, twice)
    expect(git(dir, 'config', '--file', path, '--list')).toBe('c.d=x')
    expect(editConfig(twice, [{ key: 'a.none', values: [] }])).toEqual(twice)
  })

  it('refuses keys that git refuses', () => {
    for (const key of ['a', 'a.1b', '.b', 'a b.c', 'a.b\n.c', 'a.']) {
      expect(() => editConfig(bytes(''), [{ key, values: ['x'] }])).toThrow()
    }
  })
})
