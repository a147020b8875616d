/** The transport on standard input and output: lines in any chunks, bad lines answered, running calls waited for. */
import { PassThrough, Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { createStdioTransport, type StdioTransport } from '../../src/cli/stdio_transport.ts'

interface Wire {
  readonly input: PassThrough
  readonly transport: StdioTransport
  readonly received: JSONRPCMessage[]
  readonly answers: () => unknown[]
}

async function open(limit?: number): Promise<Wire> {
  const input = new PassThrough()
  const output = new PassThrough()
  let written = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  const transport = createStdioTransport(input, output, limit)
  const received: JSONRPCMessage[] = []
  transport.onmessage = (message) => received.push(message)
  await transport.start()
  const answers = () =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { input, transport, received, answers }
}

const request = (id: number, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method, params: {} })
const line = (value: unknown) => `${JSON.stringify(value)}\n`
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('messages arrive whole, however they are cut', async () => {
  const messages = [request(1), { jsonrpc: '2.0' as const, method: 'notifications/x', params: { text: 'ü漢😀\n' } }, request(2)]
  const bytes = Buffer.from(messages.map(line).join('').replace('\n', '\r\n'))
  for (const size of [1, 3, 7, bytes.length]) {
    const { input, received } = await open()
    for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size))
    await settled()
    expect(received).toEqual(messages)
  }
})

test('a bad line is answered, and the next one is served', async () => {
  const { input, received, answers } = await open()
  input.write('{not json\n\n[1]\n{"jsonrpc":"2.0"}\n"text"\n')
  input.write(line(request(1)))
  await settled()
  expect(answers().map((answer) => (answer as { error: { code: number } }).error.code)).toEqual([-32700, -32600, -32600, -32600])
  expect(answers().every((answer) => !('id' in (answer as object)))).toBe(true)
  expect(received).toEqual([request(1)])
})

test('what asks for an answer gets it under its id, whatever is wrong with it', async () => {
  const { input, received, answers } = await open()
  input.write(line({ jsonrpc: '1.0', id: 'a', method: 'ping' }) + line({ jsonrpc: '2.0', id: 7, method: 7 }))
  input.write(line([request(1), { jsonrpc: '2.0', method: 'x' }, { id: 'b', method: 'y' }]) + line([]))
  input.write(line({ jsonrpc: '2.0', id: null, method: 'ping' }) + line({ jsonrpc: '2.0', id: 1.5, method: 'ping' }))
  await settled()
  expect(answers().map((answer) => (answer as { id?: unknown }).id)).toEqual(['a', 7, 1, 'b', undefined, undefined, undefined])
  expect(answers().every((answer) => (answer as { error: { code: number } }).error.code === -32600)).toBe(true)
  expect(received).toEqual([])
})

test('bytes that are no UTF-8 are refused, never replaced', async () => {
  const { input, received, answers } = await open()
  const bytes = Buffer.from(line({ ...request(1), params: { text: '?' } }))
  bytes[bytes.indexOf('?')] = 0xff
  input.write(bytes)
  input.write(line(request(2)))
  await settled()
  expect(answers()).toMatchObject([{ error: { code: -32700 } }])
  expect(received).toEqual([request(2)])
})

test('two requests with one id are two answers to wait for', async () => {
  const { input, transport } = await open()
  input.write(line(request(1)) + line(request(1)))
  await settled()
  let idle = false
  const waiting = transport.idle().then(() => {
    idle = true
  })
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  await settled()
  expect(idle).toBe(false)
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  await waiting
})

test('a message over the limit is refused once and skipped, in any chunks', async () => {
  const long = line({ ...request(1), params: { text: 'x'.repeat(300) } })
  for (const size of [50, 1000]) {
    const { input, received, answers } = await open(200)
    const bytes = Buffer.from(long + line(request(2)))
    for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size))
    await settled()
    expect(answers()).toMatchObject([{ error: { code: -32600 } }])
    expect(received).toEqual([request(2)])
  }
})

test('it is idle when every request has its answer, was canceled, or is a subscription', async () => {
  const { input, transport } = await open()
  input.write(line(request(1)) + line(request(2)) + line(request(3, 'subscriptions/listen')))
  await settled()
  let idle = false
  const waiting = transport.idle().then(() => {
    idle = true
  })
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  await settled()
  expect(idle).toBe(false)
  input.write(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }))
  await waiting
})

test('the end of input is told, its last line is read, and answers can still be sent', async () => {
  const { input, transport, received, answers } = await open()
  input.end(JSON.stringify(request(1)))
  await transport.ended
  expect(received).toEqual([request(1)])
  await transport.send({ jsonrpc: '2.0', id: 1, result: { ok: true } })
  await transport.idle()
  expect(answers()).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }])
})

test('a broken output ends it', async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const transport = createStdioTransport(new PassThrough(), broken)
  await transport.start()
  await expect(transport.send({ jsonrpc: '2.0', id: 1, result: {} })).rejects.toThrow('EPIPE')
  await transport.ended
})

test('requests are held back while too many are at work, and nothing else is', async () => {
  const { input, transport, received, answers } = await open()
  const ids = Array.from({ length: 600 }, (_, id) => id)
  input.write(ids.map((id) => line(request(id))).join(''))
  await settled()
  expect(received).toHaveLength(256)
  const cancel = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId: 599 } }
  const listen = request(1000, 'subscriptions/listen')
  input.write(line(cancel) + line(listen))
  await settled()
  expect(received.slice(256)).toEqual([cancel, listen])
  // Answers make room for what waits, to the last one.
  const idle = transport.idle()
  for (let at = 0; at < received.length; at++) {
    const message = received[at]
    if (message && 'id' in message && message.id !== 1000) await transport.send({ jsonrpc: '2.0', id: message.id as number, result: {} })
  }
  await idle
  await settled()
  expect(answers().map((answer) => (answer as { id: number }).id)).toEqual(ids.slice(0, 599))
})

test('requests are held back while their client reads nothing', async () => {
  const [input, done]: [PassThrough, (() => void)[]] = [new PassThrough(), []]
  const transport = createStdioTransport(input, { write: (_, written) => done.push(written), on: () => {} })
  const received: JSONRPCMessage[] = []
  transport.onmessage = (message) => received.push(message)
  await transport.start()
  input.write(line(request(1)) + line(request(2)))
  await settled()
  const large = 'x'.repeat(40 * 1024 * 1024)
  for (const id of [1, 2]) transport.send({ jsonrpc: '2.0', id, result: { large } })
  input.write(line(request(3)))
  await settled()
  expect(received).toHaveLength(2)
  done[0]?.()
  await settled()
  expect(received).toHaveLength(3)
})
