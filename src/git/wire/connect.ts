/** A remote that is spoken with: what it can do, what it has, and packs of it. */
import { type Capabilities, readCapabilities } from './capabilities.ts'
import { listRefs, type RemoteRefs } from './ls_refs.ts'
import { createPacketReader } from './pkt_line.ts'
import { createTransport, type Transport, type WireOptions } from './transport.ts'

/** An open conversation. Nothing is held open: each request is one of its own. */
export interface Remote {
  readonly transport: Transport
  readonly capabilities: Capabilities
  /** Its references that begin with one of the prefixes, and HEAD. */
  refs(prefixes: readonly string[]): Promise<RemoteRefs>
}

/** Begins to read from a remote. Throws `unsupported` when it does not speak version 2, and what `createTransport` throws. */
export async function connectRemote(url: string, options: WireOptions): Promise<Remote> {
  const transport = createTransport(url, options)
  const reader = createPacketReader(await transport.advertised('git-upload-pack', 'version=2'))
  try {
    const capabilities = await readCapabilities(reader)
    return { transport, capabilities, refs: (prefixes) => listRefs(transport, capabilities, prefixes) }
  } finally {
    await reader.close()
  }
}
