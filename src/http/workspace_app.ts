/** The routes of one workspace. They run where the workspace lives, behind the guards of app.ts. */
import { type Context, Hono } from 'hono'
import { FilewrightError } from '../core/errors.ts'
import type { BoundTool } from '../profiles/profile.ts'
import { inputSchema } from '../tools/json_schema.ts'
import type { CallResult, Workspace } from '../workspace/workspace.ts'
import { approvalList, decideApproval } from './approvals.ts'
import { readBody, readJson } from './body.ts'
import { requirePerson, workspaceFor } from './callers.ts'
import { changePage, changesPage, summaryOf } from './changes.ts'
import { eventStream } from './events.ts'
import { CONTENT_BODY, deleteFile, getFile, treePage, writeFile } from './files.ts'
import { createGitRoutes } from './git.ts'
import { finishImport, missingContent, storeContent } from './import.ts'
import { type AnswerMcp, answerMcp, mcpCallerOf } from './mcp.ts'
import { HttpError, noSuchRoute, problemResponse } from './problem.ts'
import { integerParameter } from './query.ts'
import { type ApprovalAnswer, HTTP_LIMITS, type ToolInfo, type VerifyAnswer, type WorkspaceInfo } from './routes.ts'
import { withinTime } from './time_limit.ts'
import { createTurnstile } from './turnstile.ts'

/** Most event streams of one workspace. */
const MOST_STREAMS = 64
/** Requests at work at once: the body of a call is held in memory. */
const REQUESTS = { working: 8, waiting: 256 }
/** Uploads at work at once. They are slow, so they have a door of their own; their bodies are not held. */
const UPLOADS = { working: 4, waiting: 64 }

const JSON_BODY = { bytes: HTTP_LIMITS.jsonBytes }
const CALL_BODY = { bytes: HTTP_LIMITS.callBytes }

/** Options of {@link createWorkspaceApp}. */
export interface WorkspaceAppOptions {
  /** Answers at `…/mcp`, for the same workspace. Default: that address does not exist. */
  readonly mcp?: AnswerMcp
}

/** An app that answers everything below `/v1/workspaces/:id/` for one open workspace; the id itself is not looked at. */
export function createWorkspaceApp(workspace: Workspace, { mcp }: WorkspaceAppOptions = {}): Hono {
  const app = new Hono().basePath('/v1/workspaces/:id')
  const enter = createTurnstile(REQUESTS)
  const upload = createTurnstile(UPLOADS)
  let streams = 0

  app.onError((error) => problemResponse(error))
  app.notFound(() => problemResponse(noSuchRoute()))

  app.get('/events', async ({ req }) => {
    if (streams >= MOST_STREAMS) throw new HttpError(429, 'quota_exceeded', 'Too many event streams are open.', { 'retry-after': '5' })
    const last = req.header('last-event-id')
    const query = last === undefined ? new URL(req.url).searchParams : new URLSearchParams({ after: last })
    const stream = await eventStream(workspace, integerParameter(query, 'after', { min: 0 }) ?? null, req.raw.signal, () => streams--)
    streams++
    return new Response(stream, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' } })
  })

  app.put('/files/*', ({ req }) => upload(() => writeFile(workspaceFor(workspace, req.raw), filePath(req.url), req.raw)))
  app.post('/import/content', async (context) => {
    return context.json(await upload(() => storeContent(workspace, readBody(context.req.raw, CONTENT_BODY))))
  })

  if (mcp) app.all('/mcp', ({ req }) => answerMcp(mcp, req.raw, mcpCallerOf(req.raw), enter))

  app.use(async (_, next) => enter(next))

  app.get('/info', async (context) => context.json(await describe(workspace)))
  app.get('/tree', async (context) => context.json(await treePage(workspace, queryOf(context))))
  app.post('/tools/:tool{.+}', async ({ req }) => {
    const args = await readJson(req.raw, CALL_BODY)
    const { call } = withinTime(workspaceFor(workspace, req.raw))
    return answerCall(await call(decodeSegment(rest(req.url, 'tools')), args, { signal: req.raw.signal }))
  })

  app.get('/files/*', ({ req }) => getFile(workspace, filePath(req.url), req.raw))
  app.delete('/files/*', ({ req }) => deleteFile(workspaceFor(workspace, req.raw), filePath(req.url), req.raw))

  app.post('/import/missing', async (context) => context.json(await missingContent(workspace, await readJson(context.req.raw, JSON_BODY))))
  app.post('/import', async (context) => {
    const record = await finishImport(workspace, await readJson(context.req.raw, JSON_BODY))
    return context.json({ record: summaryOf(record) }, 201)
  })

  app.get('/changes', async (context) => context.json(await changesPage(workspace, queryOf(context))))
  app.get('/changes/:which', async (context) => context.json(await changePage(workspace, context.req.param('which'), queryOf(context))))
  app.post('/changes/:which/undo', async (context) => {
    return context.json({ record: summaryOf(await workspace.undo(context.req.param('which'))) })
  })
  app.post('/redo', async (context) => context.json({ record: summaryOf(await workspace.redo()) }))
  app.post('/verify', async (context) => {
    const answer: VerifyAnswer = await workspace.verify()
    return context.json(answer)
  })

  app.route('/git', createGitRoutes(workspace))

  app.get('/approvals', async (context) => {
    requirePerson(context.req.raw)
    return context.json(await approvalList(workspace))
  })
  app.get('/approvals/:request', async (context) => {
    requirePerson(context.req.raw)
    const answer: ApprovalAnswer = { approval: await workspace.approvals.get(context.req.param('request')) }
    return context.json(answer)
  })
  for (const decision of ['grant', 'deny'] as const) {
    app.post(`/approvals/:request/${decision}`, async (context) => {
      requirePerson(context.req.raw)
      return context.json(await decideApproval(workspace, context.req.param('request'), decision))
    })
  }
  return app
}

async function describe(workspace: Workspace): Promise<WorkspaceInfo> {
  const { fs, profile } = workspace
  const head = (await fs.records({ limit: 1 }))[0]?.sequence ?? 0
  return { profile: profile.name, traits: fs.traits, tools: workspace.tools().map(describeTool), limits: HTTP_LIMITS, head }
}

function describeTool({ tool, outputSchema }: BoundTool): ToolInfo {
  const { name, title, description, kind, idempotent, destructive } = tool
  return { name, title, description, kind, idempotent, destructive, input: inputSchema(tool), output: outputSchema?.() ?? null }
}

/** A failed call has the status of its code, and is a problem like any other failure, with the call's own members. */
function answerCall(answer: CallResult): Response {
  if (!answer.error) return Response.json(answer)
  const { code, message, field } = answer.error
  const details = answer.approvalId === null ? undefined : { approval_id: answer.approvalId }
  return problemResponse(new FilewrightError(code, message, { ...(field !== undefined && { field }), ...(details && { details }) }), answer)
}

function queryOf({ req }: Context): URLSearchParams {
  return new URL(req.url).searchParams
}

/** A path as the caller wrote it: decoded once, by us, since the router's own decoding passes bad escapes on as text. */
function filePath(url: string): string {
  return decodeSegment(rest(url, 'files'))
}

/** What stands in the address after `/v1/workspaces/:id/<part>/`, undecoded. */
function rest(url: string, part: string): string {
  const { pathname } = new URL(url)
  const [, , , id] = pathname.split('/', 4)
  return pathname.slice(`/v1/workspaces/${id}/${part}/`.length)
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new FilewrightError('invalid_argument', 'The path in the address is not valid UTF-8 in percent-encoding.', { field: 'path' })
  }
}
