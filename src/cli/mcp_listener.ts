/** An MCP endpoint on a port of this machine: the guards, the endpoint, Node's server, and its end. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { ServerNotifier } from '@modelcontextprotocol/server'
import { FilewrightError } from '../core/errors.ts'
import { createMcpApp } from '../http/mcp_app.ts'
import { HTTP_LIMITS } from '../http/routes.ts'
import { createMcpEndpoint, type EndpointFactory } from '../mcp/endpoint.ts'

/** How long clients may take to hear that their streams ended. */
const GRACE_MS = 1_000
const SESSIONS = { most: 256, idleMs: 60 * 60 * 1000 }
const STREAMS = 256

/** Where to listen, and whom to answer. */
export interface McpPlace {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Names with ports under which clients reach the server, beside those of the address. */
  readonly names?: readonly string[]
  readonly token: string
}

/** An endpoint that listens. */
export interface McpListener {
  /** Where it listens. */
  readonly url: string
  readonly notify: ServerNotifier
  /** Cancels what runs, tells open streams, and gives the port back. */
  close(): Promise<void>
}

/** Serves what the factory makes at `/mcp`. Throws `io_error` where the port cannot be had. */
export async function listenMcp(factory: EndpointFactory, { host, port, names, token }: McpPlace): Promise<McpListener> {
  const mcp = createMcpEndpoint(factory, { bodyBytes: HTTP_LIMITS.callBytes, streams: STREAMS, sessions: SESSIONS })
  // A program of this machine could as well start its own server. One of another machine has no way in but this.
  const mayApprove = names === undefined && isLoopback(host)
  const hosts: string[] = []
  const app = createMcpApp({ token, hosts, mayApprove, mcp: mcp.answer })
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
  const taken = await listen(server, host, port)
  const own = `${host.includes(':') ? `[${host}]` : host}:${taken}`
  const aliases = isLoopback(host) ? ['127.0.0.1', 'localhost', '[::1]'].map((alias) => `${alias}:${taken}`) : []
  hosts.push(own, ...aliases, ...(names ?? []))
  return {
    url: `http://${own}/mcp`,
    notify: mcp.notify,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      await mcp.close()
      await Promise.race([closed, new Promise((wake) => setTimeout(wake, GRACE_MS).unref())])
      server.closeAllConnections()
      await closed
    },
  }
}

/** Whether only programs of this machine reach a host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host)
}

function listen(server: Server, host: string, port: number): Promise<number> {
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
