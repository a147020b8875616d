/** The edge worker: guards, the page, and the way to the object of each workspace. */
import { env as bindings } from 'cloudflare:workers'
import { createHttpApp } from '../src/http/app.ts'
import type { Env } from './env.ts'
import { createEdgeHost, directoryOf } from './host.ts'

export { DirectoryObject } from './directory_object.ts'
export { WorkspaceObject } from './workspace_object.ts'

const env = bindings as unknown as Env

// Without a secret this throws, and the worker does not start.
const app = createHttpApp({
  host: createEdgeHost(env),
  secret: env.FILEWRIGHT_SECRET,
  hosts: (env.FILEWRIGHT_HOSTS ?? '').split(',').filter((host) => host !== ''),
  claim: async (id) => directoryOf(env).claim(id),
  page: (request) => env.ASSETS.fetch(request),
})

const worker: ExportedHandler<Env> = { fetch: (request) => app.fetch(request) }
export default worker
