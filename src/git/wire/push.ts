/** Pushing: the objects that a remote lacks, and which of its references are to move. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid, Signature } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { GitProgress } from '../objects.ts'
import { isOid } from '../oid.ts'
import { type Advertisement, readAdvertisement } from './advertisement.ts'
import { AGENT } from './capabilities.ts'
import { tellProgress } from './fetch_pack.ts'
import { openGraph } from './graph.ts'
import { isSentRefName } from './names.ts'
import { newObjects } from './new_objects.ts'
import { outgoingPack } from './outgoing_pack.ts'
import { createPacketReader, cutOff, FLUSH, notGit, packets, shown } from './pkt_line.ts'
import { isExcluded, mapped, parseRefspec, type Refspec } from './refspec.ts'
import { type RemoteSettings, remoteSettings } from './remote_settings.ts'
import { sideBand } from './side_band.ts'
import { createTransport, type Transport, type WireOptions } from './transport.ts'

/** One reference that is to move. */
export interface PushRef {
  /** What it becomes: a full name of ours or an object; null removes it. */
  readonly from: string | null
  /** The remote's, by its full name. */
  readonly to: string
  /** Also when the remote loses commits by it. */
  readonly force?: boolean
}

/** Options of {@link pushRefs}. */
export interface PushOptions extends WireOptions {
  /** A remote's name, or an address. Default `origin`. */
  readonly remote?: string
  readonly refs: readonly PushRef[]
  /** All move, or none. Throws `unsupported` when the server cannot do that. */
  readonly atomic?: boolean
  /** Who pushes, for the reflog. */
  readonly by?: Signature
  readonly onProgress?: GitProgress
}

/** Why one reference did not move. `declined`: by the server, for a reason of its own, such as a hook or a protected branch. */
export type PushRefusal = 'non-fast-forward' | 'fetch-first' | 'already-exists' | 'declined' | 'unpack' | 'moved' | 'atomic'

/** What became of one reference. */
export interface PushedRef {
  readonly name: string
  readonly from: Oid | null
  readonly to: Oid | null
  readonly kind: 'new' | 'fast-forward' | 'forced' | 'removed' | 'up-to-date' | 'rejected'
  /** When it was rejected. */
  readonly refusal?: PushRefusal
  /** Why, in words; the server's own where it said something. */
  readonly why?: string
}

/** What a push came to. */
export interface PushResult {
  readonly refs: readonly PushedRef[]
  /** Objects that were sent. */
  readonly objects: number
}

const ZERO = '0'.repeat(40)
const WORDS: { readonly [refusal in PushRefusal]: string } = {
  'non-fast-forward': 'the remote has commits that this would lose: fetch and merge first, or force it',
  'fetch-first': 'the remote has commits that are not here: fetch first',
  'already-exists': 'the remote has another tag of that name',
  declined: 'the server declined it',
  unpack: 'the server could not take the objects in',
  moved: 'somebody else moved it meanwhile',
  atomic: 'another one could not move',
}

/**
 * Pushes references. One that cannot move is `rejected`, with its reason, and the others move all the same, unless `atomic` is set. Our own
 * references to the remote's branches follow. Only objects that the remote lacks are sent; in a partial clone nothing is fetched for it.
 * Throws `not_found` for a name that is not here, and what the server says when it takes nothing at all.
 */
export async function pushRefs(git: GitDirectory, options: PushOptions): Promise<PushResult> {
  const config = await git.config()
  const settings = remoteSettings(config, options.remote ?? 'origin')
  const refspecs = settings.refspecs.map(parseRefspec)
  const transport = createTransport(settings.pushUrl, options)
  const remote = await readAdvertisement(transport)
  checkAbilities(remote, options)
  const planned: PushedRef[] = []
  for (const ref of options.refs) planned.push(await plan(git, ref, remote))
  const stopped = options.atomic && planned.some(({ kind }) => kind === 'rejected')
  const ready = stopped ? planned.map((ref) => (isMoving(ref) ? rejected(ref, 'atomic') : ref)) : planned
  const moving = ready.filter(isMoving)
  if (moving.length === 0) return { refs: ready, objects: 0 }
  const { verdicts, objects } = await send(git, transport, remote, moving, settings, options)
  const refs = ready.map((ref) => (isMoving(ref) ? (verdicts.get(ref.name) ?? rejected(ref, 'declined')) : ref))
  await followRemote(git, refspecs, refs.filter(isMoving), options.by)
  return { refs, objects }
}

function isMoving({ kind }: PushedRef): boolean {
  return kind !== 'rejected' && kind !== 'up-to-date'
}

function rejected(ref: PushedRef, refusal: PushRefusal, words?: string): PushedRef {
  return { ...ref, kind: 'rejected', refusal, why: words || WORDS[refusal] }
}

function checkAbilities({ capabilities }: Advertisement, { atomic, refs }: PushOptions): void {
  const needs = (name: string, what: string): void => {
    if (!capabilities.has(name)) throw new FilewrightError('unsupported', `The server cannot ${what}.`)
  }
  needs('report-status', 'tell what became of a push')
  if (atomic) needs('atomic', 'move several references as one')
  if (refs.some(({ from }) => from === null)) needs('delete-refs', 'remove references')
}

/** What a reference is to become, and whether that can be. */
async function plan(git: GitDirectory, { from: source, to: name, force }: PushRef, remote: Advertisement): Promise<PushedRef> {
  if (!isSentRefName(name))
    throw new FilewrightError('invalid_name', `${JSON.stringify(name)} is no full name of a reference.`, { field: 'refs' })
  const from = remote.refs.get(name) ?? null
  const to = source === null ? null : isOid(source) ? source : await git.refs.read(source)
  if (source !== null && (to === null || !(await git.objects.has(to)))) {
    throw new FilewrightError('not_found', `There is no ${JSON.stringify(source)} here to push.`, { field: 'refs' })
  }
  const about = { name, from, to }
  if (from === to) return { ...about, kind: 'up-to-date' }
  if (to === null) return { ...about, kind: 'removed' }
  if (from === null) return { ...about, kind: 'new' }
  const graph = openGraph(git, await git.shallow())
  const [ours, theirs] = [await graph.commitOf(to), await graph.commitOf(from)]
  const isTag = name.startsWith('refs/tags/')
  if (!isTag && ours !== null && theirs !== null && (await graph.reaches(ours, theirs))) return { ...about, kind: 'fast-forward' }
  if (force) return { ...about, kind: 'forced' }
  return rejected({ ...about, kind: 'rejected' }, isTag ? 'already-exists' : theirs === null ? 'fetch-first' : 'non-fast-forward')
}

/** Sends the request, and reads what became of each reference. */
async function send(
  git: GitDirectory,
  transport: Transport,
  remote: Advertisement,
  moving: readonly PushedRef[],
  { promisor }: RemoteSettings,
  options: PushOptions,
): Promise<{ readonly verdicts: ReadonlyMap<string, PushedRef>; readonly objects: number }> {
  const { limits, signal } = transport
  const { onProgress } = options
  const { capabilities, haves } = remote
  const banded = capabilities.has('side-band-64k')
  const wanted = [
    'report-status',
    banded && 'side-band-64k',
    options.atomic && 'atomic',
    !onProgress && capabilities.has('quiet') && 'quiet',
  ]
  const words = [...wanted.filter((word) => word), 'object-format=sha1', AGENT].join(' ')
  const commands = moving.map(({ name, from, to }, at) => `${from ?? ZERO} ${to ?? ZERO} ${name}${at === 0 ? `\0 ${words}` : ''}`)
  const shallow = await git.shallow()
  const head = packets(...[...shallow].map((oid) => `shallow ${oid}`), ...commands, FLUSH)
  const tips = moving.flatMap(({ to }) => to ?? [])
  const graph = openGraph(git, shallow)
  const objects = await newObjects(git, { graph, tips, except: haves, promised: promisor, limits, signal })
  const pack = outgoingPack(git, objects, { onProgress, signal })
  const body: AsyncIterable<Uint8Array> = {
    async *[Symbol.asyncIterator]() {
      yield head
      if (tips.length > 0) yield* pack
    },
  }
  const reader = createPacketReader(await transport.ask('git-receive-pack', body))
  try {
    const report = banded ? createPacketReader(sideBand(reader, (text) => tellProgress(text, onProgress))) : reader
    const verdicts = await readReport(report, moving)
    const count = Object.values(objects).reduce((sum, { size }) => sum + size, 0)
    return { verdicts, objects: count }
  } finally {
    await reader.close()
  }
}

async function readReport(report: ReturnType<typeof createPacketReader>, moving: readonly PushedRef[]): Promise<Map<string, PushedRef>> {
  const verdicts = new Map<string, PushedRef>()
  const byName = new Map(moving.map((ref) => [ref.name, ref]))
  const first = await report.text()
  if (typeof first !== 'string') throw first === null ? cutOff() : notGit()
  const unpacked = /^unpack (.*)$/s.exec(first)?.[1]
  if (unpacked === undefined) throw notGit()
  for (let line = await report.text(); line !== FLUSH; line = await report.text()) {
    if (typeof line !== 'string') throw line === null ? cutOff() : notGit()
    const [, verdict, name = '', words = ''] = /^(ok|ng) (\S+)(?: (.*))?$/s.exec(line) ?? []
    const ref = byName.get(name)
    if (!ref) continue
    verdicts.set(
      name,
      verdict === 'ok'
        ? ref
        : rejected(ref, unpacked === 'ok' ? refusalOf(words) : 'unpack', shown(unpacked === 'ok' ? words : `${words}: ${unpacked}`)),
    )
  }
  return verdicts
}

function refusalOf(words: string): PushRefusal {
  if (/non-fast-forward/i.test(words)) return 'non-fast-forward'
  if (/atomic/i.test(words)) return 'atomic'
  if (/already exists/i.test(words)) return 'already-exists'
  if (/incorrect old value|failed to update ref|stale info|cannot lock/i.test(words)) return 'moved'
  return 'declined'
}

/** Our references to the remote's branches, where they are now. One that somebody else moves meanwhile is left. */
async function followRemote(
  git: GitDirectory,
  refspecs: readonly Refspec[],
  moved: readonly PushedRef[],
  by: Signature | undefined,
): Promise<void> {
  for (const { name: pushed, to } of moved) {
    for (const spec of refspecs) {
      const name = spec.to === null || isExcluded(refspecs, pushed) ? null : mapped(spec, pushed)
      if (name === null) continue
      const from = await git.refs.read(name)
      if (from !== to) await git.refs.update({ name, from, to, message: 'update by push', ...(by && { by }) })
    }
  }
}
