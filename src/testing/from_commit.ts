/** A commit of a repository on disk, or of a bundle, as a repository in memory. */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { FilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import { openNodeGitFiles, openNodeObjects } from '../fs/git/node_files.ts'
import { createMemoryGitFiles } from '../git/memory_files.ts'
import { isOid } from '../git/oid.ts'
import { initGitDirectory } from '../git/open.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { openSeed, type RepoOptions, type Seed } from './repo.ts'

/**
 * Opens a workspace in memory that begins with a commit: of the repository of a folder (a worktree, a bare one), or of a file that
 * `git bundle create` wrote. `ref` is a commit, a branch or a tag, with `~2` and `^` behind it; default HEAD, of a bundle without one
 * its first branch. The repository itself is only read, and objects as they are needed: nothing on disk is changed, whatever the
 * workspace does, and what is in its working tree does not count. Throws `not_found`, `corrupt` for a damaged bundle, `unsupported`
 * for one that needs commits that it does not hold.
 */
export async function fromCommit(source: string, ref?: string, options: RepoOptions = {}): Promise<Workspace> {
  return openSeed(await seedOfCommit(source, ref), options)
}

/** As {@link fromCommit}, for any number of workspaces. */
export async function seedOfCommit(source: string, ref?: string): Promise<Seed> {
  const stats = statSync(source, { throwIfNoEntry: false })
  if (!stats) throw new FilewrightError('not_found', `${source} does not exist: give the folder of a repository, or a bundle.`)
  if (!stats.isDirectory()) return seedOfBundle(source, ref)
  const git = openNodeGitFiles(source, { untouched: true })
  return {
    git,
    from: ref ?? 'HEAD',
    single: true,
    openAlternate(path) {
      const files = openNodeObjects(isAbsolute(path) ? path : join(git.place, path), { untouched: true })
      return files && { files, dir: '' }
    },
  }
}

async function seedOfBundle(file: string, ref: string | undefined): Promise<Seed> {
  const bytes = new Uint8Array(readFileSync(file))
  const { refs, pack } = parseBundle(file, bytes)
  const memory = createMemoryGitFiles()
  const head = refs.get('HEAD')
  const branches = [...refs].filter(([name]) => name.startsWith('refs/heads/'))
  const [branch] = branches.find(([, oid]) => oid === head) ?? branches[0] ?? ['refs/heads/main']
  const git = await initGitDirectory(memory, { defaultBranch: branch.slice('refs/heads/'.length) })
  await git.objects.addPack(oneBlock(pack))
  for (const [name, oid] of refs) if (name !== 'HEAD') await git.refs.update({ name, from: null, to: oid })
  // A bundle of tags alone has no branch.
  const [tag] = branches.length === 0 ? refs.values() : []
  return { git: memory, from: ref ?? head ?? tag ?? 'HEAD' }
}

async function* oneBlock(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The references and the pack of a bundle, of version 2 or 3. */
function parseBundle(file: string, bytes: Uint8Array): { readonly refs: ReadonlyMap<string, Oid>; readonly pack: Uint8Array } {
  const decoder = new TextDecoder()
  const refs = new Map<string, Oid>()
  let at = 0
  const line = (): string => {
    const end = bytes.indexOf(LF, at)
    if (end < 0) throw new FilewrightError('corrupt', `${file} is no bundle, or one that was cut.`)
    const text = decoder.decode(bytes.subarray(at, end))
    at = end + 1
    return text
  }
  if (!/^# v[23] git bundle$/.test(line())) throw new FilewrightError('corrupt', `${file} is no git bundle of version 2 or 3.`)
  for (let text = line(); text !== ''; text = line()) {
    if (text === '@object-format=sha1') continue
    if (text.startsWith('@')) throw new FilewrightError('unsupported', `${file} is a bundle with ${text.slice(1)}, which is not supported.`)
    if (text.startsWith('-')) {
      throw new FilewrightError('unsupported', `${file} needs commits that it does not hold: make a bundle of the whole branch.`)
    }
    const [oid = '', name = ''] = [text.slice(0, 40), text.slice(41)]
    if (!isOid(oid) || name === '') throw new FilewrightError('corrupt', `${file} is a damaged bundle: ${JSON.stringify(text)}.`)
    refs.set(name, oid)
  }
  return { refs, pack: bytes.subarray(at) }
}

const LF = 0x0a
