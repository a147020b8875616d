/** Cloning: a remote's branches, tags and history in a new repository, whole, shallow or partial. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid, Signature } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { GitFiles } from '../files.ts'
import type { GitProgress } from '../objects.ts'
import { type InitGitOptions, initGitDirectory } from '../open.ts'
import { writeCloneSettings } from './clone_settings.ts'
import { connectRemote, type Remote } from './connect.ts'
import type { RemoteRef, RemoteRefs } from './ls_refs.ts'
import { isSentRefName } from './names.ts'
import { createPromisor } from './promisor.ts'
import { receivePack } from './receive.ts'
import type { WireOptions } from './transport.ts'

/** Options of {@link cloneInto}. */
export interface CloneOptions extends WireOptions {
  /** What the remote is called here; default `origin`. */
  readonly remote?: string
  /** The branch, or the tag, that HEAD is to be at; default the remote's own. */
  readonly branch?: string
  /** Only that branch. Default: with a depth, or a date. */
  readonly singleBranch?: boolean
  /** Only so many commits of each branch. */
  readonly depth?: number
  /** Only commits since then, in milliseconds since 1970. */
  readonly sinceMs?: number
  /** What the server keeps until it is asked for: `blob:none`, `blob:limit=1m`, `tree:0`. */
  readonly filter?: string
  /** Also the tags of what is fetched. Default true. */
  readonly tags?: boolean
  /** Who clones, for the reflog. */
  readonly by?: Signature
  readonly onProgress?: GitProgress
}

/** What a clone came to. */
export interface CloneResult {
  /** The branch that HEAD is on, as a short name; null when it is at a commit of its own. */
  readonly branch: string | null
  /** Null when the remote is empty. */
  readonly head: Oid | null
  readonly objects: number
}

/** Options of {@link cloneRepository}. */
export interface CloneRepositoryOptions extends CloneOptions, Pick<InitGitOptions, 'platform' | 'bare' | 'now'> {}

/** What HEAD is to be. */
interface Chosen {
  readonly branch: string | null
  /** Null where there is no commit yet. */
  readonly ref: RemoteRef | null
}

/**
 * Clones into files that hold no repository yet, and opens it. Throws as {@link cloneInto}; what is left then is an empty repository,
 * into which another try goes as well.
 */
export async function cloneRepository(files: GitFiles, url: string, options: CloneRepositoryOptions = {}): Promise<GitDirectory> {
  const git = await initGitDirectory(files, options)
  await cloneInto(git, url, options)
  return git
}

/**
 * Clones into an empty repository. Nothing is written before the remote has answered, and no reference before everything is here; what
 * is left when it fails is the empty repository. Throws `already_exists` for one that is not empty, `not_found` for a branch that is not
 * there, `corrupt` for a pack that is damaged or lacks something, and what the server says.
 */
export async function cloneInto(git: GitDirectory, url: string, options: CloneOptions = {}): Promise<CloneResult> {
  const { remote: name = 'origin', depth, sinceMs, tags = true } = options
  const filter = options.filter === undefined ? null : filterSpec(options.filter)
  if (!isSentRefName(`refs/remotes/${name}/x`))
    throw new FilewrightError('invalid_name', `A remote cannot be called ${JSON.stringify(name)}.`, { field: 'remote' })
  await requireEmpty(git)
  const remote = await connectRemote(url, options)
  const offered = await remote.refs(['refs/heads/', 'refs/tags/'])
  const chosen = choose(offered, options.branch)
  const single = options.singleBranch ?? (depth !== undefined || sinceMs !== undefined)
  const branches = offered.refs.filter(({ name: ref }) => ref.startsWith('refs/heads/') && (!single || ref === chosen.ref?.name))
  const allTags = tags && !single ? offered.refs.filter(isTag) : []
  const wanted = [...branches, ...allTags, ...(chosen.ref ? [chosen.ref] : [])]
  const objects = await fetchAll(git, remote, wanted, { ...options, ...(filter !== null && { filter }) })

  const arrived = tags && single ? await arrivedTags(git, offered.refs.filter(isTag)) : allTags
  const short = chosen.branch?.slice('refs/heads/'.length) ?? null
  const tracked = single && chosen.ref && chosen.ref.name !== 'HEAD' ? chosen.ref.name : 'refs/heads/*'
  await writeCloneSettings(git.files, {
    remote: name,
    url: remote.transport.address,
    refspec: isTagName(tracked) ? `+${tracked}:${tracked}` : `+${tracked}:${tracked.replace('refs/heads/', `refs/remotes/${name}/`)}`,
    branch: short,
    filter,
    withoutTags: !tags,
  })
  const tracking = branches.map((ref) => ({ ...ref, name: ref.name.replace('refs/heads/', `refs/remotes/${name}/`) }))
  await writePackedRefs(git, [...tracking, ...arrived])
  await writeHead(git, name, remote.transport.address, offered, chosen, branches, options.by)
  if (filter !== null) {
    // What ends the clone does not end what is read later.
    const { signal: _, onProgress: __, ...lasting } = options
    git.objects.promise(createPromisor(git, url, lasting))
  }
  return { branch: short, head: chosen.ref ? (chosen.ref.peeled ?? chosen.ref.oid) : null, objects }
}

/** A filter as servers take it: sizes without units. Throws `invalid_argument`. */
function filterSpec(text: string): string {
  const [, kind, digits, unit] = /^(blob:none|blob:limit=(\d{1,12})([kmg]?)|tree:\d{1,9})$/i.exec(text) ?? []
  if (kind === undefined)
    throw new FilewrightError('invalid_argument', 'The filter must be blob:none, blob:limit=SIZE or tree:DEPTH.', { field: 'filter' })
  if (digits === undefined) return kind.toLowerCase()
  return `blob:limit=${Number(digits) * 1024 ** ['', 'k', 'm', 'g'].indexOf((unit ?? '').toLowerCase())}`
}

async function requireEmpty(git: GitDirectory): Promise<void> {
  const taken = (await git.refs.list('refs/')).length > 0 || (await git.config()).subsections('remote').length > 0
  if (taken) throw new FilewrightError('already_exists', 'There is a repository already, which is not empty: clone into another place.')
}

function isTagName(name: string): boolean {
  return name.startsWith('refs/tags/')
}

function isTag({ name }: RemoteRef): boolean {
  return isTagName(name)
}

/** What HEAD is to be at. */
function choose({ refs, head }: RemoteRefs, wanted: string | undefined): Chosen {
  const find = (name: string): RemoteRef | undefined => refs.find((ref) => ref.name === name)
  if (wanted !== undefined) {
    const branch = find(`refs/heads/${wanted}`)
    if (branch) return { branch: branch.name, ref: branch }
    const tag = find(`refs/tags/${wanted}`)
    if (tag) return { branch: null, ref: tag }
    throw new FilewrightError('not_found', `The remote has no branch or tag ${JSON.stringify(wanted)}.`, { field: 'branch' })
  }
  if (head?.branch) return { branch: head.branch, ref: find(head.branch) ?? null }
  if (head?.oid) return { branch: null, ref: { name: 'HEAD', oid: head.oid, peeled: null } }
  // A HEAD that leads nowhere: the branch that is usual, or any.
  const other = find('refs/heads/main') ?? find('refs/heads/master') ?? refs.find(({ name }) => name.startsWith('refs/heads/')) ?? null
  return { branch: other?.name ?? 'refs/heads/main', ref: other }
}

async function fetchAll(git: GitDirectory, remote: Remote, refs: readonly RemoteRef[], options: CloneOptions): Promise<number> {
  const { depth, sinceMs, filter, tags = true, onProgress } = options
  const wants = [...new Set(refs.map(({ oid }) => oid))]
  if (wants.length === 0) return 0
  const request = {
    wants,
    tags,
    ...(filter !== undefined && { filter }),
    ...(depth !== undefined && { depth }),
    ...(sinceMs !== undefined && { sinceMs }),
  }
  return receivePack(git, remote, request, { before: new Set(), promisor: filter !== undefined, onProgress })
}

/** Tags of commits that are here, which the server sent along. */
async function arrivedTags(git: GitDirectory, tags: readonly RemoteRef[]): Promise<RemoteRef[]> {
  const arrived: RemoteRef[] = []
  for (const tag of tags) {
    if ((await git.objects.has(tag.oid)) && (tag.peeled === null || (await git.objects.has(tag.peeled)))) arrived.push(tag)
  }
  return arrived
}

/** All references in one file, as git's own clone does. */
async function writePackedRefs(git: GitDirectory, refs: readonly RemoteRef[]): Promise<void> {
  if (refs.length === 0) return
  const names = new Set(refs.map(({ name }) => name))
  for (const { name } of refs) {
    for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
      if (names.has(name.slice(0, slash)))
        throw new FilewrightError('corrupt', `The server has ${name.slice(0, slash)} and ${name}, which no repository can have both.`)
    }
  }
  const sorted = [...refs].sort((a, b) => compareBytes(a.name, b.name))
  const lines = sorted.map(({ name, oid, peeled }) => `${oid} ${name}\n${peeled === null ? '' : `^${peeled}\n`}`)
  const text = `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`
  await git.files.update('packed-refs', () => new TextEncoder().encode(text))
}

function compareBytes(a: string, b: string): number {
  const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)]
  const at = x.findIndex((byte, i) => byte !== y[i])
  return at < 0 ? x.length - y.length : (x[at] as number) - (y[at] ?? -1)
}

async function writeHead(
  git: GitDirectory,
  remote: string,
  url: string,
  { head }: RemoteRefs,
  { branch, ref }: Chosen,
  branches: readonly RemoteRef[],
  by: Signature | undefined,
): Promise<void> {
  const about = { message: `clone: from ${url}`, ...(by && { by }) }
  if (branch !== null) {
    await git.refs.setSymbolic('HEAD', branch)
    if (ref) await git.refs.update({ name: branch, from: null, to: ref.oid, ...about })
  } else if (ref) {
    await git.files.update('HEAD', () => new TextEncoder().encode(`${ref.peeled ?? ref.oid}\n`))
  }
  const theirs = head?.branch
  if (theirs && branches.some(({ name }) => name === theirs)) {
    await git.refs.setSymbolic(`refs/remotes/${remote}/HEAD`, theirs.replace('refs/heads/', `refs/remotes/${remote}/`))
  }
}
