/** `filewright mcp`: the workspace as an MCP server on standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpFactory } from '../../mcp/index.ts'
import type { CallResult, Workspace } from '../../workspace/workspace.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { createStdioTransport } from '../stdio_transport.ts'

/** How long calls may go on after the end of input before they are canceled. */
const GRACE_MS = 10_000

/** Serves until the input ends, then lets running calls finish; or until SIGTERM, SIGINT or SIGHUP, which cancel them. */
export async function mcp(settings: Settings, output: Output): Promise<void> {
  const stopped = stopSignal()
  await withWorkspace(settings, output, async (workspace) => {
    const transport = createStdioTransport(process.stdin, process.stdout)
    const calls = trackCalls(workspace)
    const watching = settings.watch ? startWatching(workspace, output) : null
    const factory = createMcpFactory(calls.workspace, settings.output === undefined ? {} : { output: settings.output })
    const server = serveStdio(factory, { transport, onerror: (error) => noteError(error, output) })
    await Promise.race([transport.ended, stopped])
    await Promise.race([transport.idle(), stopped, after(GRACE_MS)])
    await server.close()
    // A canceled call may be in its commit: the workspace must not be exported or closed under it.
    await calls.settled()
    await watching?.stop()
  })
}

/** Watches beside the calls; when that fails, they go on. */
function startWatching(workspace: Workspace, output: Output): { stop(): Promise<void> } {
  const controller = new AbortController()
  const watching = workspace.watch(controller.signal).catch((error: Error) => output.note(`watch: ${error.message}`))
  return {
    async stop() {
      controller.abort()
      await watching
    },
  }
}

/** A client that went away is no news: its end of the pipe says so too. */
function noteError(error: NodeJS.ErrnoException, output: Output): void {
  if (error.code !== 'EPIPE') output.note(`mcp: ${error.message}`)
}

/** The workspace, and when none of its calls is running. */
function trackCalls(workspace: Workspace): { readonly workspace: Workspace; settled(): Promise<unknown> } {
  const running = new Set<Promise<CallResult>>()
  return {
    workspace: {
      ...workspace,
      call(...parts) {
        const call = workspace.call(...parts)
        running.add(call)
        return call.finally(() => running.delete(call))
      },
    },
    settled: () => Promise.allSettled(running),
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
