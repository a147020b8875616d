/** An HTTP app that is nothing but one MCP endpoint at `/mcp`, behind the guards: for a program that serves one workspace. */
import { Hono } from 'hono'
import { createCredentials } from './credentials.ts'
import { type GuardOptions, guardRequest } from './guard.ts'
import { DATA_POLICY, secured } from './headers.ts'
import { type AnswerMcp, withMcpBody } from './mcp.ts'
import { noSuchRoute, problemResponse } from './problem.ts'

/** Options of {@link createMcpApp}. */
export interface McpAppOptions extends GuardOptions {
  /** The bearer token of every request, at least 32 characters. */
  readonly token: string
  /** Whether whoever has the token may answer forms for a person, as the client at a pipe may. */
  readonly mayApprove: boolean
  readonly mcp: AnswerMcp
}

/**
 * The app. Throws when the token is missing or short. Other addresses than `/mcp` are 404 without a token, so that clients that look
 * for an authorization server there find out that there is none.
 */
export function createMcpApp({ token, mayApprove, mcp, ...guards }: McpAppOptions): Hono {
  const credentials = createCredentials({ secret: token, claim: async () => false })
  const app = new Hono()
  app.onError((error) => secured(problemResponse(error), DATA_POLICY))
  app.notFound(() => secured(problemResponse(noSuchRoute()), DATA_POLICY))
  app.use(async ({ req }, next) => {
    guardRequest(req.raw, guards)
    await next()
  })
  app.all('/mcp', async ({ req }) => {
    await credentials.require(req.raw)
    return secured(await mcp(await withMcpBody(req.raw), { mayApprove }), DATA_POLICY)
  })
  return app
}
