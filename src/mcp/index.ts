/**
 * `filewright/mcp`: a workspace as an MCP server, on any transport.
 *
 * @example
 * ```ts
 * import { serveStdio } from '@modelcontextprotocol/server/stdio'
 * import { createMemoryFs, openWorkspace } from 'filewright'
 * import { createMcpFactory } from 'filewright/mcp'
 *
 * const workspace = await openWorkspace({ fs: createMemoryFs() })
 * serveStdio(createMcpFactory(workspace))
 * ```
 *
 * @module
 */
export { callerOfRequest, createMcpEndpoint, type EndpointFactory, type McpEndpoint, type McpEndpointOptions } from './endpoint.ts'
export type { RealPath } from './roots.ts'
export { createMcpFactory, createMcpServer, type McpCaller, type McpFactory, type McpOptions, RESULT_SIZE } from './server.ts'
export type { SessionLimits } from './sessions.ts'
export type { OutputChoice } from './tool_result.ts'
