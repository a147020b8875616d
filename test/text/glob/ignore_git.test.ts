/** Ignore rules against git itself: `git check-ignore` on random rules and paths names the same file, line and pattern. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { createIgnoreRules } from '../../../src/text/glob/ignore.ts'
import { allPaths, inMemory, onDisk, random, type Tree } from '../planted.ts'

// FILEWRIGHT_SWEEP=1000 for a long run.
const ROUNDS = Number(process.env.FILEWRIGHT_SWEEP ?? 25)

const NAMES = ['a', 'b', 'ab', 'abc', 'a.b', 'foo', 'foo.log', 'Foo', 'x y', 'é', 'a-b', '[a]', '#a', '!b', 'a\\b', 'b ', '日', '*']
const DIRECTORIES = ['a', 'b', 'foo', 'é', 'ab', 'x y', '[a]']
const PIECES = [
  ...['a', 'b', 'ab', 'foo', 'Foo', '.log', 'c', 'é', '日', 'x y', '.', '-', '#', '!', ' '],
  ...['*', '*', '*', '**', '**', '***', '?', '/', '/', '/', '**/', '/**', '/**/', '\\', '\\*', '\\ ', '\\/', '\\[', '{a,b}'],
  ...['[ab]', '[!a]', '[^a]', '[a-c]', '[]a]', '[!]a]', '[a-]', '[-a]', '[\\]a]', '[[:alpha:]]', '[![:alpha:]]', '[[:x:]]'],
  ...['[[:al]', '[a', '[', ']', '[c-a]', '[*?]', '[a/b]', '[é]', '[\\a-\\c]', '[[:upper:][:digit:]]', '[a-[:alpha:]]'],
]

type Random = ReturnType<typeof random>

function pattern(any: Random): string {
  let text = any.pick(['', '', '', '', '!', '!', '/', '#', '\\!', '\\#'])
  for (let i = any.int(5) + 1; i > 0; i--) text += any.pick(PIECES)
  return text + any.pick(['', '', '', '/', ' ', '  ', '\\ ', '\r', '\t', '\\'])
}

function rules(any: Random): string {
  const lines = Array.from({ length: any.int(6) + 1 }, () => pattern(any))
  return any.pick(['', '', '\ufeff']) + lines.join('\n') + any.pick(['', '\n', '\n\n', '\r\n'])
}

function tree(any: Random): Tree {
  const files: Record<string, string> = {}
  const directory = (): string => Array.from({ length: any.int(4) }, () => `${any.pick(DIRECTORIES)}/`).join('')
  const put = (path: string, content: string): void => {
    // A name that is a file in one place cannot be a directory there.
    const used = (other: string): boolean => other.startsWith(`${path}/`) || path.startsWith(`${other}/`) || other === path
    if (!Object.keys(files).some(used)) files[path] = content
  }
  for (let i = 0; i < 4; i++) put(`${directory()}.gitignore`, rules(any))
  if (any.int(2)) put('.git/info/exclude', rules(any))
  for (let i = 0; i < 40; i++) put(directory() + any.pick(NAMES), '')
  return files
}

/** What git says of each path: `file:line:pattern`, or nothing. */
function git(root: string, paths: readonly string[]): string[] {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const input = paths.map((path) => `./${path}\0`).join('')
  const run = spawnSync('git', ['check-ignore', '--no-index', '-v', '-n', '-z', '--stdin'], { cwd: root, env, input })
  // Status 1 says that no path is ignored.
  if (run.status !== 0 && run.status !== 1) throw new Error(run.stderr.toString())
  const fields = run.stdout.toString().split('\0')
  return paths.map((_, i) => {
    const [source, line, text] = fields.slice(i * 4, i * 4 + 3)
    return source === '' ? '' : `${source}:${line}:${text}`
  })
}

async function ours(fs: FileSystem, path: Path, directory: boolean): Promise<string> {
  const verdict = await createIgnoreRules(fs).check(path, directory)
  return verdict.source === null ? '' : `${verdict.source}:${verdict.line}:${verdict.pattern}`
}

test(`verdicts are git's, in ${ROUNDS} random trees`, { timeout: 600_000 }, async () => {
  let decided = 0
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const files = tree(random(seed))
    const root = mkdtempSync(join(tmpdir(), 'filewright-ignore-'))
    try {
      execFileSync('git', ['init', '-q', '--template=', root])
      onDisk(root, files)
      const fs = await inMemory(files)
      const paths = (await allPaths(fs)).filter(({ path }) => path !== '.git' && !path.startsWith('.git/'))
      const theirs = git(
        root,
        paths.map(({ path }) => path),
      )
      const mine = await Promise.all(paths.map(({ path, directory }) => ours(fs, path, directory)))
      expect(
        paths.map(({ path }, i) => `${path} → ${mine[i]}`),
        `seed ${seed}`,
      ).toEqual(paths.map(({ path }, i) => `${path} → ${theirs[i]}`))
      decided += theirs.filter((verdict) => verdict !== '').length
    } finally {
      rmSync(root, { recursive: true })
    }
  }
  // The rules are not so odd that they match nothing.
  expect(decided).toBeGreaterThan(ROUNDS)
})
