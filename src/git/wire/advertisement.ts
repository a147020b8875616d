/** What a server that takes pushes says at first: its references and what it can do, by the old version of the protocol. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import { type Capabilities, checkObjectFormat, firstLine } from './capabilities.ts'
import { isSentRefName, oidOf } from './names.ts'
import { createPacketReader, FLUSH, notGit } from './pkt_line.ts'
import type { Transport } from './transport.ts'

/** A server's state before a push. */
export interface Advertisement {
  readonly capabilities: Capabilities
  readonly refs: ReadonlyMap<string, Oid>
  /** All that it says it has: of its references, and more. */
  readonly haves: ReadonlySet<Oid>
}

/** Asks for it. Throws `too_large` beyond the limits, `unsupported` for a repository with SHA-256 names. */
export async function readAdvertisement(transport: Transport): Promise<Advertisement> {
  const reader = createPacketReader(await transport.advertised('git-receive-pack'))
  try {
    const refs = new Map<string, Oid>()
    const haves = new Set<Oid>()
    const capabilities = new Map<string, string>()
    let line: Awaited<ReturnType<typeof reader.text>> = await firstLine(reader, 'git-receive-pack')
    for (let first = true; typeof line === 'string'; line = await reader.text(), first = false) {
      const [text = '', words] = line.split('\0')
      if (first) {
        for (const word of (words ?? '').trim().split(' ')) {
          const at = word.indexOf('=')
          capabilities.set(at < 0 ? word : word.slice(0, at), at < 0 ? '' : word.slice(at + 1))
        }
        checkObjectFormat(capabilities)
      }
      const [id, name = ''] = text.split(' ')
      if (id === 'shallow' || name === 'capabilities^{}') continue
      const oid = oidOf(id)
      haves.add(oid)
      if (isSentRefName(name)) refs.set(name, oid)
      if (haves.size + refs.size > 2 * transport.limits.refs) {
        throw new FilewrightError('too_large', `The remote has more than ${transport.limits.refs} references.`)
      }
    }
    if (line !== FLUSH && line !== null) throw notGit()
    return { capabilities, refs, haves }
  } finally {
    await reader.close()
  }
}
