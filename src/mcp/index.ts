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
export { createMcpFactory, createMcpServer, type McpCaller, type McpOptions } from './server.ts'
export type { OutputChoice } from './tool_result.ts'
