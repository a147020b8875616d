/** A git directory is opened, or begun. */
import { FilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import type { OpenAlternate } from './alternates.ts'
import { editConfig, type GitConfig, readConfig } from './config.ts'
import type { GitDirectory } from './directory.ts'
import type { GitFiles } from './files.ts'
import { platformGit } from './host_platform.ts'
import { createObjectDatabase } from './object_database.ts'
import { isOid } from './oid.ts'
import type { GitPlatform } from './platform.ts'
import { branchRef } from './ref_names.ts'
import { createRefs } from './ref_store.ts'
import { sweepTemporary } from './temporary.ts'

/** Options of {@link openGitDirectory}. */
export interface OpenGitOptions {
  /** Zlib and SHA-1; default: the host's own, which browsers do not have. */
  readonly platform?: GitPlatform
  /** Opens directories of objects that the repository borrows from. */
  readonly openAlternate?: OpenAlternate
  /** Milliseconds since 1970, for reflogs; default `Date.now`. */
  readonly now?: () => number
}

/** Options of {@link initGitDirectory}. */
export interface InitGitOptions extends OpenGitOptions {
  /** Short; default `main`. */
  readonly defaultBranch?: string
  /** Whether there is no worktree beside it; default true, but for a `.git` on disk. */
  readonly bare?: boolean
}

/** Extensions of the format that change nothing for us, or that we know. */
const KNOWN_EXTENSIONS = new Set([
  'noop',
  'partialclone',
  'preciousobjects',
  'worktreeconfig',
  'objectformat',
  'refstorage',
  'compatobjectformat',
])
const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * Opens a repository. Throws `not_found` when there is none, `unsupported` for one whose format is not known, such as one with SHA-256
 * or reftable.
 */
export async function openGitDirectory(files: GitFiles, options: OpenGitOptions = {}): Promise<GitDirectory> {
  const config = createConfigReader(files)
  if ((await files.read('HEAD')) === null) {
    throw new FilewrightError('not_found', 'There is no git repository here. Begin one, or clone one.')
  }
  checkFormat(await config())
  const platform = options.platform ?? platformGit()
  for (const dir of ['objects', 'objects/pack']) await sweepTemporary(files, dir)
  const objects = createObjectDatabase(files, platform, options.openAlternate ? { openAlternate: options.openAlternate } : {})
  return {
    files,
    platform,
    objects,
    refs: createRefs({ files, config, ...(options.now ? { now: options.now } : {}) }),
    config,
    shallow: createShallowReader(files),
    async close() {
      await objects.close()
      await files.close()
    },
  }
}

/** Begins a repository; opens the one that is there already. Throws `invalid_name` for a branch that git would refuse. */
export async function initGitDirectory(files: GitFiles, options: InitGitOptions = {}): Promise<GitDirectory> {
  const branch = branchRef(options.defaultBranch ?? 'main')
  if ((await files.read('HEAD')) === null) {
    const isBare = options.bare ?? true
    const settings = [
      { key: 'core.repositoryformatversion', values: ['0'] },
      { key: 'core.filemode', values: ['true'] },
      { key: 'core.bare', values: [String(isBare)] },
      ...(isBare ? [] : [{ key: 'core.logallrefupdates', values: ['true'] }]),
    ]
    await files.update('config', (current) => editConfig(current ?? new Uint8Array(0), settings))
    // On disk git looks for these directories, which are empty as yet.
    await files.makeDirectories?.(['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    // What makes it a repository comes last.
    await files.update('HEAD', (current) => (current ? undefined : encoder.encode(`ref: ${branch}\n`)))
  }
  return openGitDirectory(files, options)
}

/** Reads the settings, and again when their file changed. */
function createConfigReader(files: GitFiles): () => Promise<GitConfig> {
  let held: { readonly stamps: string; readonly config: GitConfig } | null = null
  return async () => {
    const stamps = `${await files.stamp('config')} ${await files.stamp('config.worktree')}`
    if (held?.stamps === stamps) return held.config
    const [common, own] = [await files.read('config'), await files.read('config.worktree')]
    const shared = readConfig(common ?? new Uint8Array(0))
    const hasOwn = own !== null && shared.boolean('extensions.worktreeconfig') === true
    const config = hasOwn ? readConfig(common ?? new Uint8Array(0), own) : shared
    held = { stamps, config }
    return config
  }
}

/** Throws `unsupported` for a format that is not known. */
function checkFormat(config: GitConfig): void {
  const refuse = (what: string): FilewrightError =>
    new FilewrightError('unsupported', `This repository ${what}, which is not supported. Use a repository in git's default format.`)
  const version = config.get('core.repositoryformatversion') ?? '0'
  if (version !== '0' && version !== '1') throw refuse(`has format version ${version}`)
  const objectFormat = config.get('extensions.objectformat')
  if (objectFormat !== undefined && objectFormat.toLowerCase() !== 'sha1') throw refuse(`names its objects by ${objectFormat}`)
  const refStorage = config.get('extensions.refstorage')
  if (refStorage !== undefined && refStorage.toLowerCase() !== 'files') throw refuse(`stores its references as ${refStorage}`)
  // Before version 1, extensions had no meaning.
  if (version === '0') return
  for (const { key } of config.entries) {
    const name = /^extensions\.([^.]+)$/.exec(key)?.[1]
    if (name !== undefined && !KNOWN_EXTENSIONS.has(name)) throw refuse(`uses the extension ${name}`)
  }
}

/** Reads the names of the commits at which a shallow clone ends. */
function createShallowReader(files: GitFiles): () => Promise<ReadonlySet<Oid>> {
  let held: { readonly stamp: string; readonly commits: ReadonlySet<Oid> } | null = null
  return async () => {
    const stamp = await files.stamp('shallow')
    if (stamp === null) return new Set()
    if (held?.stamp !== stamp) {
      const bytes = await files.read('shallow')
      const lines = bytes ? decoder.decode(bytes).split('\n') : []
      held = { stamp, commits: new Set(lines.filter(isOid)) }
    }
    return held.commits
  }
}
