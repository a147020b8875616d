/** A worker of the tab that answers the HTTP interface from workspaces in its own memory: the same core, with no server. */

import { FilewrightError, toFilewrightError } from '../../src/core/errors.ts'
import type { Hasher } from '../../src/core/hash.ts'
import { EDGE_TEXT_BYTES } from '../../src/core/traits.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createWasmHasher } from '../../src/fs/wasm_hasher.ts'
import { createHostApp, type WorkspaceHost } from '../../src/http/app.ts'
import type { WorkspaceEntry } from '../../src/http/routes.ts'
import { createWorkspaceApp } from '../../src/http/workspace_app.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { ToPage, ToWorker } from './messages.ts'

/** The address that requests have here; nothing is ever sent to it. */
const ORIGIN = 'https://tab.invalid'

interface Held {
  entry: WorkspaceEntry
  readonly answer: (request: Request) => Promise<Response>
}

function createTabHost(hasher: Hasher): WorkspaceHost {
  const workspaces = new Map<string, Held>()
  const held = (id: string): Held => {
    const found = workspaces.get(id)
    if (!found) throw new FilewrightError('not_found', 'There is no such workspace.')
    return found
  }
  return {
    list: async () => [...workspaces.values()].map(({ entry }) => entry),
    get: async (id) => held(id).entry,
    async create({ name, profile = 'fileops' }) {
      const fs = createMemoryFs({ hasher, limits: { textBytes: EDGE_TEXT_BYTES } })
      const app = createWorkspaceApp(await openWorkspace({ fs, profile, subject: 'page' }))
      const id = crypto.randomUUID().replaceAll('-', '')
      const entry: WorkspaceEntry = { id, name, profile, createdMs: Date.now() }
      workspaces.set(id, { entry, answer: async (request) => app.fetch(request) })
      return entry
    },
    async rename(id, name) {
      const one = held(id)
      one.entry = { ...one.entry, name }
      return one.entry
    },
    async remove(id) {
      held(id)
      workspaces.delete(id)
    },
    answer: (id, request) => held(id).answer(request),
  }
}

// Only this page can reach a worker of this tab, so there are no guards to pass.
const app = createWasmHasher().then((hasher) => createHostApp(createTabHost(hasher)))
const running = new Map<number, AbortController>()

async function answer(message: Extract<ToWorker, { kind: 'request' }>): Promise<Response> {
  const { path, method, headers, body, id } = message
  const abort = new AbortController()
  running.set(id, abort)
  const init = { method, headers: { ...headers }, body, signal: abort.signal }
  return (await app).fetch(new Request(`${ORIGIN}/v1${path}`, init))
}

function reply(message: ToPage): void {
  const { body } = message
  try {
    postMessage(message, { transfer: body === null ? [] : [body] })
  } catch {
    // This browser cannot hand streams over: the answer goes as a whole.
    void new Response(body).arrayBuffer().then((whole) => postMessage({ ...message, body: whole }, { transfer: [whole] }))
  }
}

addEventListener('message', async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'abort') {
    running.get(data.id)?.abort()
    running.delete(data.id)
    return
  }
  const { id } = data
  try {
    const response = await answer(data)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) running.delete(id)
    reply({ id, status: response.status, headers: [...response.headers], body: response.body })
  } catch (error) {
    const { code, message } = toFilewrightError(error)
    const body = await new Response(JSON.stringify({ code, detail: message })).arrayBuffer()
    reply({ id, status: 500, headers: [['content-type', 'application/problem+json']], body })
  }
})
