/** The resources of a workspace for all servers of a factory; what answers for them is loaded when a client first asks. */
import type { CallToolResult, ContentBlock, Server, ServerContext, ServerEventBus } from '@modelcontextprotocol/server'
import { lazily } from '../../core/lazy.ts'
import type { Path } from '../../core/path.ts'
import type { Attachment } from '../../profiles/profile.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { anyParams, refuseCursor, requiredText, textParam } from '../params.ts'
import { createResourceEvents } from './events.ts'
import { createResultStore } from './results.ts'
import { createResourceUris, type ResourceUris } from './uri.ts'

/** Where a request may look: the places of the client's roots, or null for everywhere. Throws when the client shares nothing. */
export type Within = (context?: ServerContext) => Promise<readonly Path[] | null>

/** What servers share of a workspace's resources. */
export interface ResourceHost {
  readonly uris: ResourceUris
  readonly events: ServerEventBus
  /** Answers a server's requests for resources. */
  serve(server: Server, within: Within): void
  /** The content blocks of attachments. */
  blocks(attachments: readonly Attachment[], changeId: string | null): Promise<ContentBlock[]>
  /** A result that is larger than the limit, cut. */
  bound(result: CallToolResult): Promise<CallToolResult>
}

/** `limit`: most characters of a result, and of contents that are read at once. */
export function createResourceHost(workspace: Workspace, limit: number): ResourceHost {
  const { fs } = workspace
  const uris = createResourceUris(fs.traits)
  const results = createResultStore()
  // Base 64 takes four bytes for three.
  const parts = { workspace, uris, results, limit: Math.floor((limit / 4) * 3) }
  const resources = lazily(async () => (await import('./serve.ts')).createResources(parts))

  return {
    uris,
    events: createResourceEvents(workspace, uris),
    serve(server, within) {
      server.setRequestHandler('resources/list', anyParams, async (params, context) => {
        const cursor = textParam(params, 'cursor')
        return (await resources()).list(cursor, () => within(context), context.mcpReq.signal)
      })
      server.setRequestHandler('resources/templates/list', anyParams, async (params) => {
        refuseCursor(params)
        return (await resources()).templates()
      })
      server.setRequestHandler('resources/read', anyParams, async (params, context) => {
        const uri = requiredText(params, 'uri')
        return (await resources()).read(uri, () => within(context), context.mcpReq.signal)
      })
    },
    blocks: async (attachments, changeId) => (await import('./blocks.ts')).blocksOf(attachments, fs.traits, uris, changeId),
    bound: async (result) => (await import('./bounded.ts')).boundResult(result, limit, results),
  }
}
