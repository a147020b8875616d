/** Globs that callers write: one line for each rule, and hostile ones. */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { compileExcludes, compileNameGlob, compilePathGlobs } from '../../../src/text/glob/glob.ts'

describe('a glob for one name', () => {
  test.each<[glob: string, matched: string[], others: string[]]>([
    ['*', ['a', 'a.b', ''], []],
    ['*.rs', ['a.rs', '.rs', 'a.b.rs'], ['a.rsx', 'rs', 'A.RS']],
    ['?', ['a', 'é', '😀'], ['', 'ab']],
    ['a?c', ['abc', 'a😀c'], ['ac', 'abbc']],
    ['[abc]x', ['ax', 'cx'], ['dx', 'abx']],
    ['[!abc]x', ['dx', '😀x'], ['ax', 'x']],
    ['[^a-c]', ['d'], ['b']],
    ['[]]', [']'], ['[']],
    ['[a-]', ['a', '-'], ['b']],
    ['[😀-😂]', ['😁'], ['😃']],
    ['[[:digit:]]', ['7'], ['a', ':']],
    ['{a,b}.ts', ['a.ts', 'b.ts'], ['c.ts', '{a,b}.ts']],
    ['{a,b{c,d}}', ['a', 'bc', 'bd'], ['b']],
    ['a{,b}', ['a', 'ab'], ['abb']],
    ['{id}.ts', ['{id}.ts'], ['id.ts']],
    ['{1..9}', ['{1..9}'], ['5']],
    ['[{,}]', ['{', ',', '}'], ['a']],
    ['\\*', ['*'], ['a']],
    ['\\{a,b}', ['{a,b}'], ['a']],
    ['**', ['a', 'ab'], []],
    ['a**b', ['ab', 'axxb'], ['a']],
    ['+(a|b)', ['+(a|b)'], ['a']],
    ['', [], []],
  ])('%s', (glob, matched, others) => {
    if (glob === '') return expect(codeOf(() => compileNameGlob(glob, 'pattern'))).toBe('invalid_argument')
    const matches = compileNameGlob(glob, 'pattern')
    expect([...matched, ...others].filter(matches)).toEqual(matched)
  })
})

describe('a list of gitignore-style globs', () => {
  test.each<[globs: string[], matched: string[], others: string[]]>([
    [['*.rs'], ['a.rs', 'x/y/a.rs'], ['a.ts']],
    [['src/*.rs'], ['src/a.rs'], ['x/src/a.rs', 'src/x/a.rs']],
    [['/a'], ['a', 'a/'], ['x/a']],
    [['./a/b'], ['a/b'], ['x/a/b']],
    [['a/'], ['a/', 'x/a/'], ['a']],
    [['*/'], ['a/', 'a/b/'], ['a']],
    [['**/a'], ['a', 'x/a', 'x/y/a'], ['xa']],
    [['a/**'], ['a/b', 'a/b/c'], ['a', 'a/', 'x/a/b']],
    [['a/**/b'], ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb']],
    [['{src,lib}/**/*.{ts,js}'], ['src/a.ts', 'lib/x/y/a.js'], ['a.ts', 'src/a.rs']],
    [['*.ts', '!*.d.ts'], ['a.ts'], ['a.d.ts', 'a.js']],
    [['!*.ts'], ['a.js'], ['a.ts']],
    [['!*.ts', 'a.ts'], ['a.ts'], ['b.ts', 'a.js']],
    [['#a'], ['#a'], ['a']],
    [[], [], ['a']],
  ])('%j', (globs, matched, others) => {
    const { matches } = compilePathGlobs(globs, 'include_patterns')
    const selected = [...matched, ...others].filter((path) => matches(path.replace(/\/$/, ''), path.endsWith('/')))
    expect(selected).toEqual(matched)
  })

  test('what is below a selected directory is covered', () => {
    const { covers } = compilePathGlobs(['src/', '/lib'], 'include_patterns')
    const paths = ['src/a', 'x/src/y/a', 'lib/a', 'x/lib/a', 'src']
    expect(paths.filter((path) => covers(path, false))).toEqual(['src/a', 'x/src/y/a', 'lib/a'])
    const but = compilePathGlobs(['src/', '!*.d.ts'], 'include_patterns').covers
    expect(['src/a.ts', 'src/a.d.ts'].filter((path) => but(path, false))).toEqual(['src/a.ts'])
    const only = compilePathGlobs(['!x/', '!*.ts'], 'include_patterns').covers
    expect(['a.js', 'y/a.js', 'x/a.js', 'y/a.ts'].filter((path) => only(path, false))).toEqual(['a.js', 'y/a.js'])
  })

  test('leaving out dir/** leaves out the directory, anchored as it was', () => {
    const paths = ['target/', 'target/a', 'x/target/', 'target']
    const excluded = (glob: string) => {
      const { matches } = compileExcludes([glob], 'exclude_patterns')
      return paths.filter((path) => matches(path.replace(/\/$/, ''), path.endsWith('/')))
    }
    expect(excluded('target/**')).toEqual(['target/', 'target/a'])
    expect(excluded('./target/**')).toEqual(['target/', 'target/a'])
    expect(excluded('**/target/**')).toEqual(['target/', 'target/a', 'x/target/'])
  })

  test('a way named without wildcards was meant', () => {
    const { leadsThrough } = compilePathGlobs(['dist/lib/*.js', '*.ts', '!gone/**', '{out,tmp}/**'], 'include_patterns')
    const directories = ['dist', 'dist/lib', 'dist/lib/x', 'dist/other', 'src', 'gone', 'out', 'tmp/x']
    expect(directories.filter(leadsThrough)).toEqual(['dist', 'dist/lib', 'dist/lib/x', 'out', 'tmp/x'])
  })
})

describe('hostile globs', () => {
  test.each([
    ...['', '/', './', '!', '[a', '[[:x:]]', 'a\\', '{a', '{a,{b}', 'a'.repeat(5000)],
    ...['{a,b}'.repeat(10), `a${'{,}'.repeat(2000)}`, `{${'a,'.repeat(1200)}b}`, '{a,'.repeat(1300)],
  ])('%s is refused by name', (glob) => {
    expect(codeOf(() => compilePathGlobs(['ok', glob], 'include_patterns'))).toBe('invalid_argument')
  })

  test('the field and the glob are in the message', () => {
    expect(() => compilePathGlobs(['ok', '[a'], 'include_patterns')).toThrow(/include_patterns\[1\].*"\[a"/)
  })

  // A matcher that backtracks through all stars would outlive the universe here, and the test's time limit.
  test('many stars end', () => {
    const text = 'a'.repeat(4000)
    const globs = ['*a'.repeat(1000), '**/'.repeat(1000), `${'*a*/**/'.repeat(500)}b`, '?*'.repeat(2000), '+(a|aa)*b']
    const results = globs.map((glob) => [`${text}b`, 'a/'.repeat(1000)].map((path) => compilePathGlobs([glob], 'x').matches(path, false)))
    expect(results).toEqual([
      [false, false],
      [false, false],
      [false, false],
      [true, false],
      [false, false],
    ])
  })
})

test('names are matched as bash matches them', () => {
  const piece = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '[a-b]', '**', '\\*', ']')
  const glob = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
  const name = fc.array(fc.constantFrom('a', 'b', '.', '*', ']'), { minLength: 1, maxLength: 6 }).map((chars) => chars.join(''))
  const cases = fc.sample(fc.tuple(glob, name), { numRuns: 400, seed: 7 })
  // One line a case, so that one shell judges all of them.
  const script = 'while IFS= read -r glob && IFS= read -r name; do case $name in $glob) echo 1;; *) echo 0;; esac; done'
  const run = spawnSync('bash', ['-c', script], { input: `${cases.flat().join('\n')}\n`, env: { LC_ALL: 'C' } })
  const ours = cases.map(([glob, name]) => `${glob} ${name} ${compileNameGlob(glob, 'pattern')(name) ? 1 : 0}`)
  const theirs = run.stdout.toString().split('\n')
  expect(ours).toEqual(cases.map(([glob, name], i) => `${glob} ${name} ${theirs[i]}`))
})

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (isFilewrightError(error)) return error.code
    throw error
  }
  return 'none'
}
