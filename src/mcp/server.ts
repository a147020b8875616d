/** The MCP server of one workspace: the same factory serves both protocol eras, on any transport. */
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { VERSION } from '../core/version.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { createElicitation, type Elicitation, showsForms } from './elicitation.ts'
import { createProgressSender } from './progress.ts'
import { type OutputChoice, toToolResult } from './tool_result.ts'
import { createToolTable, type ToolTable } from './tool_table.ts'

/** Options of {@link createMcpServer}. */
export interface McpOptions {
  /** What a result consists of: a text block, the structured result, or both (the default). Without structure no output schema is published. */
  readonly output?: OutputChoice
  /** Who the journal names; default: the workspace's own. */
  readonly subject?: string
  /** Who sent a request, where one server has many callers: over HTTP. Default: all are {@link subject}, and may approve. */
  readonly caller?: (context: McpRequestContext) => McpCaller
}

/** Who sent a request. */
export interface McpCaller {
  /** Who the journal names; default: the workspace's own. */
  readonly subject?: string
  /** Whether an answer to a form counts as a person's decision. Others are never asked: their calls wait for somebody else. */
  readonly mayApprove: boolean
}

/** How long a client may keep the list of tools: it only changes with the server's process. */
const LIST_LIFETIME_MS = 5 * 60 * 1000

/**
 * An MCP server that offers a workspace's tools, for one connection (or one HTTP request). It validates no arguments itself: a
 * wrong argument is a failed tool result, never a protocol error (contract W-5). An unknown tool is the protocol error -32602.
 */
export function createMcpServer(workspace: Workspace, options: McpOptions = {}): Server {
  return createMcpFactory(workspace, options)()
}

/**
 * What makes such servers, with the list of tools prepared once: hand it to `serveStdio` or `createMcpHandler` of
 * `@modelcontextprotocol/server`.
 */
export function createMcpFactory(workspace: Workspace, options: McpOptions = {}): (context?: McpRequestContext) => Server {
  const output = options.output ?? 'both'
  const table = createToolTable(workspace.tools(), workspace.profile.tools, output)
  const elicitation = createElicitation(workspace, options.subject ?? '')
  const only: McpCaller = { ...(options.subject !== undefined && { subject: options.subject }), mayApprove: true }
  return (context) => {
    const caller = (context && options.caller?.(context)) ?? only
    const calls: Calls = { workspace, table, output, elicitation, caller }
    const server = new Server(
      { name: 'filewright', title: 'Filewright', version: VERSION },
      {
        capabilities: { tools: {} },
        instructions: instructions(workspace),
        cacheHints: { 'tools/list': { ttlMs: LIST_LIFETIME_MS, cacheScope: 'private' } },
        requestState: { verify: elicitation.verify },
      },
    )
    server.setRequestHandler('tools/list', () => ({ tools: [...table.list()] }))
    server.setRequestHandler('tools/call', (request, context) =>
      callTool(calls, request, context, () => caller.mayApprove && showsForms(context, server.getClientCapabilities())),
    )
    return server
  }
}

/** What all calls of a server share. */
interface Calls {
  readonly workspace: Workspace
  readonly table: ToolTable
  readonly output: OutputChoice
  readonly elicitation: Elicitation
  readonly caller: McpCaller
}

async function callTool(
  { workspace, table, output, elicitation, caller: { subject, mayApprove } }: Calls,
  request: CallToolRequest,
  context: ServerContext,
  canAsk: () => boolean,
): Promise<CallToolResult | InputRequiredResult> {
  const { name, arguments: args = {} } = request.params
  const bound = table.find(name)
  if (!bound) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
  const tool = bound.tool.name
  const settled = mayApprove && (await elicitation.settle(context, tool, args))
  const onProgress = createProgressSender(context)
  const outcome = await workspace.call(tool, args, {
    signal: context.mcpReq.signal,
    ...(onProgress && { onProgress }),
    ...(subject !== undefined && { subject }),
  })
  if (outcome.approvalId !== null && !settled && canAsk()) {
    const form = await elicitation.ask(context, outcome.approvalId, tool, args)
    if (form) return form
  }
  return toToolResult(outcome, bound.outputSchema ? output : 'text')
}

function instructions(workspace: Workspace): string {
  const { root } = workspace.fs.traits
  const where = root === '' ? 'The root of the workspace is /.' : `The root of the workspace is ${root}.`
  return `${where} Absolute paths must lie inside it; relative ones start there. A failed call says what to do next. Every change is recorded, and a person can undo it.`
}
