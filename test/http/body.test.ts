/** Bodies: counted while they are read, parsed only when every reader would take them alike. */
import { describe, expect, test, vi } from 'vitest'
import { readBytes } from '../../src/http/body.ts'
import { JSON_DEPTH, JSON_KEYS, parseJson } from '../../src/http/json.ts'
import { HTTP_LIMITS, type Problem } from '../../src/http/routes.ts'
import { createServer, streamOf } from './setup.ts'

describe('size', () => {
  const big = `{"name":"${'x'.repeat(HTTP_LIMITS.jsonBytes)}"}`
  const json = { 'content-type': 'application/json' }

  test.each([
    ['with its length', big, {}],
    ['with a length that lies', streamOf(big), { 'content-length': '10' }],
    ['in chunks', streamOf(big.slice(0, 100), big.slice(100)), {}],
    ['that claims to be huge', streamOf('{}'), { 'content-length': String(HTTP_LIMITS.jsonBytes + 1) }],
  ])('a large body %s is 413 and closes', async (_, body, headers) => {
    const server = createServer()
    const answer = await server.send('POST', '/v1/workspaces', { body, headers: { ...json, ...headers } })
    expect(answer.status).toBe(413)
    expect(answer.headers.get('connection')).toBe('close')
    expect(((await answer.json()) as Problem).code).toBe('too_large')
  })

  test('an endless body is dropped for a while, then given up', async () => {
    let pulled = 0
    const cancel = vi.fn()
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(1024 * 1024))
      },
      cancel,
    })
    const request = new Request('http://h/', { method: 'POST', body: endless, duplex: 'half' } as RequestInit)
    await expect(readBytes(request, { bytes: 10_000 })).rejects.toMatchObject({ code: 'too_large' })
    expect(pulled).toBeLessThan(12)
    expect(cancel).toHaveBeenCalled()
  })

  test('a tool call may be larger than other bodies', async () => {
    const server = createServer()
    const id = await server.create()
    const content = 'x'.repeat(2 * HTTP_LIMITS.jsonBytes)
    const answer = await server.send('POST', `/v1/workspaces/${id}/tools/write_file`, { json: { file_path: '/a.txt', content } })
    expect(answer.status).toBe(200)
    const larger = await server.send('POST', `/v1/workspaces/${id}/tools/write_file`, {
      json: { file_path: '/b.txt', content: 'x'.repeat(HTTP_LIMITS.callBytes) },
    })
    expect(larger.status).toBe(413)
  })
})

test('a body that stalls, or trickles, is 408', async () => {
  const request = (body: ReadableStream<Uint8Array>) => new Request('http://h/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  const stalled = new ReadableStream<Uint8Array>()
  const trickling = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((wake) => setTimeout(wake, 20))
      controller.enqueue(new Uint8Array(1))
    },
  })
  await expect(readBytes(request(stalled), { bytes: 10, idleMs: 30 })).rejects.toMatchObject({ code: 'timeout', status: 408 })
  await expect(readBytes(request(trickling), { bytes: 10_000, idleMs: 1000, totalMs: 100 })).rejects.toMatchObject({ status: 408 })
})

describe('JSON', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`

  test.each([
    ['a key twice', '{"path":"a","path":"b"}'],
    ['a key twice, written differently', '{"path":"a","p\\u0061th":"b"}'],
    ['a key twice, deep inside', '[{"a":{"b":1,"c":[],"b":2}}]'],
    ['too deep', nested(JSON_DEPTH + 1)],
    ['a million deep', nested(1_000_000)],
    ['a million deep, open', '{"a":'.repeat(1_000_000)],
    ['too many keys', keys(JSON_KEYS + 1)],
    ['an integer beyond 2^53', '{"a":9007199254740993}'],
    ['a negative one', '{"a":-9007199254740993}'],
    ['an endless integer', `[${'9'.repeat(1000)}]`],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a lone surrogate in a key', '{"\\udc00":1}'],
    ['nothing', ''],
    ['half of it', '{"a":'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{"a":1 /* b */}'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['two documents', '{}{}'],
    ['an open text', '{"a":"b'],
    ['a line break in a text', '{"a":"\n"}'],
    ['closed too often', '{}}'],
  ])('%s is refused', (_, text) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })

  test.each([
    '{}',
    '[]',
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"a\\"b":1,"a\\\\":2,"a":3}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '["a","a",{"a":"a"}]',
    '{"__proto__":1,"constructor":2}',
    '{"a":1.5e300,"b":9007199254740991,"c":-0,"d":12345678901234567890.5}',
    '"\\ud83d\\ude00"',
    nested(JSON_DEPTH),
    keys(JSON_KEYS),
    ' \n{ "a" : [ true , false , null ] }\t',
  ])('%s is parsed as it stands', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  test('on the wire, all of it is 400', async () => {
    const server = createServer()
    const headers = { 'content-type': 'application/json' }
    const bodies = [
      '{"name":"a","name":"b"}',
      `{"name":${nested(100)}}`,
      '[]',
      '"a"',
      'null',
      '',
      new Uint8Array([0x7b, 0xff, 0x7d]),
      '{"name":"a","x":1}',
    ]
    for (const body of bodies) {
      const answer = await server.send('POST', '/v1/workspaces', { body, headers })
      expect(answer.status).toBe(400)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
    for (const type of [null, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      expect((await server.send('POST', '/v1/workspaces', { body: '{"name":"a"}', headers: { 'content-type': type } })).status).toBe(415)
    }
    expect(server.host.opened.size).toBe(0)
  })
})
