/** Search against ripgrep: the same lines of the same files, on a generated tree with nested ignore files. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { inMemory, onDisk, random, type Tree } from '../planted.ts'

const WORDS =
  'return const user orderItem ORDER item_7 É école ÉCOLE 日本語 naïve Größe 🙂 K kelvin ſs foo.bar [x] a b 123 4567Ab TODO: throw new Error(`x'.split(
    ' ',
  )

function content(any: ReturnType<typeof random>): string {
  const end = any.pick(['\n', '\n', '\n', '\r\n'])
  const lines = Array.from({ length: any.int(30) }, () =>
    Array.from({ length: any.int(8) }, () => any.pick(WORDS)).join(any.pick([' ', ' ', '\t', ''])),
  )
  return any.pick(['', '', '', '\ufeff']) + lines.join(end) + any.pick([end, ''])
}

function generate(seed: number): Tree {
  const any = random(seed)
  const files: Record<string, string> = {
    '.gitignore': '*.log\nbuild/\n/only-here\n!keep.log\n',
    'lib/.gitignore': '*.tmp\n!x.log\nsub/*\n!sub/a.ts\n',
  }
  const directories = ['', 'src/', 'src/deep/er/', 'lib/', 'lib/sub/', 'build/', 'a.b/', 'A/', 'é/']
  for (const directory of directories) {
    for (const name of ['a.ts', 'b.js', 'c.tsx', 'x.log', 'keep.log', 'y.tmp', 'only-here', '.hidden', 'Makefile', 'z.PY']) {
      if (any.int(10) > 0) files[directory + name] = content(any)
    }
  }
  return files
}

let root: string
let fs: FileSystem
let workspace: Workspace

beforeAll(async () => {
  const tree = generate(11)
  root = mkdtempSync(join(tmpdir(), 'filewright-rg-'))
  onDisk(root, tree)
  // ripgrep reads ignore files in repositories only.
  mkdirSync(join(root, '.git'))
  fs = await inMemory(tree)
  workspace = await openWorkspace({ profile: 'fileops', fs })
})
afterAll(() => rmSync(root, { recursive: true }))

function ripgrep(...args: string[]): string[] {
  const run = spawnSync('rg', ['--no-config', '--no-heading', '--crlf', ...args, '.'], { cwd: root })
  if (run.error) throw run.error
  if (run.status === 2) throw new Error(run.stderr.toString())
  return run.stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^\.\//, '').replace(/\r$/, ''))
}

async function ours(args: object): Promise<{ readonly [field: string]: unknown }> {
  const { result, error } = await workspace.call('search_files', { search_path: '.', max_results: 1000, ...args })
  expect(error).toBeNull()
  expect(result.truncated).toBe(false)
  return result
}

// A machine without ripgrep has no oracle; the rules themselves are tested beside the tool.
const oracle = test.skipIf(spawnSync('rg', ['--version']).status !== 0)

oracle.each<[args: object, flags: string[]]>([
  [{ query: 'return' }, ['-F', 'return']],
  [{ query: 'É' }, ['-F', 'É']],
  [{ query: 'foo.bar' }, ['-F', 'foo.bar']],
  [{ query: 'école', case_insensitive: true }, ['-iF', 'école']],
  [{ query: 'k', case_insensitive: true }, ['-iF', 'k']],
  [{ query: 'ss', case_insensitive: true }, ['-iF', 'ss']],
  [{ query: 'order', case_insensitive: true }, ['-iF', 'order']],
  [{ query: 'order\\w*', is_regex: true }, ['order\\w*']],
  [{ query: '^return\\b', is_regex: true }, ['^return(?-u:\\b)']],
  [{ query: '🙂$', is_regex: true }, ['🙂$']],
  [{ query: '^$', is_regex: true }, ['^$']],
  [{ query: '^\\s*$', is_regex: true }, ['^\\s*$']],
  [{ query: '[a-z]+[0-9]', is_regex: true }, ['[a-z]+[0-9]']],
  [{ query: '[0-9]{4}[A-Z][a-z]', is_regex: true }, ['[0-9]{4}[A-Z][a-z]']],
  [{ query: 'TODO|ORDER|日本', is_regex: true }, ['TODO|ORDER|日本']],
  [{ query: '(?i)todo|größe', is_regex: true }, ['(?i)todo|größe']],
  [{ query: 'user.*item', is_regex: true }, ['user.*item']],
  [{ query: '(a|b|ab)*c', is_regex: true }, ['(a|b|ab)*c']],
  [{ query: '(\\S+\\s)+\\[x\\]', is_regex: true }, ['(\\S+\\s)+\\[x\\]']],
  [{ query: '[^ -~]', is_regex: true }, ['[^ -~\\r]']],
  [{ query: '\\p{Lu}\\p{Ll}', is_regex: true }, ['\\p{Lu}\\p{Ll}']],
  [{ query: 'const', include_patterns: ['*.ts'] }, ['-F', 'const', '-g', '*.ts']],
  [{ query: 'const', include_patterns: ['src/**'] }, ['-F', 'const', '-g', 'src/**', '-g', '!.*']],
  [{ query: 'const', exclude_patterns: ['lib/**', '*.js'] }, ['-F', 'const', '-g', '!lib/**', '-g', '!*.js']],
  [{ query: 'const', include_patterns: ['*.log'] }, ['-F', 'const', '-g', '*.log']],
])('%j', async (args, flags) => {
  const theirs = ripgrep('-n', ...flags)
  const { matches } = (await ours(args)) as { matches: { file_path: string; line_number: number; line_content: string }[] }
  const lines = matches.map(({ file_path, line_number, line_content }) => `${file_path}:${line_number}:${line_content}`)
  expect(lines.toSorted()).toEqual(theirs.toSorted())
  expect(theirs.length).toBeGreaterThan(0)
  const counts = (await ours({ ...args, output_mode: 'count' })) as { file_match_counts: { file_path: string; count: number }[] }
  expect(counts.file_match_counts.map(({ file_path, count }) => `${file_path}:${count}`).toSorted()).toEqual(
    ripgrep('-c', ...flags).toSorted(),
  )
})

oracle.each<[query: string]>([
  ['a\\s+b'],
  ['return[\\s\\S]{0,20}?const'],
  ['^\\S+$\\s^'],
  ['TODO'],
  ['(?s)user.{1,30}?item'],
  ['[a-z]+\\s[0-9]+'],
])('multiline %s', async (query) => {
  const theirs = ripgrep('-U', '--count-matches', '--no-crlf', query)
  const { file_match_counts: counts } = (await ours({ query, is_regex: true, multiline: true, output_mode: 'count' })) as {
    file_match_counts: { file_path: string; count: number }[]
  }
  // Where lines end in CRLF they differ on purpose: to us a line's end is one character.
  const plain = (path: string) => !readFileSync(join(root, path)).includes(13)
  const mine = counts.filter(({ file_path }) => plain(file_path)).map(({ file_path, count }) => `${file_path}:${count}`)
  expect(mine.toSorted()).toEqual(theirs.filter((line) => plain(line.split(':')[0] as string)).toSorted())
  expect(mine.length).toBeGreaterThan(0)
})
