/** A repository with a worktree of somebody's, and commands that act on it as processes would. */
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { commitFiles, fsck, GIT_ENVIRONMENT, git, initRepository } from '../git/real_git.ts'
import { type Ended, temporaryFolder } from './command.ts'

/** What the git of a person asks: the same as the tests' own, without an identity in the environment. */
export function personsGit(): void {
  for (const [name, value] of Object.entries(GIT_ENVIRONMENT)) if (/^GIT_|^HOME$/.test(name)) vi.stubEnv(name, value)
  vi.stubEnv('GIT_CEILING_DIRECTORIES', tmpdir())
  onTestFinished(() => void vi.unstubAllEnvs())
}

/** Runs a command in this process. */
export async function run(args: readonly string[]): Promise<Ended> {
  const written: { [name in 'stdout' | 'stderr']: Uint8Array[] } = { stdout: [], stderr: [] }
  const stream = (name: keyof typeof written) => ({
    write: (text: string | Uint8Array) => void written[name].push(typeof text === 'string' ? new TextEncoder().encode(text) : text),
  })
  const status = await runCommand(args, { stdout: stream('stdout'), stderr: stream('stderr') })
  return { status, stdout: Buffer.concat(written.stdout).toString(), stderr: Buffer.concat(written.stderr).toString() }
}

/** A repository to act on. */
export interface TestRepository {
  readonly dir: string
  /** A command on it, with `--repo`. */
  at(...args: readonly string[]): Promise<Ended>
  /** As `at`, which must end well: what it printed. */
  text(...args: readonly string[]): Promise<string>
  /** As `text`, as JSON. */
  data(...args: readonly string[]): Promise<never>
  /** Writes a file through the workspace. */
  write(path: string, content: string, ...flags: readonly string[]): Promise<void>
  /** Real git there; its output without the last line end. */
  git(...args: string[]): string
}

/** Two commits on `main`, checked out, with a change that is staged and one that is not. Ends with the real git's check of everything. */
export function repository(): TestRepository {
  const dir = join(temporaryFolder(), 'project')
  personsGit()
  initRepository(dir)
  commitFiles(dir, 'First', { 'a.txt': 'one\ntwo\nthree\n', 'src/b.txt': 'b\n', 'bin/run*': '#!/bin/sh\n', link: '-> a.txt' })
  commitFiles(dir, 'Second\n\nWith a body.', { 'a.txt': 'one\ntwo\nthree\nfour\n', '.gitignore': '*.log\n' })
  return repositoryAt(dir)
}

/** Commands on a repository that is there. */
export function repositoryAt(dir: string): TestRepository {
  const at = (...args: readonly string[]): Promise<Ended> => {
    // Behind `--` they would be paths.
    const words = args[0] === 'git' ? 2 : 1
    return run([...args.slice(0, words), ...(words === 1 ? ['--fs', 'git'] : []), '--repo', dir, ...args.slice(words)])
  }
  const text = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await at(...args)
    expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' })
    return stdout
  }
  onTestFinished(() => fsck(dir))
  return {
    dir,
    at,
    text,
    data: async (...args) => JSON.parse(await text(...args, '--json')) as never,
    async write(path, content, ...flags) {
      await text(
        'call',
        '--profile',
        'fileops',
        'write_file',
        JSON.stringify({ file_path: path, content, force_overwrite: true }),
        ...flags,
      )
    },
    git: (...args) => git(dir, ...args),
  }
}

/** What somebody sees of their own: the worktree, the index, and every branch that is not the workspace's. */
export function ownState(dir: string): object {
  const refs = git(dir, 'for-each-ref')
    .split('\n')
    .filter((line) => !line.includes('/filewright/'))
  return {
    refs,
    head: git(dir, 'symbolic-ref', '-q', 'HEAD'),
    status: git(dir, 'status', '--porcelain=v2', '--branch'),
    index: execFileSync('sha256sum', [join(dir, '.git/index')], { encoding: 'utf8' }).slice(0, 64),
    staged: git(dir, 'diff', '--cached'),
    unstaged: git(dir, 'diff'),
  }
}
