/** The fetch command of version 2: what is wanted, what is here, and a pack of the difference. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitProgress } from '../objects.ts'
import { AGENT, type Capabilities, hasFeature } from './capabilities.ts'
import { oidOf } from './names.ts'
import { createPacketReader, cutOff, DELIM, FLUSH, type Mark, notGit, type PacketReader, packets, RESPONSE_END } from './pkt_line.ts'
import { sideBand } from './side_band.ts'
import type { Transport } from './transport.ts'

/** How much of history is wanted. */
export interface Deepen {
  /** Commits from each reference on. */
  readonly depth?: number
  /** Only commits since then, in milliseconds since 1970. */
  readonly sinceMs?: number
  /** Counts `depth` from where history ends now, not from the references. */
  readonly relative?: boolean
}

/** What is to be fetched. */
export interface PackRequest extends Deepen {
  readonly wants: readonly Oid[]
  /** Commits whose parents are not here. */
  readonly shallow?: readonly Oid[]
  /** What is left out: `blob:none`, `blob:limit=1m`, `tree:0`. */
  readonly filter?: string
  /** Tags of what is sent come along. */
  readonly tags?: boolean
  /** The pack may lack objects that we told to have. */
  readonly thin?: boolean
  /** Rounds of what is here. Default: nothing is. */
  readonly negotiation?: Negotiation
}

/** Finds out what both sides have. */
export interface Negotiation {
  /** Names for the next round; empty: there are no more. */
  next(): Promise<readonly Oid[]>
  /** Names that both have, so far. They are told again every round: the server remembers nothing. */
  common(): readonly Oid[]
  /** The server has these. */
  acknowledge(oids: readonly Oid[]): Promise<void>
  /** Whether to ask no more, although there is more. */
  enough(): boolean
}

/** Where the history that we have ends, as the server says. */
export interface ShallowInfo {
  readonly shallow: readonly Oid[]
  readonly unshallow: readonly Oid[]
}

/** A pack on its way. `pack` must be read to its end, or given up. */
export interface IncomingPack extends ShallowInfo {
  readonly pack: AsyncIterable<Uint8Array>
}

/** Asks for a pack. Throws `unsupported` for what the server cannot do, and what it says itself. */
export async function fetchPack(
  transport: Transport,
  capabilities: Capabilities,
  request: PackRequest,
  onProgress: GitProgress | undefined,
): Promise<IncomingPack> {
  const head = requestHead(capabilities, request, onProgress === undefined)
  const { negotiation } = request
  for (;;) {
    const haves = negotiation ? await negotiation.next() : []
    const done = !negotiation || haves.length === 0 || negotiation.enough()
    const known = [...(negotiation?.common() ?? []), ...haves].map((oid) => `have ${oid}`)
    const body = packets(...head, ...known, ...(done ? ['done'] : []), FLUSH)
    const reader = createPacketReader(await transport.ask('git-upload-pack', body, 'version=2'))
    const answer = await readSections(reader, negotiation, transport.limits.listBytes)
    if (answer) return { ...answer, pack: packOf(reader, onProgress) }
    await reader.close()
    if (done) throw cutOff()
  }
}

function requestHead(capabilities: Capabilities, request: PackRequest, quiet: boolean): (string | Mark)[] {
  const { wants, shallow = [], filter, depth, sinceMs, relative, tags, thin } = request
  const needs = (feature: string, what: string): void => {
    if (!hasFeature(capabilities, 'fetch', feature)) throw new FilewrightError('unsupported', `The server does not offer ${what}.`)
  }
  if (filter !== undefined) needs('filter', 'partial clones')
  if (depth !== undefined || sinceMs !== undefined || shallow.length > 0) needs('shallow', 'shallow clones')
  return [
    'command=fetch',
    AGENT,
    'object-format=sha1',
    DELIM,
    'ofs-delta',
    ...(thin ? ['thin-pack'] : []),
    ...(quiet ? ['no-progress'] : []),
    ...(tags ? ['include-tag'] : []),
    ...wants.map((oid) => `want ${oid}`),
    ...shallow.map((oid) => `shallow ${oid}`),
    ...(depth === undefined ? [] : [`deepen ${depth}`]),
    ...(relative ? ['deepen-relative'] : []),
    ...(sinceMs === undefined ? [] : [`deepen-since ${Math.floor(sinceMs / 1000)}`]),
    ...(filter === undefined ? [] : [`filter ${filter}`]),
  ]
}

/** Reads up to the pack, which at most so many bytes go before; null when the server waits for more of what is here. */
async function readSections(reader: PacketReader, negotiation: Negotiation | undefined, most: number): Promise<ShallowInfo | null> {
  let bytes = 0
  const shallow: Oid[] = []
  const unshallow: Oid[] = []
  for (;;) {
    const section = await reader.text()
    if (section === 'packfile') return { shallow, unshallow }
    if (typeof section !== 'string') throw section === null ? cutOff() : notGit()
    const acknowledged: Oid[] = []
    let line = await reader.text()
    for (; typeof line === 'string'; line = await reader.text()) {
      bytes += line.length
      if (bytes > most) throw new FilewrightError('too_large', `The server lists more than the ${most} bytes that are taken.`)
      const [word, oid] = line.split(' ')
      if (section === 'acknowledgments') {
        if (word === 'ACK') acknowledged.push(oidOf(oid))
      } else if (section === 'shallow-info') {
        if (word === 'shallow') shallow.push(oidOf(oid))
        else if (word === 'unshallow') unshallow.push(oidOf(oid))
        else throw notGit()
      }
      // Other sections are not asked for.
      else throw notGit()
    }
    await negotiation?.acknowledge(acknowledged)
    if (line === FLUSH || line === RESPONSE_END) return null
    if (line === null) throw cutOff()
  }
}

async function* packOf(reader: PacketReader, onProgress: GitProgress | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* sideBand(reader, (text) => tellProgress(text, onProgress))
  } finally {
    await reader.close()
  }
}

/** `Counting objects: 37% (42/113)` as figures. */
export function tellProgress(text: string, onProgress: GitProgress | undefined): void {
  const [, phase, done, total] = /^(.{1,80}?):\s+(?:\d+%\s+\()?(\d+)(?:\/(\d+)\))?/.exec(text) ?? []
  if (phase === undefined) onProgress?.(text, 0, null)
  else onProgress?.(`remote: ${phase}`, Number(done), total === undefined ? null : Number(total))
}
