/** What runs commands: a process of this machine, or a container. */
import type { Path } from './path.ts'

/** A command to run. */
export interface RunRequest {
  /** The program and its arguments, passed on as they are: no shell reads them. */
  readonly argv: readonly [program: string, ...args: string[]]
  /** The directory of the workspace that it starts in. Only this is confined: where the command goes from there is the runner's affair. */
  readonly cwd: Path
  /** It is killed, with all that it started, after this many milliseconds. */
  readonly timeoutMs: number
  /** At most this many bytes of each stream are kept, the first ones; the rest is read and dropped. */
  readonly outputBytes: number
}

/** One stream of a command's output. */
export interface RunOutput {
  readonly bytes: Uint8Array
  /** There was more than was kept. */
  readonly cut: boolean
}

/** How a command ended. */
export type RunEnd =
  | { readonly reason: 'exited'; readonly code: number }
  /** By a signal, as its number. */
  | { readonly reason: 'signal'; readonly signal: number }
  /** Its time was up. */
  | { readonly reason: 'timeout' }

/** What a command came to, whatever its exit code. */
export interface RunOutcome {
  readonly stdout: RunOutput
  readonly stderr: RunOutput
  readonly end: RunEnd
}

/**
 * A runner of one workspace, given by the host. A command changes the files where the workspace has them; the workspace records what
 * changed when it has ended.
 */
export interface Runner {
  /** As people know it: `local`. */
  readonly name: string
  /**
   * Runs a command with nothing on its standard input, in a place whose environment and permissions it inherits. When it ends, when
   * its time is up and when the signal is aborted, nothing that it started goes on. Throws `not_found` for a program that is not there,
   * `permission_denied` for one that may not be run, `not_directory` when the directory is gone, `invalid_argument` for arguments that
   * cannot be passed on, `canceled` when the signal is aborted, `runner_lost` when nobody knows what became of it.
   */
  run(request: RunRequest, signal: AbortSignal): Promise<RunOutcome>
}
