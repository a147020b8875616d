/** Fetching: what a remote has new comes in, and then our references to its branches move. */
import { isFilewrightError } from '../../core/errors.ts'
import type { Oid, Signature } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { GitProgress } from '../objects.ts'
import { isOid } from '../oid.ts'
import { connectRemote, type Remote } from './connect.ts'
import type { Deepen } from './fetch_pack.ts'
import { openGraph } from './graph.ts'
import type { RemoteRef, RemoteRefs } from './ls_refs.ts'
import { createNegotiation } from './negotiation.ts'
import { receivePack } from './receive.ts'
import { isExcluded, mapped, namesOf, parseRefspec, prefixesOf, type Refspec } from './refspec.ts'
import { type RemoteSettings, remoteSettings } from './remote_settings.ts'
import type { WireOptions } from './transport.ts'

/** Options of {@link fetchRemote}. */
export interface FetchOptions extends WireOptions, Deepen {
  /** A remote's name, or an address. Default `origin`. */
  readonly remote?: string
  /** Which references become which, as git writes it: `+refs/heads/*:refs/remotes/origin/*`, `^refs/heads/x`. Default: as the settings of the remote say. */
  readonly refspecs?: readonly string[]
  /** Removes our references to branches that the remote has no more. Default false. */
  readonly prune?: boolean
  /** Fetches all history of a shallow clone. */
  readonly unshallow?: boolean
  /** Which tags: `follow` those of commits that are here then; `all`; `none`. Default: as the settings of the remote say, else `follow`. */
  readonly tags?: 'follow' | 'all' | 'none'
  /** Who fetches, for the reflog. */
  readonly by?: Signature
  readonly onProgress?: GitProgress
}

/** What became of one reference. */
export interface FetchedRef {
  /** Ours; null when it has no name here. */
  readonly name: string | null
  /** The remote's; null when it is gone there. */
  readonly remote: string | null
  readonly from: Oid | null
  readonly to: Oid | null
  readonly kind: 'new' | 'fast-forward' | 'forced' | 'up-to-date' | 'pruned' | 'rejected'
  /** Why it was rejected. */
  readonly why?: string
}

/** What a fetch came to. */
export interface FetchResult {
  readonly refs: readonly FetchedRef[]
  /** What the remote's HEAD is. */
  readonly head: RemoteRefs['head']
  /** Objects that came, those of the pack. */
  readonly objects: number
}

/** As much history as there is. */
const INFINITE_DEPTH = 2_147_483_647
const ALL_TAGS: Refspec = { force: false, excludes: false, from: 'refs/tags/*', to: 'refs/tags/*' }

/** One reference that is to be moved. */
interface Planned {
  readonly ref: RemoteRef
  readonly name: string | null
  readonly force: boolean
}

/**
 * Fetches from a remote. References move when everything is here, each by compare and set; one that cannot move is `rejected`, and the
 * others move all the same. Throws what the server says, `corrupt` for a pack that is damaged or lacks something; then nothing moved.
 */
export async function fetchRemote(git: GitDirectory, options: FetchOptions = {}): Promise<FetchResult> {
  const settings = remoteSettings(await git.config(), options.remote ?? 'origin')
  const { tags = settings.tags } = options
  const own = (options.refspecs ?? settings.refspecs).map(parseRefspec)
  const refspecs = tags === 'all' ? [...own, ALL_TAGS] : own
  const remote = await connectRemote(settings.url, options)
  const offered = await remote.refs([...refspecs.flatMap(prefixesOf), ...(tags === 'none' ? [] : ['refs/tags/'])])
  const planned = plan(offered, refspecs)
  const objects = await fetchWanted(git, remote, planned, offered, settings, { ...options, tags })
  if (tags === 'follow' && own.some(({ to }) => to !== null)) planned.push(...(await followedTags(git, offered.refs, planned)))
  // First what goes: it may stand where something new is to be.
  const pruned = options.prune ? await prune(git, refspecs, planned, options) : []
  const moved: FetchedRef[] = []
  for (const one of planned) moved.push(await move(git, one, settings.name, options))
  return { refs: [...moved, ...pruned], head: offered.head, objects }
}

function plan({ refs, head }: RemoteRefs, refspecs: readonly Refspec[]): Planned[] {
  const planned: Planned[] = []
  const headRef: RemoteRef[] = head?.oid ? [{ name: 'HEAD', oid: head.oid, peeled: null }] : []
  const all = [...headRef, ...refs]
  for (const spec of refspecs) {
    if (spec.excludes) continue
    const { from, to, force } = spec
    if (isOid(from)) planned.push({ ref: { name: from, oid: from, peeled: null }, name: to, force })
    else if (from.includes('*')) {
      for (const ref of all) {
        const name = mapped(spec, ref.name)
        if (name !== null && !isExcluded(refspecs, ref.name)) planned.push({ ref, name: to && name, force })
      }
    } else {
      const ref = namesOf(spec).flatMap((name) => all.find((one) => one.name === name) ?? [])[0]
      if (ref && !isExcluded(refspecs, ref.name)) planned.push({ ref, name: to, force })
    }
  }
  return planned
}

async function fetchWanted(
  git: GitDirectory,
  remote: Remote,
  planned: readonly Planned[],
  offered: RemoteRefs,
  { promisor, filter }: RemoteSettings,
  options: FetchOptions,
): Promise<number> {
  const { objects, refs } = git
  const deepen: Deepen = options.unshallow ? { depth: INFINITE_DEPTH } : options
  const deepens = deepen.depth !== undefined || deepen.sinceMs !== undefined
  const wants = new Set<Oid>()
  for (const { ref } of planned) if (deepens || !(await objects.has(ref.oid))) wants.add(ref.oid)
  if (wants.size === 0) return 0
  const head = (await refs.head()).oid
  const all = [...(await refs.list('refs/')), ...(head === null ? [] : [{ name: 'HEAD', oid: head }])]
  const before = new Set(all.map(({ oid }) => oid))
  const shallow = await git.shallow()
  const graph = openGraph(git, shallow)
  const tips: Oid[] = []
  for (const { name, oid } of all) {
    // What a workspace is at is known to nobody else.
    if (isOfWorkspace(name)) continue
    const commit = await graph.commitOf(oid)
    if (commit !== null) tips.push(commit)
  }
  const shared = new Set(offered.refs.map(({ oid, peeled }) => peeled ?? oid))
  const request = {
    wants: [...wants],
    shallow: [...shallow],
    tags: options.tags !== 'none',
    // What a partial clone has may be a promise only: a delta to it would have to be fetched first.
    thin: !promisor,
    ...(filter !== null && { filter }),
    ...(deepen.depth !== undefined && { depth: deepen.depth }),
    ...(deepen.sinceMs !== undefined && { sinceMs: deepen.sinceMs }),
    ...(deepen.relative && { relative: true }),
    ...(tips.length > 0 && { negotiation: createNegotiation(graph, tips, shared) }),
  }
  return receivePack(git, remote, request, { before, promisor, onProgress: options.onProgress })
}

/** Tags that came along, of commits that are here. What we have under such a name stays. */
async function followedTags(git: GitDirectory, refs: readonly RemoteRef[], planned: readonly Planned[]): Promise<Planned[]> {
  const names = new Set(planned.map(({ name }) => name))
  const ours = new Set((await git.refs.list('refs/tags/')).map(({ name }) => name))
  const found: Planned[] = []
  for (const ref of refs) {
    if (!ref.name.startsWith('refs/tags/') || names.has(ref.name) || ours.has(ref.name)) continue
    const here = (await git.objects.has(ref.oid)) && (ref.peeled === null || (await git.objects.has(ref.peeled)))
    if (here) found.push({ ref, name: ref.name, force: false })
  }
  return found
}

async function move(git: GitDirectory, { ref, name, force }: Planned, remote: string, options: FetchOptions): Promise<FetchedRef> {
  const to = ref.oid
  if (name === null) return { name, remote: ref.name, from: null, to, kind: 'up-to-date' }
  const from = await git.refs.read(name)
  const about = { name, remote: ref.name, from, to }
  if (from === to) return { ...about, kind: 'up-to-date' }
  const rejected = (why: string): FetchedRef => ({ ...about, kind: 'rejected', why })
  if (isOfWorkspace(name)) return rejected('it is a workspace of this repository')
  if ((await git.refs.checkedOut()).has(name)) return rejected('a worktree has it checked out')
  let kind: FetchedRef['kind'] = 'new'
  if (from !== null) {
    const isTag = name.startsWith('refs/tags/')
    const forward = !isTag && (await openGraph(git, await git.shallow()).reaches(to, from))
    if (!forward && !force) return rejected(isTag ? 'there is another tag of that name' : 'it would lose commits')
    kind = forward ? 'fast-forward' : 'forced'
  }
  const words = { new: 'storing head', 'fast-forward': 'fast-forward', forced: 'forced-update' }[kind as 'new' | 'fast-forward' | 'forced']
  const update = { name, from, to, message: `fetch ${remote}: ${words}`, ...(options.by && { by: options.by }) }
  try {
    return (await git.refs.update(update)) ? { ...about, kind } : rejected('somebody else moved it meanwhile')
  } catch (error) {
    // Such as a branch `a` where there is `a/b`, or one that another program has locked.
    if (isFilewrightError(error, 'conflict') || isFilewrightError(error, 'invalid_name')) return rejected(error.message)
    throw error
  }
}

/** Whether a reference is the state of a workspace here: no remote knows better, whatever a rule such as `+refs/*:refs/*` says. */
function isOfWorkspace(name: string): boolean {
  return name.startsWith('refs/filewright/')
}

/** Removes references that the rules lead to, from what the remote no longer has. */
async function prune(
  git: GitDirectory,
  refspecs: readonly Refspec[],
  planned: readonly Planned[],
  options: FetchOptions,
): Promise<FetchedRef[]> {
  const kept = new Set(planned.map(({ name }) => name))
  const checkedOut = await git.refs.checkedOut()
  const pruned: FetchedRef[] = []
  for (const { from, to } of refspecs) {
    if (to === null || !to.includes('*')) continue
    const symbolic = to.replace('*', 'HEAD')
    for (const { name, oid } of await git.refs.list(to.slice(0, to.indexOf('*')))) {
      const theirs = mapped({ from: to, to: from }, name)
      // What a rule leaves out is nobody's to remove.
      const gone =
        !isOfWorkspace(name) &&
        theirs !== null &&
        !isExcluded(refspecs, theirs) &&
        !kept.has(name) &&
        name !== symbolic &&
        !checkedOut.has(name)
      if (gone && (await git.refs.update({ name, from: oid, to: null, ...(options.by && { by: options.by }) }))) {
        pruned.push({ name, remote: null, from: oid, to: null, kind: 'pruned' })
      }
    }
  }
  return pruned
}
