/** `filewright mcp`: the workspace as an MCP server on standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpFactory } from '../../mcp/index.ts'
import { mcpOptions } from '../mcp_options.ts'
import type { Output } from '../output.ts'
import { withProtocolOutput } from '../protocol_output.ts'
import { startWatching, stopSignal, trackCalls } from '../serving.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { createStdioTransport, type ProtocolOutput } from '../stdio_transport.ts'

/** How long calls may go on after the end of input before they are canceled. */
const GRACE_MS = 10_000

/** Serves until the input ends, then lets running calls finish; or until SIGTERM, SIGINT or SIGHUP, which cancel them. */
export function mcp(settings: Settings, output: Output): Promise<void> {
  return withProtocolOutput((stdout) => serve(settings, output, stdout))
}

async function serve(settings: Settings, output: Output, stdout: ProtocolOutput): Promise<void> {
  const stopped = stopSignal()
  const options = mcpOptions(settings)
  await withWorkspace(settings, output, async (workspace) => {
    const transport = createStdioTransport(process.stdin, stdout)
    const calls = trackCalls(workspace)
    const watching = settings.watch ? startWatching(workspace, output) : null
    const factory = createMcpFactory(calls.workspace, options)
    const server = serveStdio(factory, { transport, onerror: (error) => noteError(error, output) })
    await Promise.race([transport.ended, stopped])
    await Promise.race([transport.idle(), stopped, after(GRACE_MS)])
    await server.close()
    // A canceled call may be in its commit: the workspace must not be exported or closed under it.
    await calls.settled()
    await watching?.stop()
  })
}

/** A client that went away is no news: its end of the pipe says so too. */
function noteError(error: NodeJS.ErrnoException, output: Output): void {
  if (error.code !== 'EPIPE') output.note(`mcp: ${error.message}`)
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
