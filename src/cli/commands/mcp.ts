/** `filewright mcp`: the workspace as an MCP server on standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpFactory } from '../../mcp/index.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { createStdioTransport } from '../stdio_transport.ts'

/** How long calls may go on after the end of input before they are canceled. */
const GRACE_MS = 10_000

/** Serves until the input ends, then lets running calls finish; or until SIGTERM or SIGINT, which cancel them. */
export async function mcp(settings: Settings, output: Output): Promise<void> {
  const stopped = stopSignal()
  await withWorkspace(settings, output, async (workspace) => {
    const transport = createStdioTransport(process.stdin, process.stdout)
    const factory = createMcpFactory(workspace, settings.output === undefined ? {} : { output: settings.output })
    const server = serveStdio(factory, { transport, onerror: (error) => output.note(`mcp: ${error.message}`) })
    await Promise.race([transport.ended, stopped])
    // `stopped` ends the grace too: a second signal is not needed.
    await Promise.race([transport.idle(), stopped, after(GRACE_MS)])
    await server.close()
  })
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
