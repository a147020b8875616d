/** Roots of a client of the 2025 era: they narrow what the operator opened, and never widen it. */
import type { Server, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { isWithin, type Path, ROOT } from '../core/path.ts'
import type { View } from '../core/view.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Longest wait for a client's list, in milliseconds. */
const ANSWER_MS = 5000
/** JSON-RPC: the client declares roots and has no such method. */
const METHOD_NOT_FOUND = -32601

/** A list with one root that is none is still a list: each is judged by itself. */
const ROOTS = z.object({ roots: z.array(z.looseObject({ uri: z.unknown() })) })

/** What one connection's client shares. */
export interface ClientRoots {
  /**
   * The places that calls must stay in; null for the whole workspace. Waits until the client has told its roots. Throws
   * `outside_root` when the client shares nothing of the workspace, `timeout` when it does not answer. The client is asked on the
   * stream of the request that waits for it, since over HTTP there may be no other.
   */
  places(context?: ServerContext): Promise<readonly Path[] | null>
  /** The client's list is another one: from now on calls wait for it. */
  changed(): void
}

/** Finds the canonical spelling of a path of the host, where there is a host. A path that is not there stands for itself. */
export type RealPath = (path: string) => Promise<string>

/**
 * The roots of a client that declared them. An empty list narrows nothing as long as the client never shared anything; once it has,
 * an empty list means that all was withdrawn.
 */
export function createClientRoots(
  server: Server,
  workspace: Workspace,
  realPath: RealPath = async (path) => path,
  waitMs: number = ANSWER_MS,
): ClientRoots {
  let shared = false
  let changes = 0
  let known: Promise<readonly Path[] | null> | null = null

  async function ask(context: ServerContext | undefined): Promise<readonly Path[] | null> {
    const uris = await listRoots(server, context, waitMs)
    if (uris === null || (uris.length === 0 && !shared)) return null
    shared = true
    const view = await workspace.view()
    const places: Path[] = []
    for (const uri of uris) {
      const place = await placeOf(uri, view, realPath)
      if (place === ROOT) return null
      if (place !== null) places.push(place)
    }
    return places.filter((place) => !places.some((other) => other !== place && isWithin(place, other)))
  }

  return {
    async places(context) {
      for (;;) {
        known ??= ask(context)
        const [asked, when] = [known, changes]
        try {
          const places = await asked
          // Otherwise the list changed while it was waited for.
          if (when === changes) return sharing(places, workspace)
        } catch (error) {
          // The next call asks again.
          if (known === asked) known = null
          if (when === changes) throw error
        }
      }
    },
    changed() {
      changes++
      known = null
    },
  }
}

/** The URIs; null when the client has no list after all. Throws `timeout`. */
async function listRoots(server: Server, context: ServerContext | undefined, timeout: number): Promise<readonly string[] | null> {
  try {
    const request = { method: 'roots/list' } as const
    const options = { timeout }
    const { roots } = await (context ? context.mcpReq.send(request, ROOTS, options) : server.request(request, ROOTS, options))
    return roots.flatMap(({ uri }) => (typeof uri === 'string' ? [uri] : []))
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === METHOD_NOT_FOUND) return null
    const message = 'The client declares roots and did not list them: nothing is done until it does. Call again.'
    throw new FilewrightError('timeout', message, { cause: error })
  }
}

/** The place of a root in the workspace: the root of it for one that holds it all; null for one that lies elsewhere. */
async function placeOf(uri: string, view: View, realPath: RealPath): Promise<Path | null> {
  const host = hostPath(uri)
  if (host === null) return null
  const { root } = view.traits
  for (const path of new Set([host, await realPath(host)])) {
    if (path === '/' || root === path || root.startsWith(`${path}/`)) return ROOT
    try {
      return (await view.resolve(path, { field: 'roots' })).path
    } catch {
      // Outside, or not to be reached: it adds nothing.
    }
  }
  return null
}

/** The path of a `file:` URI without its final slash; null for any other. */
function hostPath(uri: string): string | null {
  try {
    const { protocol, host, pathname } = new URL(uri)
    const path = decodeURIComponent(pathname)
    return protocol !== 'file:' || (host !== '' && host !== 'localhost') || path.includes('\0') ? null : path.replace(/(?<=.)\/+$/, '')
  } catch {
    return null
  }
}

function sharing(places: readonly Path[] | null, { fs }: Workspace): readonly Path[] | null {
  if (places?.length !== 0) return places
  const where = `none of the client's roots lies in ${fs.traits.root}`
  const advice = 'Add a root there, or start the server with --client-roots ignore.'
  throw new FilewrightError('outside_root', `The client shares nothing of this workspace: ${where}. ${advice}`)
}
