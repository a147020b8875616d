/** The real git, run as nobody in particular: free of the machine's configuration, with fixed names and dates. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What git sees of the environment: nothing of the user's. */
export const GIT_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CEILING_DIRECTORIES: tmpdir(),
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_AUTHOR_NAME: 'Ada Author',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05+0100',
  GIT_COMMITTER_NAME: 'Cora Committer',
  GIT_COMMITTER_EMAIL: 'cora@example.com',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:06+0100',
}

/** How one run of git ended. */
export interface GitRun {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** What a run of git is given beside its arguments. */
export interface GitInput {
  readonly input?: string | Uint8Array
  readonly env?: NodeJS.ProcessEnv
}

/** Runs git in a directory and tells how it ended. */
export function tryGit(dir: string, args: readonly string[], { input, env }: GitInput = {}): GitRun {
  const all = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main', '-c', 'gc.auto=0', ...args]
  const options = { cwd: dir, env: { ...GIT_ENVIRONMENT, ...env }, maxBuffer: 2 ** 30, ...(input === undefined ? {} : { input }) }
  const { status, stdout, stderr, error } = spawnSync('git', all, options)
  if (error) throw error
  return { status: status ?? -1, stdout, stderr: stderr.toString() }
}

/** As {@link git}, with input, and its output as bytes. */
export function gitBytes(dir: string, args: readonly string[], given: GitInput = {}): Buffer {
  const { status, stdout, stderr } = tryGit(dir, args, given)
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

/** Runs git in a directory; its output without the last line end. Throws when it fails. */
export function git(dir: string, ...args: string[]): string {
  return gitBytes(dir, args).toString().replace(/\n$/, '')
}

/** Throws unless git finds nothing wrong with a repository, not even something to warn of. What nothing refers to is no fault. */
export function fsck(dir: string): void {
  const { status, stdout, stderr } = tryGit(dir, ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'])
  const said = `${stdout}${stderr}`
    .split('\n')
    // An empty repository is a repository.
    .filter((line) => line !== '' && !line.startsWith('notice: '))
    .join('\n')
  if (status !== 0 || said !== '') throw new Error(`git fsck ended with ${status}: ${said}`)
}

/** A directory of the test's own. */
export interface TempDir {
  readonly dir: string
  remove(): void
}

export function tempDir(): TempDir {
  const dir = mkdtempSync(join(tmpdir(), 'filewright-git-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** Writes files by path; a text that begins with `-> ` makes a link, one path ending in `*` an executable file. */
export function writeTree(dir: string, files: { readonly [path: string]: string | Uint8Array }): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name.replace(/\*$/, ''))
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'string' && content.startsWith('-> ')) {
      symlinkSync(content.slice(3), path)
    } else {
      writeFileSync(path, content)
      if (name.endsWith('*')) chmodSync(path, 0o755)
    }
  }
}

/** Commits everything in a worktree; the commit's name. */
export function commitAll(dir: string, message: string): string {
  git(dir, 'add', '-A')
  git(dir, 'commit', '-q', '--allow-empty', '-m', message)
  return git(dir, 'rev-parse', 'HEAD')
}

/** Commits files on top of what is there; the commit's name. */
export function commitFiles(dir: string, message: string, files: { readonly [path: string]: string | Uint8Array }): string {
  writeTree(dir, files)
  return commitAll(dir, message)
}

/** An empty repository with a worktree, on branch `main`. */
export function initRepository(dir: string, ...options: string[]): void {
  mkdirSync(dir, { recursive: true })
  git(dir, 'init', '-q', '-b', 'main', ...options)
}

/** Numbers that look random and are the same each time. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const WORDS = 'alpha beta gamma delta epsilon return const export function value index length string number'.split(' ')

/** Text that deltas and compresses like source code. */
export function sampleText(random: () => number, lines: number): string {
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] as string
  return Array.from({ length: lines }, () => `${word()} ${word()} = ${word()}(${Math.floor(random() * 1e6)})\n`).join('')
}

/**
 * A repository with everything that a reader meets: links, executables, empty files, names that are not plain ASCII, binary
 * content, a merge, branches, a light and an annotated tag, and files that change little by little, so that packs hold deltas.
 */
export function sampleRepository(dir: string): void {
  initRepository(dir)
  const random = numbers(7)
  const long = sampleText(random, 400)
  commitFiles(dir, 'First', {
    'README.md': '# Sample\n',
    empty: '',
    'bin/run*': '#!/bin/sh\n',
    link: '-> README.md',
    'src/long.txt': long,
    'src/ä ö/名前.txt': 'names\n',
    'data.bin': Uint8Array.from({ length: 5000 }, () => Math.floor(random() * 256)),
  })
  git(dir, 'tag', 'light')
  for (let at = 0; at < 8; at++) {
    commitFiles(dir, `Change ${at}`, { 'src/long.txt': `${long}${sampleText(numbers(at + 1), at + 1)}`, [`src/part${at}.txt`]: `${at}\n` })
  }
  git(dir, 'tag', '-a', 'v1.0', '-m', 'Version 1.0')
  git(dir, 'checkout', '-q', '-b', 'topic/one', 'HEAD~3')
  commitFiles(dir, 'On a branch', { topic: 'topic\n' })
  git(dir, 'checkout', '-q', 'main')
  git(dir, 'merge', '-q', '--no-ff', '-m', 'Merge a branch', 'topic/one')
}

/**
 * A bare repository with one commit of many files in one pack, made by fast-import in a moment. Every tenth file has a second
 * version in a second commit.
 */
export function manyFiles(dir: string, count: number): void {
  mkdirSync(dir, { recursive: true })
  git(dir, 'init', '-q', '--bare', '-b', 'main')
  const random = numbers(count)
  const pathOf = (at: number): string => `d${Math.floor(at / 400)}/e${Math.floor(at / 20) % 20}/file${at}.ts`
  const parts: string[] = []
  const commit = (message: string, files: readonly [path: string, text: string][]): void => {
    parts.push(`commit refs/heads/main\ncommitter Cora <cora@example.com> 1767319446 +0000\ndata ${message.length}\n${message}\n`)
    for (const [path, text] of files) parts.push(`M 100644 inline ${path}\ndata ${text.length}\n${text}\n`)
  }
  const texts = Array.from({ length: count }, () => sampleText(random, 5 + Math.floor(random() ** 3 * 120)))
  commit(
    'first',
    texts.map((text, at) => [pathOf(at), text]),
  )
  commit(
    'second',
    texts.flatMap((text, at): [string, string][] => (at % 10 === 0 ? [[pathOf(at), `${text}${sampleText(random, 2)}`]] : [])),
  )
  gitBytes(dir, ['fast-import', '--quiet'], { input: parts.join('') })
  git(dir, 'repack', '-q', '-a', '-d', '-f')
}
