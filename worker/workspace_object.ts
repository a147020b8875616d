/** One workspace: a Durable Object that keeps its files and their history on its SQLite, and answers for it over HTTP. */
import { DurableObject } from 'cloudflare:workers'
import type { Hono } from 'hono'
import { openDurableObjectFs } from '../src/fs/sqlite/durable_object.ts'
import { dropBody } from '../src/http/body.ts'
import { HttpError, problemResponse } from '../src/http/problem.ts'
import { HTTP_LIMITS } from '../src/http/routes.ts'
import { withinTime } from '../src/http/time_limit.ts'
import { createWorkspaceApp } from '../src/http/workspace_app.ts'
import { callerOfRequest, createMcpEndpoint, type McpEndpoint } from '../src/mcp/endpoint.ts'
import { createMcpFactory } from '../src/mcp/server.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import type { Workspace } from '../src/workspace/workspace.ts'

/** Key of the profile; where it is missing, there is no workspace. */
const PROFILE = 'profile'

interface Open {
  readonly workspace: Workspace
  readonly mcp: McpEndpoint
  readonly app: Hono
}

/** Most open streams of MCP subscriptions. */
const MCP_STREAMS = 64

/** Nothing that counts is in the instance: it can be evicted between any two requests. */
export class WorkspaceObject extends DurableObject {
  #open: Promise<Open> | null = null

  /** Makes this object a workspace. */
  create(profile: string): void {
    this.ctx.storage.kv.put(PROFILE, profile)
  }

  /** Removes everything, for good. */
  async destroy(): Promise<void> {
    const open = await this.#open?.catch(() => null)
    this.#open = null
    await open?.mcp.close()
    await open?.workspace.close()
    await this.ctx.storage.deleteAll()
  }

  override async fetch(request: Request): Promise<Response> {
    const answer = await this.#answer(request)
    // The worker before us still sends the body, and fails when nobody takes it.
    if (!request.bodyUsed) await dropBody(request)
    return answer
  }

  async #answer(request: Request): Promise<Response> {
    const profile = this.ctx.storage.kv.get<string>(PROFILE)
    if (profile === undefined) return problemResponse(new HttpError(404, 'not_found', 'There is no such workspace.'))
    try {
      this.#open ??= this.#openAs(profile)
      const { app } = await this.#open
      return await app.fetch(request)
    } catch (error) {
      // Only opening fails here. The next request tries again.
      this.#open = null
      return problemResponse(error)
    }
  }

  async #openAs(profile: string): Promise<Open> {
    const workspace = await openWorkspace({ fs: await openDurableObjectFs(this.ctx.storage), profile })
    const factory = createMcpFactory(withinTime(workspace), { caller: callerOfRequest })
    const mcp = createMcpEndpoint(factory, { bodyBytes: HTTP_LIMITS.callBytes, streams: MCP_STREAMS })
    return { workspace, mcp, app: createWorkspaceApp(workspace, { mcp: mcp.answer }) }
  }
}
