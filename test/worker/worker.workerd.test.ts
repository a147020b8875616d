/** The worker as it is deployed, in workerd: its objects are evicted between any two steps, and nothing is lost. */
import { evictDurableObject } from 'cloudflare:test'
import { env as bindings, exports } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { platformHasher } from '../../src/core/hash.ts'
import { makeOneTimeToken } from '../../src/http/credentials.ts'
import { frameHeader } from '../../src/http/frames.ts'
import type {
  ChangePage,
  ChangesPage,
  MissingAnswer,
  RecordAnswer,
  SessionAnswer,
  ToolAnswer,
  WorkspaceEntry,
  WorkspaceInfo,
  WorkspaceList,
} from '../../src/http/routes.ts'
import type { Env } from '../../worker/env.ts'

const env = bindings as unknown as Env
const ORIGIN = `http://${env.FILEWRIGHT_HOSTS}`

interface Sent {
  readonly json?: unknown
  readonly body?: BodyInit
  readonly headers?: { readonly [name: string]: string }
}

/** An answer read to its end: an object whose answer is still under way is not evicted. */
async function send(method: string, path: string, sent: Sent = {}): Promise<Response> {
  const answer = await open(method, path, sent)
  const { status, headers } = answer
  const body = await answer.arrayBuffer()
  return new Response(body.byteLength === 0 ? null : body, { status, headers })
}

function open(method: string, path: string, { json, body, headers = {} }: Sent = {}): Promise<Response> {
  const all = {
    host: env.FILEWRIGHT_HOSTS,
    authorization: `Bearer ${env.FILEWRIGHT_SECRET}`,
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  const sent = json === undefined ? body : JSON.stringify(json)
  const { default: worker } = exports as unknown as { default: Fetcher }
  return worker.fetch(new Request(ORIGIN + path, { method, headers: all, ...(sent === undefined ? {} : { body: sent }) }))
}

async function answerOf<Answer>(method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const answer = await send(method, path, sent)
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
  return (await answer.json()) as Answer
}

async function create(name: string): Promise<string> {
  return (await answerOf<WorkspaceEntry>('POST', '/v1/workspaces', { json: { name } })).id
}

const evict = (id: string) => evictDurableObject(env.WORKSPACES.get(env.WORKSPACES.idFromString(id)))
const evictDirectory = () => evictDurableObject(env.DIRECTORY.getByName('directory'))
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const hashOf = (bytes: Uint8Array): string => platformHasher().hash(bytes)

function framed(contents: readonly Uint8Array[]): Blob {
  return new Blob(contents.flatMap((bytes) => [frameHeader(hashOf(bytes), bytes.length), bytes as Uint8Array<ArrayBuffer>]))
}

/** Brings files in, with an eviction between any two requests. */
async function bringIn(id: string, files: ReadonlyMap<string, Uint8Array>): Promise<RecordAnswer> {
  const manifest = bytesOf(JSON.stringify({ files: [...files].map(([path, bytes]) => ({ path, hash: hashOf(bytes) })) }))
  const contents = new Map([...files.values(), manifest].map((bytes) => [hashOf(bytes), bytes]))
  const ask = () => answerOf<MissingAnswer>('POST', `/v1/workspaces/${id}/import/missing`, { json: { hashes: [...contents.keys()] } })
  const { missing } = await ask()
  for (let at = 0; at < missing.length; at += 200) {
    const batch = missing.slice(at, at + 200).map((hash) => contents.get(hash) as Uint8Array)
    await answerOf('POST', `/v1/workspaces/${id}/import/content`, { body: framed(batch) })
    await evict(id)
  }
  expect(await ask()).toEqual({ missing: [] })
  await evict(id)
  return answerOf('POST', `/v1/workspaces/${id}/import`, { json: { manifests: [hashOf(manifest)] } })
}

test('create, import, edit, log, undo: with an eviction after every step', async () => {
  const id = await create('story')
  const path = `/v1/workspaces/${id}`
  await evictDirectory()
  expect((await answerOf<WorkspaceList>('GET', '/v1/workspaces')).workspaces.map((entry) => entry.id)).toContain(id)

  const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 11) % 251)
  const files = new Map(
    Array.from({ length: 500 }, (_, index) => [`src/d${index % 20}/f${index}.ts`, bytesOf(`export const n = ${index}\n`)]),
  )
  const { record } = await bringIn(id, files.set('large.bin', large))
  expect(record).toMatchObject({ sequence: 1, kind: 'import' })
  await evict(id)

  expect(hashOf(new Uint8Array(await (await send('GET', `${path}/files/large.bin`)).arrayBuffer()))).toBe(hashOf(large))
  const part = await send('GET', `${path}/files/large.bin`, { headers: { range: 'bytes=1048570-1048590' } })
  expect(new Uint8Array(await part.arrayBuffer())).toEqual(large.slice(1048570, 1048591))

  const before = (await send('GET', `${path}/files/src/d7/f7.ts`)).headers.get('etag')?.slice(1, -1)
  const written = await answerOf<ToolAnswer>('POST', `${path}/tools/write_file`, {
    json: { file_path: '/src/d7/f7.ts', content: 'export const n = 700\n', overwrite: true, expected_sha256: before },
  })
  expect(written).toMatchObject({ error: null, result: { self_verified: true } })
  await evict(id)

  const log = await answerOf<ChangesPage>('GET', `${path}/changes`)
  expect(log.changes.map(({ record: { sequence, tool } }) => [sequence, tool])).toEqual([
    [2, 'write_file'],
    [1, 'import'],
  ])
  expect((await answerOf<ChangePage>('GET', `${path}/changes/2`)).changes[0]?.diff).toContain('-export const n = 7\n+export const n = 700')
  const third = await answerOf<ChangePage>('GET', `${path}/changes/1?offset=300&limit=10`)
  expect([third.changes.length, third.next]).toEqual([10, 310])
  await evict(id)

  await answerOf('POST', `${path}/changes/last/undo`)
  await evict(id)
  expect(await (await send('GET', `${path}/files/src/d7/f7.ts`)).text()).toBe('export const n = 7\n')
  await answerOf('POST', `${path}/redo`)
  expect(await answerOf('POST', `${path}/verify`)).toMatchObject({ records: 4 })
  await evict(id)
  expect((await answerOf<WorkspaceInfo>('GET', `${path}/info`)).head).toBe(4)
})

test('two workspaces do not see each other', async () => {
  const [one, two] = [await create('one'), await create('two')]
  await send('PUT', `/v1/workspaces/${one}/files/a.txt`, { body: 'of one' })
  expect((await send('GET', `/v1/workspaces/${two}/files/a.txt`)).status).toBe(404)
  await send('PUT', `/v1/workspaces/${two}/files/a.txt`, { body: 'of two' })
  expect(await (await send('GET', `/v1/workspaces/${one}/files/a.txt`)).text()).toBe('of one')
  expect(
    (await answerOf<MissingAnswer>('POST', `/v1/workspaces/${two}/import/missing`, { json: { hashes: [hashOf(bytesOf('of one'))] } }))
      .missing,
  ).toHaveLength(1)
  await send('DELETE', `/v1/workspaces/${one}`)
  expect(await (await send('GET', `/v1/workspaces/${two}/files/a.txt`)).text()).toBe('of two')
})

test('a removed workspace is gone, with its files, before and after an eviction', async () => {
  const id = await create('short-lived')
  await send('PUT', `/v1/workspaces/${id}/files/a.txt`, { body: 'x' })
  expect((await send('DELETE', `/v1/workspaces/${id}`)).status).toBe(204)
  for (let time = 0; time < 2; time++) {
    expect((await send('GET', `/v1/workspaces/${id}/files/a.txt`)).status).toBe(404)
    expect((await send('GET', `/v1/workspaces/${id}/info`)).status).toBe(404)
    expect((await send('PUT', `/v1/workspaces/${id}/files/a.txt`, { body: 'x' })).status).toBe(404)
    expect((await send('DELETE', `/v1/workspaces/${id}`)).status).toBe(404)
    await evict(id)
  }
})

test('ids that this server did not make name nothing', async () => {
  const other = env.DIRECTORY.newUniqueId().toString()
  for (const id of [other, '0'.repeat(64), 'f'.repeat(64), 'abcdefgh', env.WORKSPACES.newUniqueId().toString()]) {
    expect((await send('GET', `/v1/workspaces/${id}/info`)).status).toBe(404)
    expect((await send('GET', `/v1/workspaces/${id}`)).status).toBe(404)
  }
})

test('a one-time token works once, also across an eviction', async () => {
  const token = await makeOneTimeToken(env.FILEWRIGHT_SECRET)
  const exchange = () => send('POST', '/v1/session', { json: { token }, headers: { authorization: '' } })
  const { token: session } = (await (await exchange()).json()) as SessionAnswer
  await evictDirectory()
  expect((await exchange()).status).toBe(401)
  expect((await send('GET', '/v1/workspaces', { headers: { authorization: `Bearer ${session}` } })).status).toBe(200)
})

test('of twenty parallel changes of one file, all are kept', async () => {
  const path = `/v1/workspaces/${await create('parallel')}`
  await send('PUT', `${path}/files/a.txt`, { body: 'first\n' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      send('POST', `${path}/tools/write_file`, { json: { file_path: '/a.txt', content: `more ${index}\n`, append: true } }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  const lines = (await (await send('GET', `${path}/files/a.txt`)).text()).split('\n')
  expect(new Set(lines).size).toBe(22)
})

test('events go on after the last one seen, across an eviction', async () => {
  const id = await create('events')
  const path = `/v1/workspaces/${id}`
  const put = (name: string) => send('PUT', `${path}/files/${name}`, { body: name })
  for (const name of ['a', 'b', 'c']) await put(name)
  await evict(id)
  const stream = await open('GET', `${path}/events`, { headers: { 'last-event-id': '1' } })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  const until = async (mark: string): Promise<void> => {
    while (!text.includes(mark)) text += new TextDecoder().decode((await reader.read()).value)
  }
  await until('id: 3\n')
  await put('d')
  await until('id: 4\n')
  expect(text.match(/^id: [0-9]+$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3', 'id: 4'])
  await reader.cancel()
})

describe('guards, in the runtime they are for', () => {
  test.each([
    [{ host: 'evil.test' }, 403],
    [{ host: '127.0.0.1' }, 403],
    [{ origin: 'http://evil.test' }, 403],
    [{ origin: 'null' }, 403],
    [{ authorization: 'Bearer x' }, 401],
    [{ 'content-encoding': 'gzip' }, 415],
    [{ 'content-type': 'text/plain' }, 415],
  ])('%j is %i', async (headers, status) => {
    expect((await send('POST', '/v1/workspaces', { json: { name: 'a' }, headers })).status).toBe(status)
  })

  test('JSON that is too large or too deep is refused', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await send('POST', '/v1/workspaces', { body: `{"name":"${'x'.repeat(1024 * 1024)}"}`, headers })).status).toBe(413)
    expect((await send('POST', '/v1/workspaces', { body: '['.repeat(1_000_000), headers })).status).toBe(400)
  })

  test('failures tell nothing of the host', async () => {
    const id = await create('errors')
    for (const path of ['files/..%2f..%2fetc%2fpasswd', 'files/nope', 'changes/99', 'tree?path=..', 'none']) {
      const answer = await send('GET', `/v1/workspaces/${id}/${path}`)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(await answer.text()).not.toMatch(/\/work|\/tmp|\.ts:|\.js:|node_modules/)
    }
  })
})
