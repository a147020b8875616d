/** Requests to a server: credentials, redirects, and answers that are not git's. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AskCredentials, CredentialRequest } from '../../../src/git/wire/credentials.ts'
import { parseRemote } from '../../../src/git/wire/credentials.ts'
import { createTransport, type WireOptions } from '../../../src/git/wire/transport.ts'
import { initRepository, type TempDir, tempDir } from '../real_git.ts'
import { type GitServer, serveGit } from './http_server.ts'

let folder: TempDir
let server: GitServer
let other: GitServer

beforeEach(async () => {
  folder = tempDir()
  initRepository(`${folder.dir}/sample`)
  server = await serveGit(folder.dir)
  other = await serveGit(folder.dir)
})
afterEach(async () => {
  await server.close()
  await other.close()
  folder.remove()
})

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const piece of body) text += new TextDecoder().decode(piece)
  return text
}

const advertised = async (options: WireOptions = {}, url = `${server.url}/sample`): Promise<string> =>
  textOf(await createTransport(url, options).advertised('git-upload-pack', 'version=2'))

describe('addresses', () => {
  test('what is secret in one is taken out, and used', () => {
    expect(parseRemote('https://ada:p%40ss@example.org/a/b.git/?x=1#y')).toEqual({
      url: 'https://example.org/a/b.git',
      credentials: { username: 'ada', password: 'p@ss' },
    })
  })

  test.each([
    ['git@example.org:a/b.git', 'unsupported'],
    ['ssh://git@example.org/a', 'unsupported'],
    ['/srv/git/a', 'unsupported'],
    ['file:///srv/git/a', 'unsupported'],
    ['nonsense', 'invalid_argument'],
  ])('%s', (text, code) => {
    expect(() => parseRemote(text)).toThrow(expect.objectContaining({ code }))
  })

  test('a password is in no message', () => {
    expect(() => parseRemote('ftp://ada:secret@example.org/')).toThrow(expect.not.stringContaining('secret'))
  })
})

describe('credentials', () => {
  test('are asked for when they are wanted, once', async () => {
    server.credentials = 'ada:word'
    const asked: CredentialRequest[] = []
    const transport = createTransport(`${server.url}/sample`, {
      credentials: (request) => {
        asked.push(request)
        return { username: 'ada', password: 'word' }
      },
    })
    expect(await textOf(await transport.advertised('git-upload-pack', 'version=2'))).toContain('version 2')
    await textOf(await transport.advertised('git-upload-pack', 'version=2'))
    expect(asked).toEqual([{ url: `${server.url}/sample`, realm: 'Test forge', attempt: 1 }])
    expect(server.seen).toHaveLength(3)
  })

  test('in the address are used without asking', async () => {
    server.credentials = 'ada:word'
    expect(await advertised({}, `${server.url.replace('//', '//ada:word@')}/sample`)).toContain('version 2')
    expect(server.seen).toHaveLength(1)
  })

  test('a token goes as a password', async () => {
    server.credentials = 'x-access-token:t0ken'
    expect(await advertised({ credentials: () => ({ token: 't0ken' }) })).toContain('version 2')
  })

  test('another answer is asked for when one is refused', async () => {
    server.credentials = 'ada:word'
    const asked: CredentialRequest[] = []
    const credentials: AskCredentials = (request) => {
      asked.push(request)
      return { username: 'ada', password: request.rejected ? 'word' : 'wrong' }
    }
    expect(await advertised({ credentials })).toContain('version 2')
    expect(asked.map(({ attempt, rejected }) => [attempt, rejected])).toEqual([
      [1, undefined],
      [2, true],
    ])
  })

  test.each<[string, AskCredentials | undefined, number]>([
    ['the same answer again', () => ({ username: 'ada', password: 'wrong' }), 2],
    ['always another wrong one', ({ attempt }) => ({ username: 'ada', password: `wrong${attempt}` }), 4],
    ['no answer', () => null, 1],
    ['nobody to ask', undefined, 1],
  ])('%s ends', async (_, credentials, requests) => {
    server.credentials = 'ada:word'
    await expect(advertised(credentials ? { credentials } : {})).rejects.toMatchObject({ code: 'permission_denied' })
    expect(server.seen).toHaveLength(requests)
  })

  test('a page for signing in, with 203, asks as well', async () => {
    server.instead = (request, response) => {
      if (request.headers.authorization) return false
      response.writeHead(203, { 'content-type': 'text/html' }).end('<form>')
      return true
    }
    expect(await advertised({ credentials: () => ({ token: 'x' }) })).toContain('version 2')
  })

  test('are not sent over http to another machine, unless that is allowed', async () => {
    const sent: (string | undefined)[] = []
    const fetch = async (_: string, init: RequestInit) => {
      const authorization = (init.headers as { [name: string]: string }).authorization
      sent.push(authorization)
      return authorization ? new Response('', { status: 404 }) : new Response('', { status: 401 })
    }
    const open = { fetch, credentials: () => ({ token: 'x' }) }
    await expect(advertised(open, 'http://git.example.org/a')).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(advertised({ fetch }, 'http://ada:word@git.example.org/a')).rejects.toMatchObject({ code: 'permission_denied' })
    expect(sent).toEqual([undefined])
    await expect(advertised({ ...open, allowInsecureCredentials: true }, 'http://git.example.org/a')).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(sent[2]).toMatch(/^Basic /)
  })
})

describe('redirects', () => {
  /** Sends every request elsewhere. */
  const leadTo = (from: GitServer, base: string): void => {
    from.instead = (request, response) => {
      response.writeHead(302, { location: `${base}${(request.url ?? '').replace('/old', '')}` }).end()
      return true
    }
  }

  test('the first request follows them, and the others use what it found', async () => {
    server.instead = (request, response) => {
      if (!request.url?.startsWith('/old')) return false
      response.writeHead(301, { location: (request.url ?? '').slice('/old'.length) }).end()
      return true
    }
    const transport = createTransport(`${server.url}/old/sample`, {})
    await textOf(await transport.advertised('git-upload-pack', 'version=2'))
    expect(transport.url()).toBe(`${server.url}/sample`)
    expect(transport.address).toBe(`${server.url}/old/sample`)
  })

  test('credentials stay with the server that they are for', async () => {
    leadTo(server, other.url)
    other.credentials = 'ada:word'
    const url = `${server.url.replace('//', '//ada:word@')}/sample`
    await expect(advertised({ credentials: () => ({ username: 'ada', password: 'word' }) }, url)).rejects.toMatchObject({
      code: 'permission_denied',
    })
    expect(server.seen[0]?.headers.authorization).toBeDefined()
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  test('in a circle they end', async () => {
    leadTo(server, other.url)
    leadTo(other, server.url)
    await expect(advertised()).rejects.toMatchObject({ code: 'loop' })
  })

  test('to what is no repository they are not followed', async () => {
    server.instead = (_, response) => Boolean(response.writeHead(302, { location: '/login' }).end())
    await expect(advertised()).rejects.toMatchObject({ code: 'not_found' })
    expect(server.seen).toHaveLength(1)
  })

  test('from https to http they are not followed', async () => {
    const fetch = async (url: string) => new Response(null, { status: 302, headers: { location: url.replace('https', 'http') } })
    await expect(advertised({ fetch }, 'https://git.example.org/a')).rejects.toMatchObject({ code: 'permission_denied' })
  })

  test('of a later request they are not followed', async () => {
    leadTo(server, other.url)
    const transport = createTransport(`${server.url}/sample`, {})
    await expect(transport.ask('git-upload-pack', new Uint8Array(0), 'version=2')).rejects.toMatchObject({ code: 'unsupported' })
    expect(other.seen).toEqual([])
  })
})

describe('answers that are not git', () => {
  test.each([
    [200, 'text/html', '<h1>Please sign in</h1>', 'not_found'],
    [200, 'text/plain', `${'0'.repeat(40)}\trefs/heads/main\n`, 'unsupported'],
    [403, 'text/plain', 'no', 'permission_denied'],
    [404, 'text/html', '', 'not_found'],
    [410, 'text/html', '', 'not_found'],
    [413, 'text/html', '', 'too_large'],
    [429, 'text/html', '', 'quota_exceeded'],
    [500, 'text/plain', 'broken', 'io_error'],
    [503, 'text/html', '', 'io_error'],
  ])('%i %s', async (status, type, body, code) => {
    server.instead = (_, response) => Boolean(response.writeHead(status, { 'content-type': type }).end(body))
    await expect(advertised()).rejects.toMatchObject({ code, details: { status } })
  })

  test('a server that is not there', async () => {
    await other.close()
    await expect(advertised({}, `${other.url}/sample`)).rejects.toMatchObject({ code: 'io_error' })
    other = await serveGit(folder.dir)
  })

  test('a silent server', async () => {
    server.instead = () => true
    await expect(advertised({ limits: { idleMs: 50 } })).rejects.toMatchObject({ code: 'timeout' })
  })

  test('a signal ends the wait', async () => {
    server.instead = () => true
    const stop = new AbortController()
    const waiting = advertised({ signal: stop.signal })
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' })
  })

  test('more than is taken', async () => {
    server.instead = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
      return Boolean(response.end('0'.repeat(100_000)))
    }
    await expect(advertised({ limits: { listBytes: 50_000 } })).rejects.toMatchObject({ code: 'too_large' })
  })
})
