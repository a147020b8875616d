/** An agent that is a command: it is told where the tools of its task are, as an MCP endpoint, and runs until it ends. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FilewrightError } from '../core/errors.ts'
import { ROOT } from '../core/path.ts'
import type { RunOutcome } from '../core/runner.ts'
import { SECRET_LENGTH } from '../http/credentials.ts'
import { callerOfRequest, createMcpFactory } from '../mcp/index.ts'
import { createLocalRunner } from '../runner/local.ts'
import type { Agent } from '../testing/evaluation.ts'
import { splitShellWords } from '../text/shell_words.ts'
import { listenMcp } from './mcp_listener.ts'
import { trackCalls } from './serving.ts'

/** What of an agent's last words is told when it fails, in characters. */
const LAST_WORDS = 500
const OUTPUT_BYTES = 1024 * 1024

/** What can stand in the words of a command, in braces. `config` is a file as MCP clients read it, made when it is asked for. */
interface Known {
  readonly url: string
  readonly token: string
  readonly instruction: string
  readonly task: string
  readonly config: string
}

/**
 * An agent that runs a command for each task, in the working directory. In its words, `{url}`, `{token}`, `{instruction}`, `{task}` and
 * `{config}` stand for those of the task; the variables `FILEWRIGHT_MCP_URL`, `FILEWRIGHT_MCP_TOKEN`, `FILEWRIGHT_INSTRUCTION` and
 * `FILEWRIGHT_TASK` hold the same. No shell reads it. When it ends, and when its time is up, all that it started is ended. Throws
 * `invalid_argument` for a command that cannot be split or is empty.
 */
export function commandAgent(command: string): Agent {
  const [program, ...words] = splitShellWords(command, 'agent')
  if (program === undefined) throw new FilewrightError('invalid_argument', '--agent must be a command.', { field: 'agent' })
  return async ({ task, workspace, signal }) => {
    const token = randomBytes(SECRET_LENGTH).toString('base64url')
    const calls = trackCalls(workspace)
    const factory = createMcpFactory(calls.workspace, { caller: callerOfRequest, roots: 'ignore' })
    const listener = await listenMcp(factory, { host: '127.0.0.1', port: 0, token })
    const folder = words.some((word) => word.includes('{config}')) ? configFolder(listener.url, token) : null
    const known: Known = {
      url: listener.url,
      token,
      instruction: task.instruction,
      task: task.name,
      config: folder === null ? '' : join(folder, 'mcp.json'),
    }
    try {
      const argv = [program, ...words.map((word) => filled(word, known))] as const
      const runner = createLocalRunner(realpathSync(process.cwd()), { env: { ...process.env, ...variables(known) } })
      // The evaluation's own signal is the limit of time.
      requireDone(await runner.run({ argv, cwd: ROOT, timeoutMs: MOST_MS, outputBytes: OUTPUT_BYTES }, signal))
    } finally {
      await listener.close()
      await calls.settled()
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The longest time that a timer takes. */
const MOST_MS = 2 ** 31 - 1

function filled(word: string, known: Known): string {
  return word.replace(/\{(url|token|instruction|task|config)\}/g, (_, name: keyof Known) => known[name])
}

function variables({ url, token, instruction, task }: Known): NodeJS.ProcessEnv {
  return {
    FILEWRIGHT_MCP_URL: url,
    FILEWRIGHT_MCP_TOKEN: token,
    FILEWRIGHT_INSTRUCTION: instruction,
    FILEWRIGHT_TASK: task,
  }
}

/** A folder of this user's alone, with the file in the form that most clients read. */
function configFolder(url: string, token: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-eval-'))
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { filewright: server } }), { mode: 0o600 })
  return folder
}

function requireDone({ end, stdout, stderr }: RunOutcome): void {
  if (end.reason === 'exited' && end.code === 0) return
  const how = end.reason === 'exited' ? `with status ${end.code}` : end.reason === 'signal' ? `by signal ${end.signal}` : 'too late'
  const words = new TextDecoder().decode((stderr.bytes.length > 0 ? stderr : stdout).bytes).trim()
  throw new Error(`it ended ${how}${words === '' ? '' : `: ${words.slice(-LAST_WORDS)}`}`)
}
