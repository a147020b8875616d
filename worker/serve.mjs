/**
 * Runs the bundled worker in workerd, for start.mjs, which tells it how and ends it. The runtime is Wrangler's, driven without
 * its development server: that one opens a debugger and all storage to every program of the machine, and its proxy loses
 * requests that follow a long one.
 */
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'

/** What start.mjs sends. */
const { bundle, port, state, bindings } = await new Promise((take) => process.once('message', take))

const { workerOptions } = unstable_getMiniflareWorkerOptions('wrangler.jsonc')
const worker = { ...workerOptions, name: 'filewright', modules: [{ type: 'ESModule', path: bundle }], bindings }
const quiet = { cf: false, telemetry: { enabled: false }, logRequests: false }
const server = new Miniflare({
  ...convertV4MiniflareOptions({ workers: [{ ...worker, rootPath: process.cwd() }], host: '127.0.0.1', port, ...quiet }),
  // Where `wrangler dev` keeps it too.
  resourcePersistencePath: join(state, 'v3'),
})

async function end() {
  await server.dispose()
  process.exit(0)
}

process.once('SIGTERM', end)
// The one who started us is gone.
process.once('disconnect', end)

await server.ready
process.send('ready')
