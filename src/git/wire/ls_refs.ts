/** The references of a remote, by version 2 of the protocol. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import { AGENT, type Capabilities, hasFeature } from './capabilities.ts'
import { isSentRefName, oidOf } from './names.ts'
import { createPacketReader, DELIM, FLUSH, notGit, packets } from './pkt_line.ts'
import type { Transport } from './transport.ts'

/** One reference of a remote. */
export interface RemoteRef {
  readonly name: string
  readonly oid: Oid
  /** Of a tag object, what it stands for in the end. */
  readonly peeled: Oid | null
}

/** What a remote has. */
export interface RemoteRefs {
  /** Sorted as sent. Names that git refuses are left out. */
  readonly refs: readonly RemoteRef[]
  /** What HEAD is: a branch by its full name (which may have no commit yet), or a commit. */
  readonly head: { readonly branch: string | null; readonly oid: Oid | null } | null
}

/** The references whose names begin with one of `prefixes`, and HEAD. Throws `too_large` beyond the limits. */
export async function listRefs(transport: Transport, capabilities: Capabilities, prefixes: readonly string[]): Promise<RemoteRefs> {
  const unborn = hasFeature(capabilities, 'ls-refs', 'unborn') ? ['unborn'] : []
  const wanted = ['HEAD', ...prefixes].map((prefix) => `ref-prefix ${prefix}`)
  const request = packets('command=ls-refs', AGENT, 'object-format=sha1', DELIM, 'peel', 'symrefs', ...unborn, ...wanted, FLUSH)
  const reader = createPacketReader(await transport.ask('git-upload-pack', request, 'version=2'))
  try {
    const refs: RemoteRef[] = []
    const names = new Set<string>()
    let head: RemoteRefs['head'] = null
    for (;;) {
      const line = await reader.text()
      if (line === FLUSH) return { refs, head }
      if (typeof line !== 'string') throw notGit()
      const [id, name = '', ...attributes] = line.split(' ')
      const oid = id === 'unborn' ? null : oidOf(id)
      const attribute = (key: string) => attributes.find((one) => one.startsWith(`${key}:`))?.slice(key.length + 1)
      if (name === 'HEAD') {
        const branch = attribute('symref-target') ?? null
        head = { branch: branch !== null && isSentRefName(branch) ? branch : null, oid }
      } else if (oid !== null && isSentRefName(name)) {
        if (names.has(name)) throw notGit()
        names.add(name)
        const peeled = attribute('peeled')
        refs.push({ name, oid, peeled: peeled === undefined ? null : oidOf(peeled) })
        if (refs.length > transport.limits.refs) {
          throw new FilewrightError('too_large', `The remote has more than ${transport.limits.refs} references.`)
        }
      }
    }
  } finally {
    await reader.close()
  }
}
