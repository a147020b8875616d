/** The edge worker: guards, the page, and the way to the object of each workspace. */
import { env as bindings } from 'cloudflare:workers'
import { createHttpApp } from '../src/http/app.ts'
import type { Env } from './env.ts'
import { createEdgeHost, directoryOf } from './host.ts'

export { DirectoryObject } from './directory_object.ts'
export { WorkspaceObject } from './workspace_object.ts'

const env = bindings as unknown as Env

const list = (text: string): string[] => text.split(',').filter((host) => host !== '')

// Without a secret this throws, and the worker does not start.
const app = createHttpApp({
  host: createEdgeHost(env),
  secret: env.FILEWRIGHT_SECRET,
  hosts: list(env.FILEWRIGHT_HOSTS ?? ''),
  claim: async (id) => directoryOf(env).claim(id),
  gitProxy: env.FILEWRIGHT_GIT_HOSTS === undefined ? {} : { hosts: list(env.FILEWRIGHT_GIT_HOSTS) },
  page: (request) => env.ASSETS.fetch(request),
})

const worker: ExportedHandler<Env> = { fetch: (request) => app.fetch(request) }
export default worker
