/** `filewright mcp --http`: the workspace as an MCP server over streamable HTTP. */
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { FilewrightError } from '../../core/errors.ts'
import { SECRET_LENGTH } from '../../http/credentials.ts'
import { createMcpApp } from '../../http/mcp_app.ts'
import { HTTP_LIMITS } from '../../http/routes.ts'
import { callerOfRequest, createMcpEndpoint, createMcpFactory } from '../../mcp/index.ts'
import type { Output } from '../output.ts'
import { startWatching, stopSignal, trackCalls } from '../serving.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'

/** The variable that holds the operator's token: arguments are seen by every program of the machine. */
const TOKEN = 'FILEWRIGHT_TOKEN'
/** How long clients may take to hear that their streams ended. */
const GRACE_MS = 1_000
const SESSIONS = { most: 256, idleMs: 60 * 60 * 1000 }
const STREAMS = 256

/** Where to listen, and under which names. */
interface Place {
  readonly host: string
  readonly port: number
  /** Names with ports; for a port that is still unknown, null. */
  readonly names: readonly string[] | null
}

/**
 * Serves until SIGTERM, SIGINT or SIGHUP, which cancel what runs. Nothing is written to standard output; the address, and the token
 * where it is made here, stand on standard error. Throws `invalid_argument` for an address that is wrong or would be open.
 */
export async function mcpHttp(settings: Settings, output: Output): Promise<void> {
  // A library that tells of a client that went away does it there.
  console.info = console.error
  const given = process.env[TOKEN]
  const place = placeOf(settings, given)
  const token = given ?? randomBytes(SECRET_LENGTH).toString('base64url')
  const stopped = stopSignal()
  await withWorkspace(settings, output, async (workspace) => {
    const calls = trackCalls(workspace)
    const factory = createMcpFactory(calls.workspace, {
      caller: callerOfRequest,
      ...(settings.output !== undefined && { output: settings.output }),
    })
    const mcp = createMcpEndpoint(factory, { bodyBytes: HTTP_LIMITS.callBytes, streams: STREAMS, sessions: SESSIONS })
    const hosts: string[] = []
    // A program of this machine could as well start its own server. One of another machine has no way in but this.
    const mayApprove = place.names === null && isLoopback(place.host)
    const app = createMcpApp({ token, hosts, mayApprove, mcp: mcp.answer })
    const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
    const port = await listen(server, place)
    hosts.push(...(place.names ?? namesOf(place.host, port)))
    const watching = settings.watch ? startWatching(workspace, output) : null
    output.note(`Serving MCP at http://${hosts[0]}/mcp\nAuthorization: Bearer ${given === undefined ? token : `(the value of ${TOKEN})`}`)
    await stopped
    const closed = new Promise<void>((done) => server.close(() => done()))
    await mcp.close()
    await Promise.race([closed, new Promise((wake) => setTimeout(wake, GRACE_MS).unref())])
    server.closeAllConnections()
    // A canceled call may be in its commit: the workspace must not be exported or closed under it.
    await calls.settled()
    await watching?.stop()
  })
}

function placeOf({ http = '', httpHosts }: Settings, token: string | undefined): Place {
  const [, name = '127.0.0.1', digits = ''] = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]+):)?([0-9]{1,5})$/.exec(http) ?? []
  const [host, port] = [name.replace(/^\[|\]$/g, ''), Number(digits)]
  if (digits === '' || port > 65535) throw wrong('--http must be a port, or a host and a port: 8080, 127.0.0.1:8080, [::1]:8080.')
  if (token !== undefined && token.length < SECRET_LENGTH) throw wrong(`${TOKEN} must have at least ${SECRET_LENGTH} characters.`)
  if (!isLoopback(host) && token === undefined) {
    throw wrong(`--http ${http} can be reached by other machines: set a token in ${TOKEN}, or listen on 127.0.0.1.`)
  }
  if (['0.0.0.0', '::'].includes(host) && !httpHosts?.length) {
    throw wrong(`--http ${http} needs --http-hosts: the names, with ports, under which clients reach it.`)
  }
  return { host, port, names: httpHosts?.length ? httpHosts : null }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host)
}

/** The names under which a server on this address is reached. The first is for showing. */
function namesOf(host: string, port: number): string[] {
  const own = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return isLoopback(host) ? [...new Set([own, `127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])] : [own]
}

/** The port that was taken. Throws `io_error` where none can be. */
function listen(server: Server, { host, port }: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = ({ code }: NodeJS.ErrnoException): void =>
      reject(new FilewrightError('io_error', `${host}:${port} cannot be listened on (${code}): choose another address with --http.`))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function wrong(message: string): FilewrightError {
  return new FilewrightError('invalid_argument', message, { field: 'http' })
}
