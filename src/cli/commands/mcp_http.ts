/** `filewright mcp --http`: the workspace as an MCP server over streamable HTTP. */
import { randomBytes } from 'node:crypto'
import { FilewrightError } from '../../core/errors.ts'
import { SECRET_LENGTH } from '../../http/credentials.ts'
import { callerOfRequest, createMcpFactory } from '../../mcp/index.ts'
import { isLoopback, listenMcp, type McpPlace } from '../mcp_listener.ts'
import { mcpOptions } from '../mcp_options.ts'
import type { Output } from '../output.ts'
import { startWatching, stopSignal, trackCalls } from '../serving.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'

/** The variable that holds the operator's token: arguments are seen by every program of the machine. */
const TOKEN = 'FILEWRIGHT_TOKEN'

/**
 * Serves until SIGTERM, SIGINT or SIGHUP, which cancel what runs. Nothing is written to standard output; the address, and the token
 * where it is made here, stand on standard error. Throws `invalid_argument` for an address that is wrong or would be open.
 */
export async function mcpHttp(settings: Settings, output: Output): Promise<void> {
  // A library tells there of clients that went away.
  console.info = console.error
  const given = process.env[TOKEN]
  const place = placeOf(settings, given)
  const options = mcpOptions(settings, isLoopback(place.host))
  const stopped = stopSignal()
  await withWorkspace(settings, output, async (workspace) => {
    const calls = trackCalls(workspace)
    const factory = createMcpFactory(calls.workspace, { caller: callerOfRequest, ...options })
    const listener = await listenMcp(factory, place)
    const watching = settings.watch ? startWatching(workspace, output) : null
    output.note(`Serving MCP at ${listener.url}\nAuthorization: Bearer ${given === undefined ? place.token : `(the value of ${TOKEN})`}`)
    await stopped
    await listener.close()
    // A canceled call may be in its commit: the workspace must not be exported or closed under it.
    await calls.settled()
    await watching?.stop()
  })
}

function placeOf({ http = '', httpHosts }: Settings, given: string | undefined): McpPlace {
  const [, name = '127.0.0.1', digits = ''] = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]+):)?([0-9]{1,5})$/.exec(http) ?? []
  const [host, port] = [name.replace(/^\[|\]$/g, ''), Number(digits)]
  if (digits === '' || port > 65535) throw wrong('--http must be a port, or a host and a port: 8080, 127.0.0.1:8080, [::1]:8080.')
  if (given !== undefined && given.length < SECRET_LENGTH) throw wrong(`${TOKEN} must have at least ${SECRET_LENGTH} characters.`)
  if (!isLoopback(host) && given === undefined) {
    throw wrong(`--http ${http} can be reached by other machines: set a token in ${TOKEN}, or listen on 127.0.0.1.`)
  }
  if (['0.0.0.0', '::'].includes(host) && !httpHosts?.length) {
    throw wrong(`--http ${http} needs --http-hosts: the names, with ports, under which clients reach it.`)
  }
  const token = given ?? randomBytes(SECRET_LENGTH).toString('base64url')
  return { host, port, token, ...(httpHosts?.length && { names: httpHosts }) }
}

function wrong(message: string): FilewrightError {
  return new FilewrightError('invalid_argument', message, { field: 'http' })
}
