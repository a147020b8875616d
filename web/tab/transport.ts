/** The way into the tab's own worker. */
import type { Transport } from '../api/transport.ts'
import type { ToPage, ToWorker } from './messages.ts'
import workerAddress from './server.ts?worker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** Starts the worker. Its workspaces last as long as the tab. */
export function openTab(): Transport {
  const worker = new Worker(trusted(workerAddress), { type: 'module' })
  const waiting = new Map<number, { resolve(response: Response): void; reject(error: Error): void }>()
  let requests = 0

  worker.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
    waiting
      .get(data.id)
      ?.resolve(
        new Response(data.body, { status: data.status, headers: data.headers.map(([name, value]): [string, string] => [name, value]) }),
      )
    waiting.delete(data.id)
  })
  worker.addEventListener('error', (event) => {
    for (const { reject } of waiting.values()) reject(new Error(`The tab's worker failed: ${event.message}`))
    waiting.clear()
  })

  return (path, { method = 'GET', headers = {}, body = null as never, signal } = {}) =>
    new Promise((resolve, reject) => {
      const id = ++requests
      waiting.set(id, { resolve, reject })
      signal?.addEventListener('abort', () => worker.postMessage({ kind: 'abort', id } satisfies ToWorker))
      worker.postMessage({ kind: 'request', id, path, method, headers, body } satisfies ToWorker)
    })
}

/** The page's policy demands that the one address of a script that it makes goes through the policy named here. */
function trusted(address: string): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  return types ? types.createPolicy('filewright', { createScriptURL: (url) => url }).createScriptURL(address) : address
}
