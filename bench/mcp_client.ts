/** A client of MCP servers on standard input and output that costs next to nothing: lines out, lines counted in. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** How a server is started. */
export interface ServerCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: { readonly [name: string]: string }
}

/** A running server that answered `initialize`. */
export interface McpClient {
  /** The result of one call's request. Throws when the server answers with an error, or the tool failed. */
  call(tool: string, args: object): Promise<ToolAnswer>
  /** Sends one call after another, `inFlight` at a time, and waits for all answers, which are not looked at. */
  burst(calls: readonly (readonly [tool: string, args: object])[], inFlight: number): Promise<void>
  /** Memory that the process holds, in bytes. */
  residentBytes(): number
  /** Seconds of CPU that the process used until now. */
  cpuSeconds(): number
  close(): Promise<void>
}

/** The parts of an answer that rows compare. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: { readonly [key: string]: unknown }
  readonly isError?: boolean
}

const NEWLINE = 0x0a
/** A notification or a request of the server has its method there. */
const HEAD_BYTES = 64
const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
/** Clock ticks a second, as the kernel counts CPU time for processes. */
const TICKS = 100
const PAGE_BYTES = 4096

/** Starts a server and waits until it is initialised. */
export async function connect({ file, args, env = {} }: ServerCommand): Promise<McpClient> {
  const child = spawn(file, args, { stdio: 'pipe', env: { ...process.env, ...env } })
  child.stderr.resume()
  const answers = createAnswers(child)
  let id = 0
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
  const send = (message: object): void => void child.stdin.write(line(message))
  const request = async (method: string, params: object): Promise<ToolAnswer> => {
    send({ id: ++id, method, params })
    const { result, error } = JSON.parse((await answers.next()).toString())
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  await request('initialize', CLIENT)
  send({ method: 'notifications/initialized' })
  return {
    async call(tool, params) {
      const answer = await request('tools/call', { name: tool, arguments: params })
      if (answer.isError) throw new Error(`${tool}: ${answer.content[0]?.text}`)
      return answer
    },
    async burst(calls, inFlight) {
      const lines = calls.map(([name, args]) => line({ id: ++id, method: 'tools/call', params: { name, arguments: args } }))
      let sent = 0
      // As many at once as were answered at once: a write for each would make the client the slower of the two.
      const sendNext = (count: number): void => {
        const next = lines.slice(sent, sent + count).join('')
        sent += count
        if (next !== '') child.stdin.write(next)
      }
      sendNext(inFlight)
      await answers.count(calls.length, sendNext)
    },
    residentBytes: () => Number(readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES,
    cpuSeconds: () => {
      // The name, in parentheses, may hold blanks.
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) / TICKS
    },
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.stdin.end()
        child.kill()
      }),
  }
}

/** The server's answers, one a line: whole, or only counted. What it sends of its own accord is passed over. */
function createAnswers(child: ChildProcessWithoutNullStreams): {
  next(): Promise<Buffer>
  count(answers: number, some: (count: number) => void): Promise<void>
} {
  let parts: Buffer[] = []
  let onAnswer: (parts: readonly Buffer[]) => void = () => {}
  let fail: (error: Error) => void = () => {}
  child.once('exit', (code) => fail(new Error(`The server ended with ${code}.`)))
  let onChunk: () => void = () => {}
  child.stdout.on('data', (chunk: Buffer) => {
    readLines(chunk)
    onChunk()
  })
  const readLines = (chunk: Buffer): void => {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from)
      parts.push(chunk.subarray(from, newline < 0 ? chunk.length : newline))
      if (newline < 0) return
      // A copy of its first bytes: a line may come in many parts.
      const isAnswer = !Buffer.concat(parts, HEAD_BYTES).includes('"method":')
      if (isAnswer) onAnswer(parts)
      parts = []
      from = newline + 1
    }
  }
  return {
    count: (answers, some) =>
      new Promise((resolve, reject) => {
        let left = answers
        let fresh = 0
        fail = reject
        onAnswer = () => {
          fresh++
        }
        onChunk = () => {
          if (fresh > 0) some(fresh)
          left -= fresh
          fresh = 0
          if (left === 0) resolve()
        }
      }),
    next: () =>
      new Promise((resolve, reject) => {
        fail = reject
        onChunk = () => {}
        onAnswer = (whole) => resolve(Buffer.concat(whole))
      }),
  }
}
