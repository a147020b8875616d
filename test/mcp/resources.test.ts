/** Resources, as real clients of both eras find and read them. */
import type { Client, ListResourcesResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory, type McpOptions } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { ImportedFile, Workspace } from '../../src/workspace/workspace.ts'
import { connect, connectHttp, ERAS, type Era } from './connection.ts'

const FILES = 'filewright:///files'
const MTIME = Date.UTC(2026, 0, 2, 3, 4, 5)
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3)

async function open(files: Readonly<Record<string, string | Uint8Array>> = {}, links: ImportedFile[] = []): Promise<Workspace> {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const imported: ImportedFile[] = [...links]
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    imported.push({ path, content: await workspace.stage(bytes), mtimeMs: MTIME })
  }
  if (imported.length > 0) await workspace.importFiles(imported, { operator: true })
  return workspace
}

async function serve(era: Era, workspace: Workspace, options: McpOptions = {}): Promise<Client> {
  return connect(createMcpFactory(workspace, options), era)
}

async function read(client: Client, uri: string): Promise<{ readonly [key: string]: unknown }> {
  const { contents } = await client.readResource({ uri })
  return contents[0] as { readonly [key: string]: unknown }
}

async function json(client: Client, uri: string): Promise<Record<string, unknown>> {
  return JSON.parse((await read(client, uri)).text as string)
}

/** One page: without a cursor, the client's own method would turn all of them. */
function pageOf(client: Client, cursor?: string): Promise<ListResourcesResult> {
  return client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } })
}

async function all(client: Client): Promise<string[]> {
  return (await client.listResources()).resources.map(({ uri }) => uri)
}

describe.each(ERAS)('a client of %s', (era) => {
  test('lists the root, the changes, and what is not ignored, with type, size and time', async () => {
    const workspace = await open({ 'src/a.ts': 'let a\n', 'logo.png': PNG, 'out/x.js': '1', '.gitignore': 'out/\n', '.git/HEAD': 'ref' }, [
      { path: 'link', link: 'logo.png' },
    ])
    const { resources } = await (await serve(era, workspace)).listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      `${FILES}/`,
      'filewright:///changes',
      `${FILES}/.gitignore`,
      `${FILES}/logo.png`,
      `${FILES}/src/`,
      `${FILES}/src/a.ts`,
    ])
    const annotations = { lastModified: '2026-01-02T03:04:05.000Z' }
    expect(resources.at(3)).toEqual({ uri: `${FILES}/logo.png`, name: 'logo.png', mimeType: 'image/png', size: 8, annotations })
    expect(resources.at(4)).toMatchObject({ name: 'src/', mimeType: 'inode/directory' })
    expect(resources.at(5)).toMatchObject({ name: 'src/a.ts', mimeType: 'text/x-typescript', size: 6 })
  })

  test('turns pages, each thing once, whatever comes and goes meanwhile', async () => {
    const names = Array.from({ length: 450 }, (_, i) => `d${Math.floor(i / 50)}/${String(i).padStart(3, '0')}.txt`)
    const workspace = await open(Object.fromEntries(names.map((name) => [name, name])))
    const client = await serve(era, workspace)
    const first = await pageOf(client)
    expect(first.resources).toHaveLength(200)
    await workspace.call('delete_file', { file_path: names[0] })
    await workspace.call('write_file', { file_path: 'a-new-one.txt', content: 'x' })
    const second = await pageOf(client, first.nextCursor)
    const third = await pageOf(client, second.nextCursor)
    expect(third.nextCursor).toBeUndefined()
    const seen = [first, second, third].flatMap((page) => page.resources.map(({ uri }) => uri))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((uri) => uri.endsWith('.txt'))).toEqual(names.map((name) => `${FILES}/${name}`))
    expect(await all(client)).toContain(`${FILES}/a-new-one.txt`)
  })

  test.each(['x', 'YWZ0ZXI6', '', btoa('after:{}'), btoa('after:"'), '💥'])('a cursor of somebody else (%j) is -32602', async (cursor) => {
    const client = await serve(era, await open({ a: 'x' }))
    await expect(pageOf(client, cursor)).rejects.toMatchObject({ code: -32602 })
  })

  test('reads text, bytes, and what a name does not say', async () => {
    const workspace = await open({
      'a b/ü.md': '# hé\r\n',
      'logo.png': PNG,
      blob: PNG,
      'bad.txt': Uint8Array.of(0x61, 0xff, 0x62),
      empty: '',
    })
    const client = await serve(era, workspace)
    const uri = `${FILES}/a%20b/%C3%BC.md`
    expect(await read(client, uri)).toEqual({ uri, mimeType: 'text/markdown', text: '# hé\r\n' })
    expect(await read(client, `${FILES}/logo.png`)).toMatchObject({ mimeType: 'image/png', blob: btoa(String.fromCharCode(...PNG)) })
    expect(await read(client, `${FILES}/blob`)).toMatchObject({ mimeType: 'application/octet-stream', blob: expect.any(String) })
    expect(await read(client, `${FILES}/bad.txt`)).toMatchObject({ mimeType: 'application/octet-stream', blob: 'Yf9i' })
    expect(await read(client, `${FILES}/empty`)).toEqual({ uri: `${FILES}/empty`, mimeType: 'text/plain', text: '' })
  })

  test('what every listed URI names can be read', async () => {
    const client = await serve(era, await open({ 'x/ü ñ#?%41.txt': 'x', "it's/日本.md": 'x', '~/..a': 'x' }))
    for (const uri of await all(client)) expect(await read(client, uri), uri).toMatchObject({ mimeType: expect.any(String) })
  })

  test('a large file is read in parts that put together are the file', async () => {
    const text = 'zeile ü 🎉\n'.repeat(20_000)
    const client = await serve(era, await open({ 'big.txt': text }), { resultSize: 100_000 })
    const failure = client.readResource({ uri: `${FILES}/big.txt` })
    const size = new TextEncoder().encode(text).length
    await expect(failure).rejects.toMatchObject({ code: -32602, data: { code: 'too_large', size, limit: 75_000 } })
    let whole = ''
    for (let next: number | null = 0; next !== null; ) {
      const part = await read(client, `${FILES}/big.txt?offset=${next}&length=33333`)
      whole += part.text
      const range = (part._meta as Record<string, { next: number | null; size: number }>)['filewright/range']
      expect(range?.size).toBe(size)
      next = range?.next ?? null
    }
    expect(whole).toBe(text)
    expect(await read(client, `${FILES}/big.txt?offset=99999999`)).toMatchObject({
      text: '',
      _meta: { 'filewright/range': { next: null } },
    })
  })

  test('reads a directory, a page at a time', async () => {
    const names = Array.from({ length: 1100 }, (_, i) => `d/${String(i).padStart(4, '0')}`)
    const workspace = await open({ ...Object.fromEntries(names.map((name) => [name, ''])), 'e/f.ts': 'abc' }, [
      { path: 'e/l', link: 'f.ts' },
    ])
    const client = await serve(era, workspace)
    expect(await read(client, `${FILES}/e`)).toMatchObject({ uri: `${FILES}/e/`, mimeType: 'inode/directory' })
    expect(await json(client, `${FILES}/e/`)).toMatchObject({
      path: '/e',
      total: 2,
      entries: [
        { name: 'f.ts', kind: 'file', uri: `${FILES}/e/f.ts`, size: 3, mimeType: 'text/x-typescript', lastModified: expect.any(String) },
        { name: 'l', kind: 'link', target: 'f.ts' },
      ],
    })
    const first = await json(client, `${FILES}/d/`)
    expect(first.entries).toHaveLength(1000)
    expect(first.next).toBe(`${FILES}/d/?offset=1000`)
    const rest = await json(client, first.next as string)
    expect(rest.entries).toHaveLength(100)
    expect(rest.next).toBeUndefined()
    expect((await json(client, `${FILES}/`)).entries).toMatchObject([{ name: 'd' }, { name: 'e' }])
  })

  test('reads changes: the newest, one with its patch, the patch alone', async () => {
    const workspace = await open({ 'a.txt': 'one\n' })
    const { changeId } = await workspace.call('write_file', { file_path: 'b.txt', content: 'two\n' })
    const client = await serve(era, workspace)
    const { changes } = (await json(client, 'filewright:///changes')) as { changes: { uri: string }[] }
    expect(changes).toMatchObject([{ id: changeId, tool: 'write_file', sequence: 2, undone: false, paths: ['b.txt'] }, { kind: 'import' }])
    const uri = changes[0]?.uri as string
    const { contents } = await client.readResource({ uri })
    expect(contents).toMatchObject([
      { uri, mimeType: 'application/json' },
      { uri: `${uri}/patch`, mimeType: 'text/x-diff', text: expect.stringContaining('+two') },
    ])
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: changeId, patch: { uri: `${uri}/patch`, whole: true } })
    expect((await read(client, 'filewright:///changes/last/patch')).text).toContain('+++ b/b.txt')
    await workspace.undo('last')
    expect(await json(client, uri)).toMatchObject({ undone: true })
  })

  test('a large change is told in part, and says so', async () => {
    const names = Array.from({ length: 600 }, (_, i) => `d/${String(i).padStart(3, '0')}.txt`)
    const client = await serve(era, await open(Object.fromEntries(names.map((name) => [name, `${name}\n`]))))
    const told = (await json(client, 'filewright:///changes/1')) as { changes: unknown[]; count: number; patch: { uri: string } }
    expect(told).toMatchObject({ count: 601, patch: { whole: false } })
    expect(told.changes).toHaveLength(500)
    const patch = (await read(client, told.patch.uri)).text as string
    expect(patch.match(/^\+\+\+ /gm)).toHaveLength(499)
    const small = await serve(era, await open({ 'a.txt': 'x\n'.repeat(50_000), 'b.txt': 'y\n' }), { resultSize: 65_536 })
    expect(await json(small, 'filewright:///changes/1')).toMatchObject({ patch: { whole: false } })
  })

  test.each([
    ['a missing file', `${FILES}/none.txt`],
    ['a missing change', 'filewright:///changes/none'],
    ['a missing result', 'filewright:///results/0123'],
    ['a folder of backups', `${FILES}/.backups`],
    ['another scheme', 'https://example.com/'],
    ['a host path', 'file:///etc/passwd'],
    ['a way out', `${FILES}/../../etc/passwd`],
    ['an escaped way out', `${FILES}/%2e%2e/%2e%2e/etc/passwd`],
    ['no URI', 'x'],
  ])('%s is an error with nothing but the URI, never empty contents', async (_, uri) => {
    const client = await serve(era, await open({ 'a.txt': 'x' }))
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } })
  })

  test('links are followed inside the root only', async () => {
    const workspace = await open({ 'a.txt': 'inside' }, [
      { path: 'in', link: 'a.txt' },
      { path: 'out', link: '../../etc/passwd' },
      { path: 'round', link: 'round' },
    ])
    const client = await serve(era, workspace)
    expect(await read(client, `${FILES}/in`)).toMatchObject({ uri: `${FILES}/a.txt`, text: 'inside' })
    await expect(client.readResource({ uri: `${FILES}/out` })).rejects.toMatchObject({ code: -32602, data: { code: 'outside_root' } })
    await expect(client.readResource({ uri: `${FILES}/round` })).rejects.toMatchObject({ code: -32602, data: { code: 'loop' } })
    await expect(client.readResource({ uri: `${FILES}/a.txt/` })).rejects.toMatchObject({ code: -32602 })
  })

  test('templates say how URIs are made', async () => {
    const { resourceTemplates } = await (await serve(era, await open())).listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      `${FILES}/{+path}{?offset,length}`,
      'filewright:///changes/{id}',
      'filewright:///changes/{id}/patch',
      'filewright:///results/{id}{?offset,length}',
    ])
  })
})

test.each(ERAS)('over HTTP, a request at a time (%s)', async (era) => {
  const client = await connectHttp(createMcpFactory(await open({ 'a.txt': 'x' })), era)
  expect((await client.listResources()).resources).toHaveLength(3)
  expect(await read(client, `${FILES}/a.txt`)).toMatchObject({ text: 'x' })
  // Only the newer era can be told of changes there without a session.
  const told = era === '2026' ? { subscribe: true, listChanged: true } : {}
  expect(client.getServerCapabilities()?.resources).toEqual(told)
})
