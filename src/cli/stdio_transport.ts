/** MCP messages as lines on standard input and output. The end of input lets running calls finish before it closes. */
import type { Readable } from 'node:stream'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'

/** Longest message: twice the largest text, since JSON escapes it. A longer one is answered with an error and skipped. */
export const MESSAGE_BYTES: number = 128 * 1024 * 1024

const NEWLINE = 0x0a
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A subscription is answered only when it ends. */
const LISTEN = 'subscriptions/listen'

/** Most members of a refused batch that are answered one by one. */
const BATCH = 1000

/** Most requests at work at once, and characters of answers that wait for a client to read them; more requests are held back. */
const AT_WORK = 256
const UNREAD = 64 * 1024 * 1024

/** Where messages go: the part of a stream that is used. */
export interface ProtocolOutput {
  write(text: string, done: (error?: Error | null) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A transport over two streams. */
export interface StdioTransport extends Transport {
  /** Resolves when no request is waiting for its answer. */
  idle(): Promise<void>
  /** Resolves when the input ended or the output broke. */
  readonly ended: Promise<void>
}

/** Serves over the process's streams, or over others in a test. Nothing but protocol is ever written to `output`. */
export function createStdioTransport(input: Readable, output: ProtocolOutput, limit: number = MESSAGE_BYTES): StdioTransport {
  /** How many requests of an id have no answer yet: nothing keeps a client from using one twice. */
  const running = new Map<RequestId, number>()
  let asked = 0
  /** Requests that were not handed on yet, in their order. */
  const held = new Set<JSONRPCRequest>()
  let unread = 0
  let waiting: (() => void)[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  function settle(id: RequestId | undefined): void {
    const count = id === undefined ? 0 : (running.get(id) ?? 0)
    if (id !== undefined && count > 0) {
      asked--
      if (count > 1) running.set(id, count - 1)
      else running.delete(id)
    }
    release()
    if (running.size > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }

  function write(message: object): Promise<void> {
    const text = `${JSON.stringify(message)}\n`
    unread += text.length
    return new Promise<void>((resolve, reject) => {
      output.write(text, (error) => (error ? reject(error) : resolve()))
    }).finally(() => {
      unread -= text.length
      release()
    })
  }

  function isFull(): boolean {
    return unread > UNREAD || asked - held.size >= AT_WORK
  }

  /** Hands on what was held back, as far as there is room. */
  function release(): void {
    for (const request of held) {
      if (isFull()) return
      held.delete(request)
      transport.onmessage?.(request)
    }
  }

  /** Without an id where the message has none that can be read: MCP has no null id. */
  function refuse(code: ProtocolErrorCode, message: string, sent?: unknown): void {
    const id = idOf(sent)
    write({ jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message } }).catch(() => {})
  }

  function refuseBatch(messages: readonly unknown[]): void {
    const message = 'Batches are not served: send each message on a line of its own.'
    const asking = messages.filter((sent) => idOf(sent) !== undefined).slice(0, BATCH)
    for (const sent of asking) refuse(ProtocolErrorCode.InvalidRequest, message, sent)
    if (asking.length === 0) refuse(ProtocolErrorCode.InvalidRequest, message)
  }

  function parse(line: string): JSONRPCMessage | null {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      refuse(ProtocolErrorCode.ParseError, 'The line is not JSON.')
      return null
    }
    if (Array.isArray(value)) {
      refuseBatch(value)
      return null
    }
    if (isPlainRequest(value)) return value
    try {
      return parseJSONRPCMessage(value)
    } catch {
      refuse(ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC 2.0 message.', value)
      return null
    }
  }

  function track(method: string, id: RequestId | undefined, params: { readonly [name: string]: unknown } | undefined): void {
    // A subscription is answered only when it ends: nothing waits for it.
    if (id !== undefined && method !== LISTEN) {
      running.set(id, (running.get(id) ?? 0) + 1)
      asked++
    }
    if (id !== undefined || method !== 'notifications/cancelled') return
    const canceled = params?.requestId as RequestId | undefined
    for (const request of held) if (request.id === canceled && held.delete(request)) settle(canceled)
    settle(canceled)
  }

  function receive(bytes: Uint8Array): void {
    let line: string
    try {
      line = utf8.decode(bytes)
    } catch {
      refuse(ProtocolErrorCode.ParseError, 'The line is not UTF-8.')
      return
    }
    const message = line.trim() === '' ? null : parse(line)
    if (!message) return
    const waits = isRequest(message) && message.method !== LISTEN && (held.size > 0 || isFull())
    if ('method' in message) track(message.method, idOf(message), message.params)
    if (waits) held.add(message)
    else transport.onmessage?.(message)
  }

  const lines = createLineReader(
    receive,
    () => refuse(ProtocolErrorCode.InvalidRequest, `The message is longer than ${limit} bytes.`),
    limit,
  )
  const onError = (error: Error): void => {
    transport.onerror?.(error)
    end()
  }
  const transport: StdioTransport = {
    ended,
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async start() {
      input.on('data', lines)
      input.once('end', () => {
        // The last line may lack its end.
        lines(Uint8Array.of(NEWLINE))
        end()
      })
      input.once('close', end)
      input.once('error', onError)
      output.on('error', onError)
    },
    async send(message) {
      try {
        await write(message)
      } finally {
        if (!('method' in message)) settle(message.id)
      }
    },
    async close() {
      input.off('data', lines)
      input.pause()
      running.clear()
      asked = 0
      held.clear()
      settle(undefined)
      transport.onclose?.()
    },
  }
  return transport
}

/** Collects chunks into lines, in linear time; a line that grows beyond `limit` is reported once and skipped to its end. */
function createLineReader(receive: (line: Uint8Array) => void, tooLong: () => void, limit: number): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  return (chunk) => {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from)
      const part = chunk.subarray(from, newline < 0 ? chunk.length : newline)
      const before = size
      size += part.length
      if (size <= limit) parts.push(part)
      else if (before <= limit) {
        parts = []
        tooLong()
      }
      if (newline < 0) return
      if (size <= limit) receive(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts))
      parts = []
      size = 0
      from = newline + 1
    }
  }
}

const REQUEST_MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Whether this is a request as most are, without anything that takes a closer look: that costs as much as a small call. */
function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (typeof value !== 'object' || value === null) return false
  const { jsonrpc, method, params } = value as Partial<JSONRPCRequest>
  if (jsonrpc !== '2.0' || typeof method !== 'string' || idOf(value) === undefined) return false
  const isPlain = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params) && !('_meta' in params))
  return isPlain && Object.keys(value).every((name) => REQUEST_MEMBERS.has(name))
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && idOf(message) !== undefined
}

/** The id that a message of any shape asks an answer under. */
function idOf(sent: unknown): RequestId | undefined {
  if (typeof sent !== 'object' || sent === null || !('id' in sent)) return undefined
  return typeof sent.id === 'string' || Number.isSafeInteger(sent.id) ? (sent.id as RequestId) : undefined
}
