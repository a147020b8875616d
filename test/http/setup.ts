/** An HTTP app over workspaces in memory, and a client for it. */
import type { Hono } from 'hono'
import { FilewrightError } from '../../src/core/errors.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createHttpApp, type HttpAppOptions, type WorkspaceHost } from '../../src/http/app.ts'
import { HTTP_LIMITS, type WorkspaceEntry } from '../../src/http/routes.ts'
import { createWorkspaceApp } from '../../src/http/workspace_app.ts'
import { callerOfRequest, createMcpEndpoint, createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'

export const SECRET = 'a-secret-of-the-tests-that-is-long-enough'
export const HOST = '127.0.0.1:8787'
export const ORIGIN: string = `http://${HOST}`

/** A host that keeps its workspaces in memory. `answered` counts the requests that reached a workspace. */
export interface MemoryHost extends WorkspaceHost {
  readonly opened: Map<string, { readonly entry: WorkspaceEntry; readonly workspace: Workspace; readonly app: Hono }>
  answered: number
}

export function createMemoryHost(): MemoryHost {
  const opened: MemoryHost['opened'] = new Map()
  const find = (id: string) => {
    const found = opened.get(id)
    if (!found) throw new FilewrightError('not_found', 'There is no such workspace.')
    return found
  }
  const host: MemoryHost = {
    opened,
    answered: 0,
    list: async () => [...opened.values()].map(({ entry }) => entry),
    get: async (id) => find(id).entry,
    async create({ name, profile = 'fileops' }) {
      const workspace = await openWorkspace({ fs: createMemoryFs(), profile })
      const entry = { id: `workspace${opened.size}`, name, profile, createdMs: Date.now() }
      const factory = createMcpFactory(workspace, { caller: callerOfRequest })
      const mcp = createMcpEndpoint(factory, { bodyBytes: HTTP_LIMITS.callBytes, streams: 4 })
      opened.set(entry.id, { entry, workspace, app: createWorkspaceApp(workspace, { mcp: mcp.answer }) })
      return entry
    },
    async rename(id, name) {
      const { entry, ...rest } = find(id)
      opened.set(id, { ...rest, entry: { ...entry, name } })
      return find(id).entry
    },
    async remove(id) {
      await find(id).workspace.close()
      opened.delete(id)
    },
    answer: async (id, request) => {
      host.answered++
      return find(id).app.fetch(request)
    },
  }
  return host
}

/** One request of {@link TestServer.send}. `json` is sent as JSON; `host`, `authorization` and others can be set or, with null, left out. */
export interface Sent {
  readonly json?: unknown
  readonly body?: BodyInit
  readonly headers?: { readonly [name: string]: string | null }
  readonly signal?: AbortSignal
}

export interface TestServer {
  readonly app: Hono
  readonly host: MemoryHost
  /** `path` is as on the wire: nothing in it is normalized before the request is made of it. */
  send(method: string, path: string, sent?: Sent): Promise<Response>
  /** The id of a new workspace. */
  create(name?: string): Promise<string>
}

export function createServer(options: Partial<HttpAppOptions> = {}): TestServer {
  const host = createMemoryHost()
  const claimed = new Set<string>()
  const claim = async (id: string) => {
    const first = !claimed.has(id)
    claimed.add(id)
    return first
  }
  const app = createHttpApp({ host, secret: SECRET, hosts: [HOST], claim, ...options })
  async function send(method: string, path: string, { json, body, headers = {}, signal }: Sent = {}): Promise<Response> {
    const all: { [name: string]: string | null } = {
      host: HOST,
      authorization: `Bearer ${SECRET}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
    const sentBody = json === undefined ? body : JSON.stringify(json)
    return app.fetch(
      new Request(ORIGIN + path, {
        method,
        headers: kept,
        ...(sentBody === undefined ? {} : { body: sentBody, duplex: 'half' }),
        ...(signal === undefined ? {} : { signal }),
      } as RequestInit),
    )
  }
  return {
    app,
    host,
    send,
    async create(name = 'test') {
      const answer = await send('POST', '/v1/workspaces', { json: { name } })
      return ((await answer.json()) as WorkspaceEntry).id
    },
  }
}

/** A body that comes in pieces, without a length. */
export function streamOf(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
      controller.close()
    },
  })
}
