/** Bringing folders in: contents by hash in bounded requests, one change at the end, and going on after any break. */
import { beforeEach, describe, expect, test } from 'vitest'
import { platformHasher } from '../../src/core/hash.ts'
import { frameHeader, readFrames } from '../../src/http/frames.ts'
import type { ChangesPage, HashList, ManifestFile, MissingAnswer, Problem, RecordAnswer, StoredAnswer } from '../../src/http/routes.ts'
import { createServer, type TestServer } from './setup.ts'

let server: TestServer
let workspace: string

beforeEach(async () => {
  server = createServer()
  workspace = `/v1/workspaces/${await server.create()}`
})

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const hashOf = (bytes: Uint8Array): string => platformHasher().hash(bytes)

function framed(contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts = contents.flatMap((bytes) => [frameHeader(hashOf(bytes), bytes.length), bytes])
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

async function answerOf<Answer>(path: string, body: unknown): Promise<Answer> {
  const answer = await server.send('POST', `${workspace}/${path}`, { json: body })
  expect(answer.ok, await answer.clone().text()).toBe(true)
  return (await answer.json()) as Answer
}

const send = (contents: readonly Uint8Array[]) => server.send('POST', `${workspace}/import/content`, { body: framed(contents) })
const manifestOf = (files: readonly ManifestFile[]): Uint8Array => bytesOf(JSON.stringify({ files }))
const finish = (body: object) => server.send('POST', `${workspace}/import`, { json: body })
const text = async (path: string): Promise<string> => (await server.send('GET', `${workspace}/files/${path}`)).text()

test('thousands of files come in as one change, and one undo takes them back', async () => {
  const contents = Array.from({ length: 3000 }, (_, index) => bytesOf(`content of ${index % 2900}\n`))
  const files = contents.map((bytes, index) => ({ path: `pkg/d${index % 50}/f${index}.js`, hash: hashOf(bytes), mtimeMs: 1e12 }))
  const pages = [0, 1000, 2000].map((at) => manifestOf(files.slice(at, at + 1000)))
  const all = new Map([...contents, ...pages].map((bytes) => [hashOf(bytes), bytes]))
  const { missing } = await answerOf<MissingAnswer>('import/missing', { hashes: [...all.keys()] })
  expect(missing).toHaveLength(2903)
  for (let at = 0; at < missing.length; at += 1000) {
    const batch = missing.slice(at, at + 1000).map((hash) => all.get(hash) as Uint8Array)
    expect(((await (await send(batch)).json()) as StoredAnswer).stored).toBe(batch.length)
  }
  expect((await answerOf<MissingAnswer>('import/missing', { hashes: [...all.keys()] } satisfies HashList)).missing).toEqual([])
  const { record } = await answerOf<RecordAnswer>('import', { manifests: pages.map(hashOf), note: 'pkg' })
  expect(record).toMatchObject({ sequence: 1, kind: 'import', note: 'pkg' })
  expect(record).not.toHaveProperty('changes')
  expect(await text('pkg/d49/f2999.js')).toBe('content of 99\n')
  const page = (await (await server.send('GET', `${workspace}/changes`)).json()) as ChangesPage
  expect(page.changes).toHaveLength(1)
  expect((await server.send('POST', `${workspace}/changes/1/undo`)).status).toBe(200)
  await expect((await server.send('GET', `${workspace}/tree`)).json()).resolves.toMatchObject({ entries: [] })
})

test('an import that broke off goes on with what is missing', async () => {
  const contents = ['a', 'b', 'c'].map(bytesOf)
  const manifest = manifestOf(contents.map((bytes, index) => ({ path: `${index}.txt`, hash: hashOf(bytes) })))
  const body = framed([...contents, manifest])
  // The connection is lost in the middle of the third content.
  const cut = await server.send('POST', `${workspace}/import/content`, { body: body.slice(0, 36 + 1 + 36 + 1 + 36) })
  expect(cut.status).toBe(400)
  const hashes = [...contents, manifest].map(hashOf)
  const { missing } = await answerOf<MissingAnswer>('import/missing', { hashes })
  expect(missing).toEqual(hashes.slice(2))
  await send([contents[2] as Uint8Array, manifest])
  await answerOf('import', { manifests: [hashOf(manifest)] })
  expect(await text('2.txt')).toBe('c')
})

test('finishing too early names what is missing, and changes nothing', async () => {
  const manifest = manifestOf([
    { path: 'a.txt', hash: hashOf(bytesOf('a')) },
    { path: 'b.txt', hash: hashOf(bytesOf('b')) },
  ])
  await send([manifest, bytesOf('a')])
  const answer = await finish({ manifests: [hashOf(manifest), hashOf(bytesOf('no manifest'))] })
  expect(answer.status).toBe(404)
  expect(((await answer.json()) as Problem).details).toEqual({
    count: 2,
    missing: [hashOf(bytesOf('b')), hashOf(bytesOf('no manifest'))],
  })
  expect((await server.send('GET', `${workspace}/files/a.txt`)).status).toBe(404)
})

test('empty files, directories, links, modes and large contents come along', async () => {
  const large = Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 7) % 253)
  const empty = new Uint8Array(0)
  const manifest = manifestOf([
    { path: 'empty.txt', hash: hashOf(empty) },
    { path: 'bin/run', hash: hashOf(large), mode: 0o755 },
    { path: 'hollow/inner', directory: true },
    { path: 'link', link: 'empty.txt' },
  ])
  expect(((await (await send([empty, large, manifest])).json()) as StoredAnswer).stored).toBe(3)
  await answerOf('import', { manifests: [hashOf(manifest)] })
  const tree = async (path: string) => (await server.send('GET', `${workspace}/tree?path=${path}`)).json()
  expect(await tree('bin')).toMatchObject({ entries: [{ name: 'run', mode: 0o755, size: 5_000_000, hash: hashOf(large) }] })
  expect(await tree('')).toMatchObject({
    entries: [
      { name: 'bin' },
      { name: 'empty.txt', size: 0 },
      { name: 'hollow', kind: 'directory' },
      { name: 'link', kind: 'link', target: 'empty.txt' },
    ],
  })
})

test('existing files are replaced only when that is asked for', async () => {
  const manifest = (content: string) => manifestOf([{ path: 'a.txt', hash: hashOf(bytesOf(content)) }])
  for (const content of ['one', 'two']) await send([bytesOf(content), manifest(content)])
  await answerOf('import', { manifests: [hashOf(manifest('one'))] })
  const refused = await finish({ manifests: [hashOf(manifest('two'))] })
  expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([409, 'already_exists'])
  await answerOf('import', { manifests: [hashOf(manifest('two'))], replace: true })
  expect(await text('a.txt')).toBe('two')
})

test.each([
  ['../x', 'outside_root'],
  ['a/../../x', 'outside_root'],
  ['a/../x', 'outside_root'],
  ['.git/hooks/pre-commit', 'protected_path'],
  ['sub/.GIT/config', 'protected_path'],
  ['a\u0000b', 'invalid_argument'],
  ['a\nb', 'invalid_name'],
  ['', 'invalid_argument'],
  ['.', 'outside_root'],
  ['x'.repeat(256), 'invalid_name'],
])('an import with the path %j is refused whole', async (path, code) => {
  const content = bytesOf('a')
  const manifest = manifestOf([
    { path: 'good.txt', hash: hashOf(content) },
    { path, hash: hashOf(content) },
  ])
  await send([content, manifest])
  const answer = await finish({ manifests: [hashOf(manifest)] })
  expect(((await answer.json()) as Problem).code).toBe(code)
  expect((await server.send('GET', `${workspace}/files/good.txt`)).status).toBe(404)
})

test('a link that leads outside is refused', async () => {
  for (const link of ['../../etc', '/etc/passwd', 'a/../../x']) {
    const manifest = manifestOf([{ path: 'link', link }])
    await send([manifest])
    expect((await finish({ manifests: [hashOf(manifest)] })).status).toBe(403)
  }
})

test('content under a wrong hash is refused', async () => {
  const body = framed([bytesOf('good'), bytesOf('bad')])
  body[body.length - 1] = (body[body.length - 1] as number) ^ 1
  const answer = await server.send('POST', `${workspace}/import/content`, { body })
  expect(answer.status).toBe(400)
  const { missing } = await answerOf<MissingAnswer>('import/missing', { hashes: ['good', 'bad'].map((name) => hashOf(bytesOf(name))) })
  expect(missing).toEqual([hashOf(bytesOf('bad'))])
})

test.each([
  ['import/missing', {}],
  ['import/missing', { hashes: ['x'] }],
  ['import/missing', { hashes: ['A'.repeat(64)] }],
  ['import/missing', { hashes: Array.from({ length: 5001 }, () => '0'.repeat(64)) }],
  ['import', {}],
  ['import', { manifests: [] }],
  ['import', { manifests: ['0'.repeat(64)], operator: true }],
  ['import', { manifests: ['0'.repeat(64)], replace: 'yes' }],
])('%s with a bad body (%#) is a bad request', async (path, json) => {
  expect((await server.send('POST', `${workspace}/${path}`, { json })).status).toBe(400)
})

test('a manifest with unknown members, or that is no JSON, is a bad request', async () => {
  const bad = [
    '{"files":[{"path":"a","operator":true}]}',
    '{"files":[{"path":"a","path":"b"}]}',
    'x',
    '[]',
    '{"files":[{"path":1}]}',
    '\xff',
  ]
  for (const page of bad.map(bytesOf)) {
    await send([page])
    expect((await finish({ manifests: [hashOf(page)] })).status).toBe(400)
  }
})

describe('frames', () => {
  test('are read alike however the body is cut', async () => {
    const contents = ['', 'a', 'bc', 'x'.repeat(100), ''].map(bytesOf)
    const body = framed(contents)
    for (const size of [1, 2, 7, 35, 36, 37, 1000]) {
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
      }
      const seen: Uint8Array[] = []
      for await (const { hash, size: length, body: content } of readFrames(pieces(), 10)) {
        const parts: Uint8Array[] = []
        if (content instanceof Uint8Array) parts.push(content)
        else for await (const part of content) parts.push(part)
        const whole = Uint8Array.from(parts.flatMap((part) => [...part]))
        expect([whole.length, hashOf(whole)]).toEqual([length, hash])
        seen.push(whole)
      }
      expect(seen).toEqual(contents)
    }
  })
})
