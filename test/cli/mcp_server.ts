/** `filewright mcp --http` as a process that runs, for a test. */
import type { ChildProcess } from 'node:child_process'
import { start } from './command.ts'

/** A server that listens. */
export interface RunningServer {
  readonly child: ChildProcess
  readonly url: string
  /** What it printed; the token stands only there. */
  readonly token: string
  readonly out: { stdout: string; stderr: string }
  /** Signals it, and waits for its end: the exit status. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts it on a free port of this machine, and waits for its address. Throws with what it printed when it ends instead. */
export async function startServer(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<RunningServer> {
  const child = start(['mcp', '--http', '0', '--profile', 'fileops', ...args], { env })
  const out = { stdout: '', stderr: '' }
  const ended = new Promise<number | null>((done) => child.once('close', done))
  const found = new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      out.stdout += text
    })
    child.stderr.on('data', (text) => {
      out.stderr += text
      const printed = /MCP at (\S+)\nAuthorization: Bearer (.+)\n/.exec(out.stderr)
      if (printed) resolve(printed)
    })
    ended.then(() => reject(new Error(`It ended:\n${out.stdout}${out.stderr}`)))
  })
  const [, url = '', token = ''] = await found
  return {
    child,
    url,
    token,
    out,
    stop(signal) {
      child.kill(signal)
      return ended
    },
  }
}
