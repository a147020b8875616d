/** Repositories of ours in folders, and the real git beside this process, which serves it. */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openNodeGitFiles } from '../../../src/fs/git/node_files.ts'
import type { GitDirectory } from '../../../src/git/directory.ts'
import { initGitDirectory, openGitDirectory } from '../../../src/git/open.ts'
import { GIT_ENVIRONMENT, git, gitBytes, tempDir } from '../real_git.ts'
import { type GitServer, serveGit } from './http_server.ts'

/** Lets a repository be cloned in part, be asked for single objects, and be pushed to. */
export function serving(dir: string): void {
  git(dir, 'config', 'uploadpack.allowFilter', 'true')
  git(dir, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  git(dir, 'config', 'http.receivepack', 'true')
}

/** Does something with the repository in a folder, which is made when it is missing, with a worktree. */
export async function withGit<T>(dir: string, work: (repository: GitDirectory) => Promise<T>): Promise<T> {
  const isThere = existsSync(join(dir, '.git')) || existsSync(join(dir, 'HEAD'))
  const files = openNodeGitFiles(dir, { durability: 'process', ...(isThere ? {} : { create: 'worktree' }) })
  const repository = isThere ? await openGitDirectory(files) : await initGitDirectory(files, { bare: false })
  try {
    return await work(repository)
  } finally {
    await repository.close()
  }
}

/** A remote that is served, and a clone of it in our hands: made once, and as new for each test. */
export interface World {
  readonly server: GitServer
  /** What is served, at `${server.url}/...`. */
  readonly root: string
  readonly remote: string
  readonly ours: string
  /** As it was made. */
  renew(): void
  close(): Promise<void>
}

/** Makes one: `make` fills the folders `remote` and `ours`. */
export async function createWorld(make: (world: Pick<World, 'server' | 'root' | 'remote' | 'ours'>) => Promise<void>): Promise<World> {
  const folder = tempDir()
  const root = join(folder.dir, 'work')
  const template = join(folder.dir, 'template')
  const server = await serveGit(root)
  const parts = { server, root, remote: join(root, 'remote'), ours: join(root, 'ours') }
  await make(parts)
  renameSync(root, template)
  return {
    ...parts,
    renew() {
      rmSync(root, { recursive: true, force: true })
      cpSync(template, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
      server.reset()
    },
    async close() {
      await server.close()
      folder.remove()
    },
  }
}

/** As `git`, for what speaks to a server in this process, which must go on meanwhile. */
export function gitOnline(dir: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'gc.auto=0', ...args], { cwd: dir, env: GIT_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
    let [said, complained] = ['', '']
    child.stdout.on('data', (text) => {
      said += text
    })
    child.stderr.on('data', (text) => {
      complained += text
    })
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0) resolve(said.replace(/\n$/, ''))
      else reject(new Error(`git ${args.join(' ')} ended with ${status}: ${complained}`))
    })
  })
}

/** All references, as git lists them. */
export function refsOf(dir: string): string {
  return git(dir, 'for-each-ref', '--format=%(refname) %(objectname) %(symref)')
}

/** The objects that are here; nothing is fetched. */
export function objectsOf(dir: string): string[] {
  const listed = gitBytes(dir, ['cat-file', '--batch-all-objects', '--batch-check', '--unordered'])
  return [...new Set(listed.toString().split('\n'))].sort()
}
