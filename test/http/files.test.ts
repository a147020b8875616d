/** Raw files: bytes, tags, ranges, conditions; and paths that try to leave. */
import { beforeEach, describe, expect, test } from 'vitest'
import { platformHasher } from '../../src/core/hash.ts'
import type { ChangesPage, FileAnswer, Problem, ToolAnswer, TreePage } from '../../src/http/routes.ts'
import { createServer, type Sent, type TestServer } from './setup.ts'

let server: TestServer
let files: string

beforeEach(async () => {
  server = createServer()
  files = `/v1/workspaces/${await server.create()}/files`
})

const hashOf = (text: string | Uint8Array): string =>
  platformHasher().hash(typeof text === 'string' ? new TextEncoder().encode(text) : text)
const put = (path: string, body: BodyInit, headers: Sent['headers'] = {}, query = '') =>
  server.send('PUT', `${files}/${path}${query}`, { body, headers })
const get = (path: string, headers: Sent['headers'] = {}) => server.send('GET', `${files}/${path}`, { headers })
const codeOf = async (answer: Response): Promise<string> => ((await answer.json()) as Problem).code

describe('reading', () => {
  test('gives the bytes, with their hash as the tag, and HEAD the same without them', async () => {
    const bytes = new Uint8Array([0, 1, 2, 255, 254])
    await put('dir/ü b.bin', bytes)
    const answer = await get('dir/%C3%BC%20b.bin')
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)
    expect(answer.headers.get('etag')).toBe(`"${hashOf(bytes)}"`)
    const head = await server.send('HEAD', `${files}/dir/%C3%BC%20b.bin`)
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', ''])
  })

  test.each([
    ['page.html', '<script>alert(1)</script>', 'text/plain; charset=utf-8'],
    ['image.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'text/plain; charset=utf-8'],
    ['polyglot.gif', 'GIF89a/*\0*/=1;alert(1)', 'application/octet-stream'],
    ['utf7.txt', '+ADw-script+AD4-', 'text/plain; charset=utf-8'],
    ['code.js', 'alert(1)', 'text/plain; charset=utf-8'],
  ])('%s is nothing that a browser would run', async (name, text, type) => {
    await put(name, text)
    const { headers } = await get(name)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('a name in the header can break out of nothing', async () => {
    await put(`${encodeURIComponent("a\"; x='y'(*).txt")}`, 'x')
    const { headers } = await get(encodeURIComponent("a\"; x='y'(*).txt"))
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%22%3B%20x%3D%27y%27%28%2A%29.txt")
  })

  test('an unchanged file is not sent again', async () => {
    await put('a.txt', 'hello')
    const tag = `"${hashOf('hello')}"`
    for (const header of [tag, `W/${tag}`, `"x", ${tag}`, '*']) expect((await get('a.txt', { 'if-none-match': header })).status).toBe(304)
    expect((await get('a.txt', { 'if-none-match': '"x"' })).status).toBe(200)
  })

  const tag = `"${hashOf('0123456789')}"`
  test.each([
    ['bytes=0-3', {}, 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', {}, 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', {}, 206, '789', 'bytes 7-9/10'],
    ['bytes=-100', {}, 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-100', {}, 206, '89', 'bytes 8-9/10'],
    ['bytes=9-9', {}, 206, '9', 'bytes 9-9/10'],
    ['bytes=10-', {}, 416, null, 'bytes */10'],
    ['bytes=-0', {}, 416, null, 'bytes */10'],
    ['bytes=5-2', {}, 200, '0123456789', null],
    ['bytes=0-1,3-4', {}, 200, '0123456789', null],
    ['bytes=-', {}, 200, '0123456789', null],
    ['bytes=a-b', {}, 200, '0123456789', null],
    ['lines=0-1', {}, 200, '0123456789', null],
    ['bytes=0-3', { 'if-range': tag }, 206, '0123', 'bytes 0-3/10'],
    ['bytes=0-3', { 'if-range': '"other"' }, 200, '0123456789', null],
  ])('range %s %j', async (range, headers, status, text, contentRange) => {
    await put('a.txt', '0123456789')
    const answer = await get('a.txt', { range, ...headers })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange])
    if (text !== null) expect(await answer.text()).toBe(text)
  })

  test('a large file is streamed whole, and in ranges over block borders', async () => {
    const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => (index * 31) % 251)
    await put('big.bin', bytes)
    expect(hashOf(new Uint8Array(await (await get('big.bin')).arrayBuffer()))).toBe(hashOf(bytes))
    const part = await get('big.bin', { range: 'bytes=262143-1310721' })
    expect(hashOf(new Uint8Array(await part.arrayBuffer()))).toBe(hashOf(bytes.subarray(262143, 1310722)))
  })
})

describe('writing', () => {
  test('creates, and replaces only what the caller has seen', async () => {
    expect((await put('a.txt', 'one')).status).toBe(201)
    const unconfirmed = await put('a.txt', 'two')
    expect(unconfirmed.status).toBe(428)
    expect(((await unconfirmed.json()) as Problem).details).toEqual({ current_sha256: hashOf('one') })
    expect((await put('a.txt', 'two', { 'if-match': `"${hashOf('old')}"` })).status).toBe(412)
    expect((await put('a.txt', 'two', { 'if-none-match': '*' })).status).toBe(412)
    const replaced = await put('a.txt', 'two', { 'if-match': `"${hashOf('one')}"` })
    expect([replaced.status, replaced.headers.get('etag')]).toEqual([200, `"${hashOf('two')}"`])
    expect(await (await get('a.txt')).text()).toBe('two')
    expect((await put('a.txt', 'three', { 'if-match': '*' })).status).toBe(200)
    expect((await put('new.txt', 'x', { 'if-match': '*' })).status).toBe(412)
    expect((await put('new.txt', 'x', { 'if-match': `"${hashOf('x')}"` })).status).toBe(412)
    expect((await put('new.txt', 'x', { 'if-none-match': '*' })).status).toBe(201)
  })

  test('the same bytes again are no change', async () => {
    await put('a.txt', 'one')
    const again = (await (await put('a.txt', 'one', { 'if-match': '*' })).json()) as FileAnswer
    expect(again).toMatchObject({ path: 'a.txt', changeId: null })
    const log = (await (await server.send('GET', files.replace('files', 'changes'))).json()) as ChangesPage
    expect(log.changes).toHaveLength(1)
  })

  test.each(['"a", "b"', 'W/"x"', '""', 'x'])('If-Match: %s is a bad request', async (header) => {
    await put('a.txt', 'one')
    expect((await put('a.txt', 'two', { 'if-match': header })).status).toBe(400)
  })

  test('guards hold here as for tools', async () => {
    expect(await codeOf(await put('.env', 'SECRET=1'))).toBe('sensitive_path')
    expect((await put('.env', 'SECRET=1', {}, '?allow_sensitive=true')).status).toBe(201)
    await put('.gitignore', '*.log')
    expect(await codeOf(await put('a.log', 'x'))).toBe('ignored_path')
    expect((await put('a.log', 'x', {}, '?allow_ignored=true')).status).toBe(201)
    expect(await codeOf(await put('.git/config', 'x', {}, '?allow_ignored=true&allow_sensitive=true'))).toBe('protected_path')
    expect(await codeOf(await put('a.txt', 'x', {}, '?allow_ignored=yes'))).toBe('invalid_argument')
  })

  test('of many writers that saw the same state, one wins', async () => {
    await put('a.txt', 'one')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put('a.txt', `${index}`, { 'if-match': `"${hashOf('one')}"` })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19)
  })

  test('a body that is too large, or breaks off, leaves nothing', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(10))
        controller.error(new Error('gone'))
      },
    })
    const lost = await put('a.txt', broken)
    expect(lost.status).toBe(499)
    expect(await lost.text()).not.toContain('gone')
    expect((await put('b.txt', 'x', { 'content-length': String(65 * 1024 * 1024) })).status).toBe(413)
    expect((await get('a.txt')).status).toBe(404)
    expect((await get('b.txt')).status).toBe(404)
  })
})

describe('removing', () => {
  const remove = (path: string, headers: Sent['headers'] = {}) => server.send('DELETE', `${files}/${path}`, { headers })

  test('takes the hash of what is there, and can be undone', async () => {
    await put('a.txt', 'one')
    expect((await remove('a.txt')).status).toBe(428)
    expect((await remove('a.txt', { 'if-match': `"${hashOf('two')}"` })).status).toBe(412)
    expect((await remove('a.txt', { 'if-match': `"${hashOf('one')}"` })).status).toBe(200)
    expect((await get('a.txt')).status).toBe(404)
    expect((await server.send('POST', files.replace('files', 'changes/last/undo'))).status).toBe(200)
    expect(await (await get('a.txt')).text()).toBe('one')
  })

  test('missing files, directories and protected ones are refused', async () => {
    await put('dir/a.txt', 'one')
    expect(await codeOf(await remove('b.txt', { 'if-match': '*' }))).toBe('not_found')
    expect(await codeOf(await remove('dir', { 'if-match': '*' }))).toBe('is_directory')
    expect(await codeOf(await remove('.git/config', { 'if-match': '*' }))).toBe('protected_path')
  })
})

describe('paths', () => {
  test.each([
    ['..%2f..%2foutside%2fsecret', 403, 'outside_root'],
    ['dir%2f..%2f..%2foutside', 403, 'outside_root'],
    ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', 403, 'outside_root'],
    ['%252e%252e%252fx', 404, 'not_found'],
    ['%c0%ae%c0%ae/x', 400, 'invalid_argument'],
    ['%E0%A4%A', 400, 'invalid_argument'],
    ['%', 400, 'invalid_argument'],
    ['bad%ff', 400, 'invalid_argument'],
    ['a%00b', 400, 'invalid_argument'],
    ['', 400, 'invalid_argument'],
    ['%2fetc%2fpasswd', 404, 'not_found'],
    ['/etc/passwd', 404, 'not_found'],
    ['..%5c..%5coutside', 404, 'not_found'],
    ['a.txt/b', 409, 'not_directory'],
    ['a.txt%2f', 409, 'not_directory'],
    ['nope%2f..%2fa.txt', 404, 'not_found'],
    ['dir', 409, 'is_directory'],
    ['a'.repeat(256), 400, 'invalid_name'],
    ['~', 404, 'not_found'],
  ])('GET files/%s is %i %s', async (path, status, code) => {
    await put('a.txt', 'x')
    await put('dir/b.txt', 'x')
    const answer = await get(path)
    expect([answer.status, await codeOf(answer)]).toEqual([status, code])
  })

  test('dots that the address itself resolves reach other routes at most, with the same guards', async () => {
    for (const path of ['../../../../etc/passwd', '%2e%2e/%2e%2e/%2e%2e/etc', '..']) {
      expect([401, 403]).toContain((await server.send('GET', `${files}/${path}`, { headers: { authorization: null } })).status)
      expect((await get(path)).status).toBe(404)
    }
  })

  test.each(['__proto__', 'constructor', 'a%25b', '%27;%20DROP%20TABLE%20f;--', 'a*', '%5Bx%5D', 'a+b', 'a%23b', 'a%3Fb', '..foo'])(
    'the name %s is ordinary',
    async (name) => {
      expect((await put(name, name)).status).toBe(201)
      expect(await (await get(name)).text()).toBe(name)
    },
  )

  test.each(['../x', '..%2fx', '%2e%2e%2fx', 'a%0ab', 'a%00b', 'a%1b[2J', '%7f', 'bad%ff'])(
    'PUT files/%s changes nothing',
    async (path) => {
      expect((await put(path, 'x')).status).toBeGreaterThanOrEqual(400)
      const tree = (await (await server.send('GET', files.replace('files', 'tree'))).json()) as TreePage
      expect(tree.entries).toEqual([])
    },
  )
})

describe('the tree', () => {
  const tree = async (query = '') => server.send('GET', files.replace('files', `tree${query}`))

  test('comes in pages, in code-point order', async () => {
    const names = ['a', 'b', 'Z', 'é', '\u{1f600}', '\uff5e', 'b0']
    for (const name of names) await put(`d/${encodeURIComponent(name)}`, name)
    const seen: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page = (await (await tree(`?path=d&limit=3&after=${encodeURIComponent(after)}`)).json()) as TreePage
      seen.push(...page.entries.map(({ name }) => name))
      after = page.next
    }
    expect(seen).toEqual(['Z', 'a', 'b', 'b0', 'é', '\uff5e', '\u{1f600}'])
  })

  test('has no folders of backups, nor are there files in them (settled detail 31)', async () => {
    await put('d/a.txt', 'one')
    const backup = { file_path: 'd/a.txt', backup_root: 'd/kept' }
    const made = await server.send('POST', files.replace('files', 'tools/backup_file'), { json: backup })
    const { result } = (await made.json()) as ToolAnswer
    const page = (await (await tree('?path=d')).json()) as TreePage
    expect(page.entries.map(({ path }) => path)).toEqual(['d/a.txt'])
    expect((await tree('?path=d/kept')).status).toBe(404)
    expect((await get(`d/kept/${result.backup_id}.data`)).status).toBe(404)
  })

  test('tells kind, size and hash; bad questions are refused', async () => {
    await put('d/a.txt', 'one')
    const root = (await (await tree()).json()) as TreePage
    expect(root.entries).toMatchObject([{ name: 'd', path: 'd', kind: 'directory' }])
    const page = (await (await tree('?path=/d')).json()) as TreePage
    expect(page.entries).toMatchObject([{ name: 'a.txt', path: 'd/a.txt', kind: 'file', size: 3, hash: hashOf('one') }])
    for (const [query, status] of [
      ['?path=..', 403],
      ['?path=x', 404],
      ['?path=d/a.txt', 409],
      ['?limit=0', 400],
      ['?limit=x', 400],
    ] as const) {
      expect((await tree(query)).status).toBe(status)
    }
  })
})
