/** What a lasting connection has beyond its requests: roots of its client, and notifications of what changes. */
import type { Server, Transport } from '@modelcontextprotocol/server'
import type { Workspace } from '../workspace/workspace.ts'
import { anyParams, requiredText } from './params.ts'
import { resourceError } from './resources/errors.ts'
import type { Within } from './resources/host.ts'
import { notifyStreams, notifySubscribed } from './resources/notices.ts'
import type { ResourceUris } from './resources/uri.ts'
import { createClientRoots, type RealPath } from './roots.ts'

/** Options of {@link serveConnection}. */
export interface ConnectionOptions {
  readonly uris: ResourceUris
  /** The era of the connection. The newer one has neither roots nor `resources/subscribe`: its streams are served by who holds them. */
  readonly modern: boolean
  /** Null where roots of the client are ignored. */
  readonly realPath: RealPath | null
}

/** Prepares a server, before it is connected, for one lasting connection. Returns where its requests may look. */
export function serveConnection(server: Server, workspace: Workspace, { uris, modern, realPath }: ConnectionOptions): Within {
  if (modern) {
    whileConnected(server, () => notifyStreams(server, workspace, uris))
    return everywhere
  }
  const within = realPath && workspace.fs.traits.root !== '' ? narrowing(server, workspace, realPath) : everywhere
  const subscriptions = notifySubscribed(server, uris, within)
  whileConnected(server, () => subscriptions.start(workspace))
  server.setRequestHandler('resources/subscribe', anyParams, async (params, context) => {
    const uri = requiredText(params, 'uri')
    try {
      await within(context)
    } catch (error) {
      throw resourceError(error, uri)
    }
    subscriptions.add(uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', anyParams, (params) => {
    subscriptions.remove(requiredText(params, 'uri'))
    return {}
  })
  return within
}

const everywhere: Within = async () => null

/** The roots of a client that declared some. */
function narrowing(server: Server, workspace: Workspace, realPath: RealPath): Within {
  const roots = createClientRoots(server, workspace, realPath)
  server.setNotificationHandler('notifications/roots/list_changed', () => roots.changed())
  return async (context) => (server.getClientCapabilities()?.roots ? roots.places(context) : null)
}

/** Starts something when the server is connected, and stops it when the connection is closed. */
function whileConnected(server: Server, start: () => () => void): void {
  const connect = server.connect.bind(server)
  server.connect = async (transport: Transport) => {
    await connect(transport)
    const stop = start()
    const { onclose } = transport
    transport.onclose = () => {
      stop()
      onclose?.()
    }
  }
}
