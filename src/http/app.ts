/** The HTTP app of a host: guards first, then the session, the index of workspaces, and what belongs to one of them. */
import { Hono } from 'hono'
import { z } from 'zod'
import { parseArguments } from '../tools/arguments.ts'
import { readJson } from './body.ts'
import { agentName, callerOf, requireOpenToAgents, withCaller } from './callers.ts'
import { type CredentialOptions, createCredentials } from './credentials.ts'
import { createGitProxy, type GitProxyOptions } from './git_proxy.ts'
import { type GuardOptions, guardRequest } from './guard.ts'
import { DATA_POLICY, PAGE_POLICY, secured } from './headers.ts'
import { HttpError, noSuchRoute, problemResponse } from './problem.ts'
import { type AgentAnswer, HTTP_LIMITS, type SessionAnswer, type WorkspaceEntry, type WorkspaceList } from './routes.ts'

/** Where workspaces are kept: Durable Objects at the edge, a process elsewhere. Unknown ids are `not_found`. */
export interface WorkspaceHost {
  /** Oldest first. */
  list(): Promise<readonly WorkspaceEntry[]>
  get(id: string): Promise<WorkspaceEntry>
  /** Throws `invalid_argument` for an unknown profile, `quota_exceeded` when there are too many. */
  create(workspace: { readonly name: string; readonly profile?: string }): Promise<WorkspaceEntry>
  rename(id: string, name: string): Promise<WorkspaceEntry>
  /** Removes a workspace with its files and history, for good. */
  remove(id: string): Promise<void>
  /** Answers a request below `/v1/workspaces/:id/` with the app of that workspace. */
  answer(id: string, request: Request): Promise<Response>
}

/** Options of {@link createHttpApp}. */
export interface HttpAppOptions extends GuardOptions, CredentialOptions {
  readonly host: WorkspaceHost
  /** Answers requests outside `/v1`: the page and its files, which hold no secret. Default: there is no page. */
  readonly page?: (request: Request) => Promise<Response>
  /** Forwards git's own requests to other servers. Default: nothing is forwarded. */
  readonly gitProxy?: GitProxyOptions
}

const JSON_BODY = { bytes: HTTP_LIMITS.jsonBytes }

const name = z.string().trim().min(1).max(100)
const newWorkspace = z.strictObject({ name, profile: z.string().optional() })
const renamedWorkspace = z.strictObject({ name })
const newAgent = z.strictObject({ name: agentName })
const sessionRequest = z.strictObject({ token: z.string().max(500) })

/** The app. Throws when the secret is missing or short. Every answer has the headers of data; every failure is a problem. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const { host, page, gitProxy } = options
  const credentials = createCredentials(options)
  const app = new Hono()

  app.onError((error) => secured(problemResponse(error), DATA_POLICY))
  app.notFound(() => secured(problemResponse(noSuchRoute()), DATA_POLICY))

  app.use(async (context, next) => {
    const request = context.req.raw
    guardRequest(request, options)
    if (page && isPage(request)) return secured(await page(request), PAGE_POLICY)
    // The one route without a token is the one that makes them.
    const open = request.method === 'POST' && context.req.path === '/v1/session'
    if (!open) context.req.raw = withCaller(request, await credentials.require(request))
    if (!open && callerOf(context.req.raw).kind === 'agent') requireOpenToAgents(request)
    await next()
    context.res = secured(context.res, DATA_POLICY)
  })

  app.post('/v1/session', async (context) => {
    const { token } = parseArguments({ input: sessionRequest }, await readJson(context.req.raw, JSON_BODY))
    const answer: SessionAnswer = { token: await credentials.exchange(token) }
    return context.json(answer, 201)
  })
  app.post('/v1/agents', async (context) => {
    const { name: agent } = parseArguments({ input: newAgent }, await readJson(context.req.raw, JSON_BODY))
    const answer: AgentAnswer = { name: agent, token: await credentials.makeAgent(agent) }
    return context.json(answer, 201)
  })
  if (gitProxy) app.route('/', createGitProxy(gitProxy))
  app.route('/', createHostApp(host))
  return app
}

/**
 * The routes of a host without guards, sessions or page: for a program that is its own only caller, such as a page whose
 * workspaces live in a worker of its tab. Never put it on a network.
 */
export function createHostApp(host: WorkspaceHost): Hono {
  const app = new Hono()
  app.onError((error) => problemResponse(error))
  app.notFound(() => problemResponse(noSuchRoute()))

  app.get('/v1/workspaces', async (context) => {
    const answer: WorkspaceList = { workspaces: await host.list() }
    return context.json(answer)
  })
  app.post('/v1/workspaces', async (context) => {
    const wanted = parseArguments({ input: newWorkspace }, await readJson(context.req.raw, JSON_BODY))
    const { name: title, profile } = wanted
    return context.json(await host.create({ name: title, ...(profile === undefined ? {} : { profile }) }), 201)
  })
  app.get('/v1/workspaces/:id', async (context) => context.json(await host.get(idOf(context.req.param('id')))))
  app.patch('/v1/workspaces/:id', async (context) => {
    const wanted = parseArguments({ input: renamedWorkspace }, await readJson(context.req.raw, JSON_BODY))
    return context.json(await host.rename(idOf(context.req.param('id')), wanted.name))
  })
  app.delete('/v1/workspaces/:id', async (context) => {
    await host.remove(idOf(context.req.param('id')))
    return context.body(null, 204)
  })
  app.all('/v1/workspaces/:id/*', ({ req }) => host.answer(idOf(req.param('id')), req.raw))
  return app
}

function isPage({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !/^\/v1(\/|$)/.test(new URL(url).pathname)
}

/** An id of the shape that hosts make. Anything else names no workspace. */
function idOf(text: string): string {
  if (!/^[0-9a-z]{8,64}$/.test(text)) throw new HttpError(404, 'not_found', 'There is no such workspace.')
  return text
}
