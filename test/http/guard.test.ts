/** What is refused before any route is looked at: hosts, origins, encodings, and requests without a token. */
import { describe, expect, test } from 'vitest'
import { createServer, HOST, SECRET } from './setup.ts'

/** Every route, with a method it has. */
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/v1/workspaces'],
  ['POST', '/v1/workspaces'],
  ['GET', '/v1/workspaces/ID'],
  ['PATCH', '/v1/workspaces/ID'],
  ['DELETE', '/v1/workspaces/ID'],
  ['GET', '/v1/workspaces/ID/info'],
  ['GET', '/v1/workspaces/ID/tree'],
  ['GET', '/v1/workspaces/ID/files/a.txt'],
  ['HEAD', '/v1/workspaces/ID/files/a.txt'],
  ['PUT', '/v1/workspaces/ID/files/a.txt'],
  ['DELETE', '/v1/workspaces/ID/files/a.txt'],
  ['POST', '/v1/workspaces/ID/tools/view_file'],
  ['POST', '/v1/workspaces/ID/import/missing'],
  ['POST', '/v1/workspaces/ID/import/content'],
  ['POST', '/v1/workspaces/ID/import'],
  ['GET', '/v1/workspaces/ID/changes'],
  ['GET', '/v1/workspaces/ID/changes/last'],
  ['POST', '/v1/workspaces/ID/changes/last/undo'],
  ['POST', '/v1/workspaces/ID/redo'],
  ['POST', '/v1/workspaces/ID/verify'],
  ['GET', '/v1/workspaces/ID/events'],
  ['GET', '/v1/nothing'],
  ['OPTIONS', '/v1/workspaces'],
  ['GET', '/v2/workspaces'],
]

const FOREIGN_HOSTS = [
  'evil.test',
  'evil.test:8787',
  'localhost:8787',
  'localhost.evil.test:8787',
  '127.0.0.1.nip.io:8787',
  '127.0.0.1',
  '127.0.0.1:8788',
  '127.0.0.1.:8787',
  '127.1:8787',
  '0x7f.0.0.1:8787',
  '2130706433:8787',
  '[::1]:8787',
  '[::ffff:127.0.0.1]:8787',
  'user@127.0.0.1:8787',
  '127.0.0.1:8787@evil.test',
  '127.0.0.1:8787/',
  '127.0.0.1:8787#evil.test',
  '127.0.0.1:8787, evil.test',
  '127.0.0.1:08787x',
  '',
]

const FOREIGN_ORIGINS = [
  'null',
  'http://evil.test',
  'https://evil.test:8787',
  'http://localhost:8787',
  'http://127.0.0.1',
  'http://127.0.0.1:8788',
  'https://127.0.0.1:8787',
  'http://127.0.0.1:8787.evil.test',
  'http://127.0.0.1:8787@evil.test',
  'http://evil.test/http://127.0.0.1:8787',
  'HTTP://127.0.0.1:8787',
  'http://127.0.0.1:8787/',
  'chrome-extension://abcdef',
  'file://',
]

describe('hosts', () => {
  test.each(FOREIGN_HOSTS)('%j is refused on every route, also with a valid token', async (host) => {
    const server = createServer()
    const id = await server.create()
    for (const [method, path] of ROUTES) {
      const answer = await server.send(method, path.replace('ID', id), { headers: { host } })
      expect([method, path, answer.status]).toEqual([method, path, 403])
    }
    expect(server.host.answered).toBe(0)
  })

  test('a missing host is refused', async () => {
    expect((await createServer().send('GET', '/v1/workspaces', { headers: { host: null } })).status).toBe(403)
  })

  test.each([
    ['localhost:8787', 'LOCALHOST:8787'],
    ['[::1]:8787', '[::1]:8787'],
    ['files.example.org', 'Files.Example.org'],
    ['files.example.org', 'files.example.org:80'],
  ])('with %s allowed, %s is answered', async (allowed, host) => {
    const server = createServer({ hosts: [allowed] })
    expect((await server.send('GET', '/v1/workspaces', { headers: { host } })).status).toBe(200)
  })
})

describe('origins', () => {
  test.each(FOREIGN_ORIGINS)('%j is refused on every route, whatever the content type', async (origin) => {
    const server = createServer()
    const id = await server.create()
    for (const [method, path] of ROUTES) {
      for (const type of ['application/json', 'text/plain', null]) {
        const answer = await server.send(method, path.replace('ID', id), { headers: { origin, 'content-type': type } })
        expect([method, path, answer.status]).toEqual([method, path, 403])
      }
    }
    expect(server.host.answered).toBe(0)
  })

  test('the own origin and allowed ones are answered, and never reflected for credentials', async () => {
    const server = createServer({ origins: ['https://app.example.org'] })
    for (const origin of [`http://${HOST}`, 'https://app.example.org']) {
      const answer = await server.send('GET', '/v1/workspaces', { headers: { origin } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

describe('tokens', () => {
  const tokens = [
    null,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${SECRET}`,
    SECRET,
    'Bearer wrong',
    `Bearer ${SECRET.slice(0, -1)}`,
    `Bearer ${SECRET}x`,
    `Bearer ${SECRET.toUpperCase()}`,
    'Bearer session.00.00',
    'Bearer session..',
    `Bearer once.00.${'0'.repeat(64)}`,
    'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.',
  ]

  test.each(tokens)('%j is 401 on every route', async (authorization) => {
    const server = createServer()
    const id = await server.create()
    for (const [method, path] of ROUTES) {
      const answer = await server.send(method, path.replace('ID', id), { headers: { authorization } })
      expect([method, path, answer.status]).toEqual([method, path, 401])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(server.host.answered).toBe(0)
  })

  test('a token in the address counts for nothing', async () => {
    const server = createServer()
    const answer = await server.send('GET', `/v1/workspaces?token=${SECRET}&access_token=${SECRET}`, { headers: { authorization: null } })
    expect(answer.status).toBe(401)
  })
})

test.each(['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd', 'x-unknown'])('a body in %s is refused unread', async (encoding) => {
  const server = createServer()
  const answer = await server.send('POST', '/v1/workspaces', { json: { name: 'a' }, headers: { 'content-encoding': encoding } })
  expect(answer.status).toBe(415)
  expect(server.host.opened.size).toBe(0)
})

test('a body with a length and chunks is refused', async () => {
  const headers = { 'content-length': '12', 'transfer-encoding': 'chunked' }
  expect((await createServer().send('POST', '/v1/workspaces', { json: { name: 'a' }, headers })).status).toBe(400)
})

describe('the page', () => {
  const page = async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })

  test('needs no token, and has a policy that lets nothing foreign run', async () => {
    const answer = await createServer({ page }).send('GET', '/', { headers: { authorization: null } })
    expect(answer.status).toBe(200)
    const policy = answer.headers.get('content-security-policy')
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "base-uri 'none'"]) {
      expect(policy).toContain(part)
    }
    expect(policy).not.toContain('unsafe-inline')
  })

  test.each(['evil.test', ''])('is not shown under the host %j', async (host) => {
    expect((await createServer({ page }).send('GET', '/', { headers: { host, authorization: null } })).status).toBe(403)
  })

  test.each(['/v1', '/v1/', '/v1/workspaces', '/v1/../v1/workspaces', '/./v1/workspaces'])('%s is never the page', async (path) => {
    expect((await createServer({ page }).send('GET', path, { headers: { authorization: null } })).status).toBe(401)
  })
})

test('there is no app without a secret', () => {
  for (const secret of ['', 'short', undefined as unknown as string]) expect(() => createServer({ secret })).toThrow(/secret/)
})
