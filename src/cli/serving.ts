/** What a command that serves needs beside its surface: signals that end it, calls that are still running, and a watch. */
import type { Workspace } from '../workspace/workspace.ts'
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
export function trackCalls(workspace: Workspace): { readonly workspace: Workspace; settled(): Promise<void> } {
  // Counted, not collected: the remains of a set that grows and shrinks keep answers in memory that were sent long ago.
  let running = 0
  let rest = (): void => {}
  return {
    workspace: {
      ...workspace,
      async call(...parts) {
        running++
        try {
          return await workspace.call(...parts)
        } finally {
          running--
          if (running === 0) rest()
        }
      },
    },
    settled: () =>
      new Promise((resolve) => {
        if (running === 0) resolve()
        else rest = resolve
      }),
  }
}

/** Resolves on SIGTERM, SIGINT or SIGHUP. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
