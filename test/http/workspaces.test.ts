/** The index, tools, the timeline and its events over HTTP; and that no failure tells of the host. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ERRORS } from '../../src/core/errors.ts'
import type { ChangePage, ChangesPage, Problem, RecordAnswer, ToolAnswer, WorkspaceEntry, WorkspaceInfo } from '../../src/http/routes.ts'
import { createServer, type TestServer } from './setup.ts'

let server: TestServer
let id: string
let workspace: string

beforeEach(async () => {
  server = createServer()
  id = await server.create('first')
  workspace = `/v1/workspaces/${id}`
})

const call = (tool: string, json: object, path = workspace) => server.send('POST', `${path}/tools/${tool}`, { json })
const write = (path: string, content: string) => call('write_file', { file_path: path, content, overwrite: true, force_overwrite: true })
const read = async <Answer>(path: string): Promise<Answer> => (await server.send('GET', path)).json() as Promise<Answer>

describe('the index', () => {
  test('creates, lists, renames and removes, with everything in it', async () => {
    const created = await server.send('POST', '/v1/workspaces', { json: { name: '  second ' } })
    expect(created.status).toBe(201)
    const entry = (await created.json()) as WorkspaceEntry
    expect(entry).toMatchObject({ name: 'second', profile: 'fileops' })
    const renamed = await server.send('PATCH', `/v1/workspaces/${entry.id}`, { json: { name: 'other' } })
    expect(await renamed.json()).toEqual({ ...entry, name: 'other' })
    expect(await read(`/v1/workspaces/${entry.id}`)).toMatchObject({ name: 'other' })
    expect((await server.send('DELETE', `/v1/workspaces/${entry.id}`)).status).toBe(204)
    expect((await read<{ workspaces: WorkspaceEntry[] }>('/v1/workspaces')).workspaces.map(({ name }) => name)).toEqual(['first'])
    for (const rest of ['', '/info', '/tree', '/files/a', '/changes']) {
      expect((await server.send('GET', `/v1/workspaces/${entry.id}${rest}`)).status).toBe(404)
    }
  })

  test.each([
    {},
    { name: '' },
    { name: '   ' },
    { name: 1 },
    { name: 'x'.repeat(101) },
    { name: 'a', profile: 'none' },
    { name: 'a', settings: {} },
  ])('a new workspace of %j is a bad request', async (json) => {
    expect((await server.send('POST', '/v1/workspaces', { json })).status).toBe(400)
  })

  test.each(['nobody', 'UPPERCASE', 'a', '..%2f', '%00', 'x'.repeat(65), '__proto__'])('the id %s is 404', async (unknown) => {
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/info'],
      ['GET', '/files/a'],
    ] as const) {
      const answer = await server.send(method, `/v1/workspaces/${unknown}${rest}`)
      expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([404, 'not_found'])
    }
  })

  test('what is in one workspace is not in another', async () => {
    await write('/a.txt', 'one')
    const other = `/v1/workspaces/${await server.create('second')}`
    expect((await server.send('GET', `${other}/files/a.txt`)).status).toBe(404)
    expect((await read<ChangesPage>(`${other}/changes`)).changes).toEqual([])
  })
})

describe('tools', () => {
  test('are listed with schemas, and run', async () => {
    const info = await read<WorkspaceInfo>(`${workspace}/info`)
    expect(info).toMatchObject({ profile: 'fileops', head: 0, traits: { adapter: 'memory' } })
    const tool = info.tools.find(({ name }) => name === 'write_file')
    expect(tool).toMatchObject({ kind: 'write', input: { type: 'object', required: expect.arrayContaining(['file_path']) } })
    const answer = await write('/a.txt', 'one')
    expect(answer.status).toBe(200)
    expect((await answer.json()) as ToolAnswer).toMatchObject({ error: null, result: { created: true }, changeId: expect.any(String) })
    expect((await read<WorkspaceInfo>(`${workspace}/info`)).head).toBe(1)
  })

  test.each([
    ['view_file', { file_path: '/missing' }, 'not_found'],
    ['view_file', {}, 'missing_argument'],
    ['view_file', { file_path: '/a.txt', colour: 'red' }, 'invalid_argument'],
    ['view_file', { file_path: '../../etc/passwd' }, 'outside_root'],
    ['write_file', { file_path: '/a.txt', content: 'x' }, 'already_exists'],
    ['write_file', { file_path: '/a.txt', content: 'x', overwrite: true }, 'confirmation_required'],
    ['write_file', { file_path: '/.env', content: 'x' }, 'sensitive_path'],
    ['write_file', { file_path: '/.git/config', content: 'x' }, 'protected_path'],
    ['delete_file', { file_path: '/missing' }, 'not_found'],
    ['no_such_tool', {}, 'unsupported'],
    ['builtin/file-read', {}, 'unsupported'],
  ] as const)('%s %j fails with the status of %s and the result', async (tool, args, code) => {
    await write('/a.txt', 'one')
    const answer = await call(tool, args)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([ERRORS[code].status, 'application/problem+json'])
    const body = (await answer.json()) as Problem & ToolAnswer
    expect(body).toMatchObject({ code, status: answer.status, error: { code }, changeId: null, result: { error: expect.any(String) } })
  })

  test('of twenty parallel edits of one file, all are kept', async () => {
    await write('/a.txt', Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join(''))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call('write_file', { file_path: '/a.txt', content: `more ${index}\n`, append: true })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const text = await (await server.send('GET', `${workspace}/files/a.txt`)).text()
    for (let index = 0; index < 20; index++) expect(text).toContain(`more ${index}\n`)
  })
})

describe('the timeline', () => {
  test('is told in pages, shown in parts, undone, redone and verified', async () => {
    for (let index = 1; index <= 5; index++) await write('/a.txt', `${index}\n`)
    const first = await read<ChangesPage>(`${workspace}/changes?limit=2`)
    expect(first.changes.map(({ record }) => record.sequence)).toEqual([5, 4])
    const rest = await read<ChangesPage>(`${workspace}/changes?before=${first.next}`)
    expect([rest.changes.length, rest.next]).toEqual([3, null])

    const page = await read<ChangePage>(`${workspace}/changes/5`)
    expect(page.changes[0]?.diff).toContain('+5')
    expect((await read<ChangePage>(`${workspace}/changes/last?diff=false`)).changes[0]?.diff).toBeNull()

    const undone = (await (await server.send('POST', `${workspace}/changes/last/undo`)).json()) as RecordAnswer
    expect(undone.record.kind).toBe('undo')
    expect(await (await server.send('GET', `${workspace}/files/a.txt`)).text()).toBe('4\n')
    expect((await read<ChangesPage>(`${workspace}/changes`)).changes.find(({ record }) => record.sequence === 5)?.undone).toBe(true)
    expect((await server.send('POST', `${workspace}/redo`)).status).toBe(200)
    expect(await (await server.send('GET', `${workspace}/files/a.txt`)).text()).toBe('5\n')
    expect(await (await server.send('POST', `${workspace}/verify`)).json()).toMatchObject({ records: 7 })
  })

  test('a line tells the first changes, and made directories last', async () => {
    await write('/a.txt', '1')
    await call('copy_file', { source_path: '/a.txt', destination_path: '/d/e/b.txt' })
    const { changes } = await read<ChangesPage>(`${workspace}/changes?limit=1`)
    expect(changes[0]?.first).toEqual([
      { kind: 'copy', path: 'd/e/b.txt', from: 'a.txt' },
      { kind: 'makeDirectory', path: 'd' },
      { kind: 'makeDirectory', path: 'd/e' },
    ])
  })

  test('an undo of what moved on is a conflict that names the paths', async () => {
    await write('/a.txt', '1')
    await write('/a.txt', '2')
    const answer = await server.send('POST', `${workspace}/changes/1/undo`)
    expect(answer.status).toBe(409)
    expect((await answer.json()) as Problem).toMatchObject({ code: 'conflict', details: { differing: [{ path: 'a.txt' }] } })
  })

  test.each(['0', '99', 'x', '../x', '-1', '20250131T104500123Z-0003c1e7'])('change %s is not found', async (which) => {
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/undo'],
    ] as const) {
      const answer = await server.send(method, `${workspace}/changes/${encodeURIComponent(which)}${rest}`)
      expect(answer.status).toBe(404)
    }
  })

  test.each(['limit=0', 'limit=x', 'before=0', 'before=1.5', 'limit=-1'])('?%s is a bad question', async (query) => {
    expect((await server.send('GET', `${workspace}/changes?${query}`)).status).toBe(400)
  })
})

describe('events', () => {
  interface Told {
    readonly id: number
    readonly event: string
  }

  /** Reads events until there are as many as wanted. */
  async function listen(count: number, headers: { readonly [name: string]: string } = {}, query = ''): Promise<Told[]> {
    const stop = new AbortController()
    const answer = await server.send('GET', `${workspace}/events${query}`, { headers, signal: stop.signal })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const told: Told[] = []
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    for (let text = ''; told.length < count; ) {
      text += new TextDecoder().decode((await reader.read()).value)
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, number] = /^id: ([0-9]+)$/m.exec(text.slice(0, end)) ?? []
        const [, event] = /^event: (.*)$/m.exec(text.slice(0, end)) ?? []
        if (number !== undefined && event !== undefined) told.push({ id: Number(number), event })
        text = text.slice(end + 2)
      }
    }
    await reader.cancel()
    return told
  }

  const ids = (told: readonly Told[]): number[] => told.map(({ id: number }) => number)

  test('tell of each change once, in order, from now on', async () => {
    await write('/a.txt', '0')
    const listening = listen(6)
    await new Promise((wake) => setTimeout(wake, 20))
    await Promise.all(Array.from({ length: 5 }, (_, index) => write(`/${index}.txt`, 'x')))
    const told = await listening
    expect(told.map(({ event }) => event)).toEqual(['ready', 'change', 'change', 'change', 'change', 'change'])
    expect(ids(told)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('go on after the last one that a client saw, however much it missed', async () => {
    for (let index = 1; index <= 250; index++) await write('/a.txt', `${index}`)
    expect(ids(await listen(248, { 'last-event-id': '3' }))).toEqual(Array.from({ length: 248 }, (_, index) => index + 3))
    expect(ids(await listen(3, {}, '?after=248'))).toEqual([248, 249, 250])
    expect(ids(await listen(1, { 'last-event-id': '999' }))).toEqual([250])
  })

  test('a client that leaves is forgotten, and one too many is told to wait', async () => {
    const stop = new AbortController()
    const open = await Promise.all(Array.from({ length: 64 }, () => server.send('GET', `${workspace}/events`, { signal: stop.signal })))
    expect(open.every(({ status }) => status === 200)).toBe(true)
    const refused = await server.send('GET', `${workspace}/events`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    await Promise.all(open.slice(0, 32).map(({ body }) => body?.cancel()))
    stop.abort()
    expect(ids(await listen(1))).toEqual([0])
  })

  test.each(['x', '-1', '1.5', ''])('Last-Event-ID %j is a bad request', async (last) => {
    expect((await server.send('GET', `${workspace}/events`, { headers: { 'last-event-id': last } })).status).toBe(400)
  })
})

test('failures are problems, and tell nothing of the host', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  server.host.list = () => Promise.reject(new Error('/home/someone/secret: at Object.<anonymous> (/srv/app.js:1:1)'))
  const answers = await Promise.all([
    server.send('GET', '/v1/workspaces'),
    server.send('GET', '/v1/none'),
    server.send('PATCH', `${workspace}/tree`, { json: {} }),
    call('view_file', { file_path: '/nope' }),
    server.send('GET', `${workspace}/files/nope`),
    server.send('GET', '/v1/workspaces', { headers: { authorization: null } }),
    server.send('GET', '/v1/workspaces', { headers: { host: 'evil.test' } }),
  ])
  for (const answer of answers) {
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const text = await answer.text()
    const problem = JSON.parse(text) as Problem
    expect(problem.status).toBe(answer.status)
    expect(Object.keys(ERRORS)).toContain(problem.code)
    expect(text).not.toMatch(/\/home|\/srv|\/work|\/tmp|\.js:|\.ts:|node_modules|Object\.</)
  }
  // The log says where it happened, without the message.
  expect(logged).toHaveBeenCalledOnce()
  expect(String(logged.mock.calls[0])).toMatch(/^Unexpected failure\nError\n\s+at /)
  expect(String(logged.mock.calls[0])).not.toContain('someone')
  logged.mockRestore()
})
