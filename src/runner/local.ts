/** Runs commands as processes of this machine, in the folder itself. No sandbox: they may do whatever this process may. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { concatBytes } from '../core/bytes.ts'
import { errnoOf } from '../core/errno.ts'
import { FilewrightError } from '../core/errors.ts'
import type { RunEnd, Runner, RunOutput, RunRequest } from '../core/runner.ts'

/** How long those may go on that hold the output of a command that has ended (settled detail 35). */
const GRACE_MS = 100

/** What ends the groups that are running: when this process ends in order, they do. */
const running = new Set<() => void>()
process.on('exit', () => {
  for (const kill of running) kill()
})

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Options of {@link createLocalRunner}. */
export interface LocalRunnerOptions {
  /** The environment of commands; default: that of this process. */
  readonly env?: NodeJS.ProcessEnv
}

/**
 * A runner for a folder on disk. Each command gets a process group of its own, with nothing on standard input and the environment of
 * this process; the group is killed when the command ends, when its time is up, when it is canceled and when this process ends in
 * order. A process that leaves the group (`setsid`) is not found any more. Throws `unsupported` on Windows, which has no such groups.
 *
 * @param root The real path of the folder.
 */
export function createLocalRunner(root: string, { env }: LocalRunnerOptions = {}): Runner {
  if (process.platform === 'win32') {
    throw new FilewrightError('unsupported', 'Commands cannot be run on Windows: it has no process groups to end them by.')
  }
  return {
    name: 'local',
    async run(request, signal) {
      if (signal.aborted) throw canceled()
      const child = await start(request, directoryAt(root, request), env)
      return follow(child, request, signal)
    },
  }
}

/** Where the command starts. The path holds no links: one that leads elsewhere was put there a moment ago. */
function directoryAt(root: string, { cwd }: RunRequest): string {
  const path = join(root, cwd)
  const named = cwd || 'The root'
  try {
    if (realpathSync(path) === path) return path
  } catch (error) {
    throw new FilewrightError('not_directory', `${named} is no directory any more.`, { cause: error })
  }
  throw new FilewrightError('not_directory', `${named} is a link now.`)
}

/** Starts the program; the child is running when this returns. */
async function start({ argv: [program, ...args] }: RunRequest, cwd: string, env: NodeJS.ProcessEnv | undefined): Promise<Child> {
  if (program === '') throw new FilewrightError('not_found', 'command not found: it is empty.')
  try {
    const child = spawn(program, args, { cwd, env: env ?? process.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return child
  } catch (error) {
    throw failedStart(program, error)
  }
}

function failedStart(program: string, error: unknown): FilewrightError {
  const code = errnoOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new FilewrightError('not_found', `command not found: ${program}`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM') {
    return new FilewrightError('permission_denied', `${program} may not be executed.`, { cause: error })
  }
  if (code === 'E2BIG') return new FilewrightError('invalid_argument', 'The command is longer than the system takes.', { cause: error })
  return new FilewrightError('io_error', `${program} could not be started.`, { cause: error })
}

async function follow(child: Child, { timeoutMs, outputBytes }: RunRequest, signal: AbortSignal): ReturnType<Runner['run']> {
  const [stdout, stderr] = [collect(child.stdout, outputBytes), collect(child.stderr, outputBytes)]
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill = killerOf(child.pid as number)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  running.add(kill)
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  try {
    const end = await ended(child)
    clearTimeout(timer)
    await Promise.race([closed, after(GRACE_MS)])
    kill()
    await Promise.race([closed, after(GRACE_MS)])
    if (signal.aborted) throw canceled()
    return { stdout: stdout(), stderr: stderr(), end: timedOut ? { reason: 'timeout' } : end }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    running.delete(kill)
    // Somebody outside of the group may still hold the other ends.
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function ended(child: Child): Promise<RunEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { reason: 'exited', code: code ?? 0 } : { reason: 'signal', signal: constants.signals[signal] }),
    )
  })
}

/** Ends the whole group, of which nobody may be left. */
function killerOf(pid: number): () => void {
  return () => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      // On some systems a group of which only dead ones are left may not be signalled.
      if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error
    }
  }
}

/** Keeps the first bytes of a stream, and reads the rest so that nobody waits to be rid of it. */
function collect(stream: Readable, limit: number): () => RunOutput {
  const parts: Uint8Array[] = []
  let size = 0
  let cut = false
  stream.on('data', (block: Uint8Array) => {
    const part = block.subarray(0, limit - size)
    cut ||= part.length < block.length
    if (part.length === 0) return
    parts.push(part)
    size += part.length
  })
  return () => ({ bytes: concatBytes(parts), cut })
}

function canceled(): FilewrightError {
  return new FilewrightError('canceled', 'The command was canceled and ended; what it had done by then stays.')
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
