/** What a command that serves needs beside its surface: signals that end it, calls that are still running, and a watch. */
import type { CallResult, Workspace } from '../workspace/workspace.ts'
import type { Output } from './output.ts'

/** Watches beside the calls; when that fails, they go on. */
export function startWatching(workspace: Workspace, output: Output): { stop(): Promise<void> } {
  const controller = new AbortController()
  const watching = workspace.watch(controller.signal).catch((error: Error) => output.note(`watch: ${error.message}`))
  return {
    async stop() {
      controller.abort()
      await watching
    },
  }
}

/** The workspace, and when none of its calls is running. */
export function trackCalls(workspace: Workspace): { readonly workspace: Workspace; settled(): Promise<unknown> } {
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

/** Resolves on SIGTERM, SIGINT or SIGHUP. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
