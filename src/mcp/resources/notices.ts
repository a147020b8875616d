/** Change notifications on one lasting connection: what its client subscribed to, or what its streams of the newer era ask for. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { isWithin, type Path } from '../../core/path.ts'
import { notFound } from './errors.ts'
import { urisOf } from './events.ts'
import type { Within } from './host.ts'
import { type Touched, type Watched, watchTouched } from './touched.ts'
import { pathOf, type ResourceUris } from './uri.ts'

/** Most subscriptions of one connection. */
export const MOST_SUBSCRIPTIONS: number = 1024

/** The subscriptions of one connection of the 2025 era. Throws protocol errors. */
export interface Subscriptions {
  /** Tells what happens from now on. Returns how to stop; nothing is told after that. */
  start(workspace: Watched): () => void
  add(uri: string): void
  /** A URI that is not subscribed to is no error. */
  remove(uri: string): void
}

/**
 * Tells a client of the 2025 era of what it subscribed to, under the URIs that it used; and that the list changed, as it may expect
 * once it has said that it is ready.
 */
export function notifySubscribed(server: Server, uris: ResourceUris, within: Within): Subscriptions {
  /** Places by the URIs as the client wrote them; null stands for the log. */
  const subscribed = new Map<string, Path | null>()
  let ready = false
  server.oninitialized = () => {
    ready = true
  }

  async function tell({ files, directories, listed }: Touched, isOver: () => boolean): Promise<void> {
    if (!ready) return
    const places = await within()
    for (const [uri, path] of subscribed) {
      if (isOver()) return
      const shown = path === null || places === null || places.some((place) => isWithin(path, place))
      const touched = path === null || files.has(path) || directories.has(path)
      // It may have been given up while the others were told.
      if (shown && touched && subscribed.has(uri)) await server.sendResourceUpdated({ uri })
    }
    if (listed && !isOver()) await server.sendResourceListChanged()
  }

  return {
    start(workspace) {
      let over = false
      const stop = watchTouched(workspace, (touched) => {
        // A client that went away, or shares nothing any more, is told nothing.
        tell(touched, () => over).catch(() => {})
      })
      return () => {
        over = true
        stop()
      }
    },
    add(uri) {
      const address = uris.parse(uri)
      if (address?.kind !== 'path' && address?.kind !== 'log') throw notFound(uri)
      if (subscribed.size >= MOST_SUBSCRIPTIONS && !subscribed.has(uri)) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There are ${MOST_SUBSCRIPTIONS} subscriptions already: give some up first.`,
        )
      }
      subscribed.set(uri, address.kind === 'path' ? pathOf(address.names) : null)
    },
    remove: (uri) => void subscribed.delete(uri),
  }
}

/** Tells a lasting connection of the newer era of all that happens; what its streams did not ask for is dropped before it is sent. */
export function notifyStreams(server: Server, workspace: Watched, uris: ResourceUris): () => void {
  async function tell(touched: Touched): Promise<void> {
    for (const uri of urisOf(touched, uris)) await server.sendResourceUpdated({ uri })
    if (touched.listed) await server.sendResourceListChanged()
  }
  return watchTouched(workspace, (touched) => {
    tell(touched).catch(() => {})
  })
}
