/** A repository in memory, as an open workspace. */
import { FilewrightError } from '../core/errors.ts'
import type { Hasher } from '../core/hash.ts'
import { type Path, parsePath } from '../core/path.ts'
import type { GitEntry, Signature } from '../core/repository.ts'
import { isRefused } from '../fs/git/refused.ts'
import { createGitFs } from '../fs/git.ts'
import type { OpenAlternate } from '../git/alternates.ts'
import type { GitFiles } from '../git/files.ts'
import { newCommit } from '../git/history/new_objects.ts'
import { treeWithChanges } from '../git/history/tree_with_changes.ts'
import { createMemoryGitFiles } from '../git/memory_files.ts'
import { type NewObject, newObject } from '../git/objects.ts'
import { initGitDirectory, openGitDirectory } from '../git/open.ts'
import type { GitPlatform } from '../git/platform.ts'
import { openWorkspace } from '../workspace/open.ts'
import type { Workspace, WorkspaceOptions } from '../workspace/workspace.ts'
import { testClock, testIds } from './clock.ts'
import { type Fault, withFaults } from './faults.ts'
import { bytesOf, type FixtureFile, type FixtureFiles, overlay, requireFile } from './fixture.ts'
import { layeredGitFiles } from './layered_files.ts'

/** How the workspace of a test is opened. */
export interface RepoOptions extends Omit<WorkspaceOptions, 'fs'> {
  /** Zlib and SHA-1, where the host has none of its own. */
  readonly platform?: GitPlatform
  /** SHA-256, where the host has none of its own. */
  readonly hasher?: Hasher
  /** What goes wrong, once the files are there; see {@link withFaults}. */
  readonly faults?: readonly Fault[]
}

/** A repository that workspaces can be opened over, any number of them; none changes it. */
export interface Seed {
  readonly git: GitFiles
  /** Where a workspace begins; default HEAD. */
  readonly from?: string
  /** What no commit can hold, such as empty directories: laid over the files. */
  readonly beside?: FixtureFiles
  /** It is closed with the one workspace over it. */
  readonly single?: boolean
  /** Opens directories of objects that it borrows from. */
  readonly openAlternate?: OpenAlternate
}

/** Who made the commit of a test, and the branch that it is on. */
const AUTHOR = { name: 'Fixture', email: 'fixture@example.org', offsetMinutes: 0 }
const [BRANCH, MESSAGE] = ['main', 'The files that the test begins with']

/**
 * Opens a workspace on a git repository in memory, whose branch `main` has one commit that holds these files; none where there are no
 * files. Clock and ids are those of {@link testClock} and {@link testIds} unless others are given, so that two runs of the same calls
 * have the same commits, records and hashes. Without a profile it has the tools for files and those for git (`native+git`).
 */
export async function repo(files: FixtureFiles, options: RepoOptions = {}): Promise<Workspace> {
  const now = options.now ?? testClock()
  return openSeed(await seedOf(files, { ...options, now }), { ...options, now })
}

/** A repository with one commit. Throws `invalid_argument` and `outside_root` for paths that no tree can have. */
export async function seedOf(files: FixtureFiles, { now = testClock(), platform }: RepoOptions = {}): Promise<Seed> {
  const memory = createMemoryGitFiles()
  const git = await initGitDirectory(memory, { defaultBranch: BRANCH, now, ...(platform && { platform }) })
  const [objects, entries]: [NewObject[], Map<Path, GitEntry>] = [[], new Map()]
  const beside: Record<string, FixtureFile> = {}
  for (const [name, file] of Object.entries(files)) {
    requireFile(name, file)
    const path = committedPath(name, file)
    if (path === null) {
      beside[name] = file
      continue
    }
    const { mode, bytes } = blobOf(file)
    const blob = newObject(git.objects, 'blob', bytes)
    objects.push(blob)
    entries.set(path, { mode, oid: blob.oid })
  }
  checkTree(entries)
  if (entries.size > 0) {
    const tree = await treeWithChanges(
      git.objects,
      null,
      Array.from(entries, ([path, after]) => ({ path, after })),
    )
    const author: Signature = { ...AUTHOR, timeMs: now() }
    const commit = newCommit(git.objects, { tree: tree.oid, parents: [], author, message: MESSAGE })
    await git.objects.write([...objects, ...tree.objects, commit])
    await git.refs.update({ name: `refs/heads/${BRANCH}`, from: null, to: commit.oid })
  }
  return { git: memory, beside }
}

/** Opens a workspace over a repository, which stays as it is. */
export async function openSeed(seed: Seed, { platform, hasher, faults, ...options }: RepoOptions = {}): Promise<Workspace> {
  const now = options.now ?? testClock()
  const newId = options.newId ?? testIds(now)
  const files = layeredGitFiles(seed.git, { closeBase: seed.single === true })
  const { openAlternate } = seed
  const git = await openGitDirectory(files, { now, ...(platform && { platform }), ...(openAlternate && { openAlternate }) })
  // Workspaces that somebody has in the repository are none of the test's.
  for (const { name, oid } of await git.refs.list('refs/filewright/')) await git.refs.update({ name, from: oid, to: null })
  const fs = await createGitFs({ git, now, newId, ...(hasher && { hasher }), ...(seed.from !== undefined && { from: seed.from }) })
  if (Object.keys(seed.beside ?? {}).length > 0) await overlay(await openWorkspace({ now, newId, fs }), seed.beside as FixtureFiles)
  return openWorkspace({ ...options, now, newId, fs: faults ? withFaults(fs, faults) : fs })
}

/** The path under which a commit holds a file; null where it cannot. */
function committedPath(name: string, file: FixtureFile): Path | null {
  const { parts } = parsePath(name, { root: '', aliases: [] })
  if (parts.length === 0 || parts.includes('..')) throw new FilewrightError('outside_root', `${name} is not a path inside the repository.`)
  if (typeof file === 'object' && 'directory' in file) return null
  const kind = typeof file === 'object' && 'link' in file ? 'link' : 'file'
  const refused = parts.some((part, at) => isRefused(part, at === parts.length - 1 ? kind : 'directory'))
  return refused ? null : (parts.join('/') as Path)
}

function blobOf(file: FixtureFile): { readonly mode: GitEntry['mode']; readonly bytes: Uint8Array } {
  if (typeof file === 'string' || file instanceof Uint8Array) return { mode: '100644', bytes: bytesOf(file) }
  if ('link' in file) return { mode: '120000', bytes: bytesOf(file.link) }
  if ('directory' in file) throw new FilewrightError('invalid_argument', 'A commit holds no directories.')
  return { mode: (file.mode ?? 0) & 0o100 ? '100755' : '100644', bytes: bytesOf('text' in file ? file.text : file.bytes) }
}

/** Throws where a path is a file and a directory. */
function checkTree(entries: ReadonlyMap<Path, GitEntry>): void {
  for (const path of entries.keys()) {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const dir = path.slice(0, slash) as Path
      if (entries.has(dir)) throw new FilewrightError('invalid_argument', `${dir} is a file and a directory.`)
    }
  }
}
