/**
 * Who sent a request. The door decides it (app.ts) and tells it on in a header, since a workspace may live in another process; what a
 * client sends under that name is overwritten. A request without it comes from a program that is its own only caller.
 */
import { z } from 'zod'
import type { Workspace } from '../workspace/workspace.ts'
import { HttpError } from './problem.ts'

/** A person with a session, the operator's programs with the secret, or an agent with a token of its own. */
export type Caller =
  | { readonly kind: 'person' }
  | { readonly kind: 'operator' }
  /** Its name stands in the journal. */
  | { readonly kind: 'agent'; readonly name: string }

/** Who is noted as the decider about a request. */
export const PERSON = 'person'

/** Subjects that are somebody else's. */
const RESERVED: readonly string[] = ['local', 'host', 'operator', 'terminal', 'client', PERSON]

/** What an agent may be called: no sign in it has a meaning in a token. */
export const agentName: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'A name is 1 to 64 letters, digits, _ and -.')
  .refine((name) => !RESERVED.includes(name.toLowerCase()), 'That name is taken by the server itself.')

const HEADER = 'filewright-caller'

/** The request with its caller told. */
export function withCaller(request: Request, caller: Caller): Request {
  const headers = new Headers(request.headers)
  headers.set(HEADER, caller.kind === 'agent' ? `agent ${caller.name}` : caller.kind)
  return new Request(request, { headers })
}

/** Who sent a request. */
export function callerOf(request: Request): Caller {
  const [kind, name] = (request.headers.get(HEADER) ?? PERSON).split(' ', 2)
  if (kind === 'agent' && name !== undefined) return { kind, name }
  return { kind: kind === 'person' ? 'person' : 'operator' }
}

/** What an agent's token opens, by the first name below a workspace. Whatever is not here is closed. */
const AGENT_ROUTES: ReadonlyMap<string, readonly string[]> = new Map([
  ['info', ['GET', 'HEAD']],
  ['tree', ['GET', 'HEAD']],
  ['tools', ['POST']],
  ['files', ['GET', 'HEAD', 'PUT', 'DELETE']],
  ['changes', ['GET', 'HEAD']],
  ['git', ['GET', 'HEAD']],
  ['verify', ['POST']],
  ['events', ['GET']],
  ['mcp', ['GET', 'HEAD', 'POST', 'DELETE']],
])

/** Throws 403 for what an agent's token does not open. */
export function requireOpenToAgents({ method, url }: Request): void {
  const [, , workspaces, id, part] = new URL(url).pathname.split('/', 5)
  const reads = method === 'GET' || method === 'HEAD'
  const open = part === undefined || id === undefined ? reads : (AGENT_ROUTES.get(part)?.includes(method) ?? false)
  if (workspaces !== 'workspaces' || !open) throw forbidden("An agent's token does not open this: ask a person.")
}

/** Throws 403 unless a person with a session sent the request. */
export function requirePerson(request: Request): void {
  if (callerOf(request).kind !== 'person') throw forbidden('Only a person may decide: open the page, and use its session.')
}

/** The workspace for the calls of one request: an agent's are its own. */
export function workspaceFor(workspace: Workspace, request: Request): Workspace {
  const caller = callerOf(request)
  if (caller.kind !== 'agent') return workspace
  const subject = caller.name
  return {
    ...workspace,
    call: (tool, args, options) => workspace.call(tool, args, { ...options, subject }),
    run: (tool, args, options) => workspace.run(tool, args, { ...options, subject }),
  }
}

function forbidden(message: string): HttpError {
  return new HttpError(403, 'permission_denied', message)
}
