/** The MCP server of one workspace: the same factory serves both protocol eras, on any transport. */
import {
  type CallToolResult,
  type InputRequiredResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { VERSION } from '../core/version.ts'
import { structureAlone } from '../profiles/plain.ts'
import type { CallResult, Workspace } from '../workspace/workspace.ts'
import { serveConnection } from './connection.ts'
import { createElicitation, type Elicitation, showsForms } from './elicitation.ts'
import { anyParams, refuseCursor, requiredText, type SentParams } from './params.ts'
import { createProgressSender } from './progress.ts'
import { createResourceHost, type ResourceHost, type Within } from './resources/host.ts'
import type { RealPath } from './roots.ts'
import { acceptAnyArguments, type SentArguments } from './sent_arguments.ts'
import { isWithinSize, type OutputChoice, toToolResult } from './tool_result.ts'
import { createToolTable, type ToolTable } from './tool_table.ts'

/** Options of {@link createMcpServer}. */
export interface McpOptions {
  /** What a result consists of: a text block, the structured result, or both (the default). Without structure no output schema is published. */
  readonly output?: OutputChoice
  /** Who the journal names; default: the workspace's own. */
  readonly subject?: string
  /** Who sent a request, where one server has many callers: over HTTP. Default: all are {@link subject}, and may approve. */
  readonly caller?: (context: McpRequestContext) => McpCaller
  /**
   * Most characters of one result, text and structure together, and of the contents of a resource that are read at once; default
   * {@link RESULT_SIZE}. A larger result is cut, and the whole of it kept for some minutes as a resource.
   */
  readonly resultSize?: number
  /**
   * What roots of a client of the 2025 era do: `narrow` (the default) keeps its calls inside those of them that lie in the workspace,
   * `ignore` leaves the operator's root as it is. They never widen it, and mean nothing where the root is virtual.
   */
  readonly roots?: 'narrow' | 'ignore'
  /** The canonical spelling of a path of the host, for roots; default: the path itself. */
  readonly realPath?: RealPath
}

/** 16 Mi characters: the default of {@link McpOptions.resultSize}. A long line must fit twice, as text and in the structure. */
export const RESULT_SIZE: number = 16 * 1024 * 1024

/** Who sent a request. */
export interface McpCaller {
  /** Who the journal names; default: the workspace's own. */
  readonly subject?: string
  /** Whether an answer to a form counts as a person's decision. Others are never asked: their calls wait for somebody else. */
  readonly mayApprove: boolean
}

/** How long a client may keep what only changes with the server's process, and what changes with the files. */
const FIXED = { ttlMs: 5 * 60 * 1000, cacheScope: 'private' } as const
const CHANGING = { ttlMs: 0, cacheScope: 'private' } as const

/**
 * An MCP server that offers a workspace's tools, for one connection (or one HTTP request). It validates no arguments itself: a
 * wrong argument is a failed tool result, never a protocol error (contract W-5). An unknown tool is the protocol error -32602.
 */
export function createMcpServer(workspace: Workspace, options: McpOptions = {}): Server {
  return createMcpFactory(workspace, options)()
}

/** Makes servers: one for each connection, or for each request over HTTP. */
export interface McpFactory {
  (context?: McpRequestContext): Server
  /** What changes, for `subscriptions/listen` over HTTP: the bus of `createMcpHandler`. Lasting connections are told without it. */
  readonly events: ServerEventBus
}

/**
 * What makes such servers, with the list of tools prepared once: hand it to `serveStdio` or `createMcpHandler` of
 * `@modelcontextprotocol/server`.
 */
export function createMcpFactory(workspace: Workspace, options: McpOptions = {}): McpFactory {
  const output = options.output ?? 'both'
  const resultSize = options.resultSize ?? RESULT_SIZE
  const table = createToolTable(workspace.tools(), workspace.profile.tools, output)
  const elicitation = createElicitation(workspace, options.subject ?? '')
  const resources = createResourceHost(workspace, resultSize)
  const only: McpCaller = { ...(options.subject !== undefined && { subject: options.subject }), mayApprove: true }
  const realPath = options.roots === 'ignore' ? null : (options.realPath ?? (async (path) => path))
  const make = (context?: McpRequestContext): Server => {
    const caller = (context && options.caller?.(context)) ?? only
    // A request of the older era that is answered by itself leaves nobody to tell.
    const lasting = context?.requestInfo === undefined
    const told = lasting || context?.era === 'modern'
    const server = new Server(
      { name: 'filewright', title: 'Filewright', version: VERSION },
      {
        capabilities: { tools: {}, resources: told ? { subscribe: true, listChanged: true } : {} },
        instructions: instructions(workspace),
        cacheHints: {
          'tools/list': FIXED,
          'resources/templates/list': FIXED,
          'resources/list': CHANGING,
          'resources/read': CHANGING,
        },
        requestState: { verify: elicitation.verify },
      },
    )
    const sentArguments = acceptAnyArguments(server)
    const within = lasting
      ? serveConnection(server, workspace, { uris: resources.uris, modern: context?.era === 'modern', realPath })
      : everywhere
    const calls: Calls = { workspace, table, output, elicitation, caller, resources, resultSize, within, sentArguments }
    server.setRequestHandler('tools/list', anyParams, (params) => {
      refuseCursor(params)
      return { tools: [...table.list()] }
    })
    // The library has checked the shape of the call; its arguments are the workspace's affair.
    server.setRequestHandler('tools/call', anyParams, (params, context) =>
      callTool(calls, params, context, () => caller.mayApprove && showsForms(context, server.getClientCapabilities())),
    )
    resources.serve(server, within)
    return server
  }
  return Object.assign(make, { events: resources.events })
}

const everywhere = async (): Promise<null> => null

/** What all calls of a server share. */
interface Calls {
  readonly workspace: Workspace
  readonly table: ToolTable
  readonly output: OutputChoice
  readonly elicitation: Elicitation
  readonly caller: McpCaller
  readonly resources: ResourceHost
  readonly resultSize: number
  readonly within: Within
  readonly sentArguments: SentArguments
}

async function callTool(
  calls: Calls,
  params: SentParams,
  context: ServerContext,
  canAsk: () => boolean,
): Promise<CallToolResult | InputRequiredResult> {
  const { workspace, table, elicitation, within } = calls
  const { subject, mayApprove } = calls.caller
  const name = requiredText(params, 'name')
  const args = calls.sentArguments(context, params.arguments)
  const bound = table.find(name)
  if (!bound) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
  const tool = bound.tool.name
  const settled = mayApprove && (await elicitation.settle(context, tool, args))
  const onProgress = createProgressSender(context)
  const outcome = await workspace.call(tool, args, {
    signal: context.mcpReq.signal,
    within: () => within(context),
    ...(onProgress && { onProgress }),
    ...(subject !== undefined && { subject }),
  })
  if (outcome.approvalId !== null && !settled && canAsk()) {
    const form = await elicitation.ask(context, outcome.approvalId, tool, args)
    if (form) return form
  }
  const alone = calls.output === 'structured' ? { ...outcome, result: structureAlone(bound, outcome) } : outcome
  return answer(calls, alone, bound.outputSchema ? calls.output : 'text')
}

/** The outcome as a result, within its bounds. */
async function answer({ resources, resultSize }: Calls, outcome: CallResult, output: OutputChoice): Promise<CallToolResult> {
  const blocks = outcome.attachments ? await resources.blocks(outcome.attachments, outcome.changeId) : []
  const result = toToolResult(outcome, output, blocks)
  return isWithinSize(result, resultSize) ? result : resources.bound(result)
}

function instructions(workspace: Workspace): string {
  const { root } = workspace.fs.traits
  const where = root === '' ? 'The root of the workspace is /.' : `The root of the workspace is ${root}.`
  return `${where} Absolute paths must lie inside it; relative ones start there. A failed call says what to do next. Every change is recorded, and a person can undo it. Files, directories and changes are resources too.`
}
