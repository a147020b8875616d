/** What the git proxy lets through and what not; runs where the proxy runs. */
import { describe, expect, test } from 'vitest'
import { createGitProxy, type GitProxyOptions } from '../../src/http/git_proxy.ts'
import type { Problem } from '../../src/http/routes.ts'

const BASE = 'http://127.0.0.1:8787/v1/git-proxy'
const REFS = '/info/refs?service=git-upload-pack'
const ADVERTISEMENT = 'application/x-git-upload-pack-advertisement'

/** What reached the remote. */
interface Reached {
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

/** A proxy whose remote answers what it is told. */
function proxyTo(answer: () => Response, options: GitProxyOptions = {}) {
  const reached: Reached[] = []
  const app = createGitProxy({
    ...options,
    fetch: async (url, init) => {
      expect(init.redirect).toBe('manual')
      const body = init.body ? await new Response(init.body).text() : ''
      reached.push({ url, headers: new Headers(init.headers), body })
      return answer()
    },
  })
  const ask = async (method: string, path: string, init: RequestInit = {}) => app.fetch(new Request(BASE + path, { method, ...init }))
  return { reached, ask }
}

const advertised = () => new Response('001e# service=git-upload-pack\n', { headers: { 'content-type': ADVERTISEMENT } })
const codeOf = async (response: Response) => ((await response.json()) as Problem).code

export function gitProxySuite(): void {
  describe('git proxy', () => {
    test('the advertisement comes back with nothing of the remote but its type and body', async () => {
      const cookies = { 'content-type': ADVERTISEMENT, 'set-cookie': 'a=b', 'x-other': '1', 'access-control-allow-origin': '*' }
      const { ask, reached } = proxyTo(() => new Response('0000', { headers: cookies }))
      const headers = {
        'git-protocol': 'version=2',
        cookie: 'session=1',
        authorization: 'Bearer ours',
        'x-forwarded-for': '10.0.0.1',
        accept: '*/*',
      }
      const answer = await ask('GET', `/github.com/a/b.git${REFS}`, { headers: { ...headers, 'git-authorization': 'Basic dGhlaXJz' } })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe('0000')
      expect([...answer.headers.keys()].sort()).toEqual(['content-type', 'git-remote-status'])
      expect(reached.map(({ url }) => url)).toEqual([`https://github.com/a/b.git${REFS}`])
      const sent = Object.fromEntries(reached[0]?.headers ?? [])
      expect(sent).toEqual({ 'git-protocol': 'version=2', accept: '*/*', authorization: 'Basic dGhlaXJz', 'user-agent': 'git/filewright' })
    })

    test('a request to a service goes on with its body', async () => {
      const { ask, reached } = proxyTo(() => new Response('pack', { headers: { 'content-type': 'application/x-git-upload-pack-result' } }))
      const headers = { 'content-type': 'application/x-git-upload-pack-request' }
      const answer = await ask('POST', '/gitlab.com/group/sub/b/git-upload-pack', { headers, body: '0011command=fetch0000' })
      expect([answer.status, await answer.text()]).toEqual([200, 'pack'])
      expect(reached[0]).toMatchObject({ url: 'https://gitlab.com/group/sub/b/git-upload-pack', body: '0011command=fetch0000' })
    })

    test.each([
      ['another host', 'GET', `/example.com/a${REFS}`, 403],
      ['a port that is not listed', 'GET', `/github.com:22/a${REFS}`, 403],
      ['this machine', 'GET', `/127.0.0.1/a${REFS}`, 403],
      ['this machine by name', 'GET', `/localhost:8080/a${REFS}`, 403],
      ['a private address', 'GET', `/10.0.0.8/a${REFS}`, 403],
      ['the address of a cloud', 'GET', `/169.254.169.254/latest${REFS}`, 403],
      ['an address of version 6', 'GET', `/[fd00::1]/a${REFS}`, 403],
      ['a user in front of the host', 'GET', `/github.com@127.0.0.1/a${REFS}`, 403],
      ['an encoded host', 'GET', `/github%2ecom/a${REFS}`, 403],
      ['no repository', 'GET', `/github.com${REFS}`, 404],
      ['a page', 'GET', '/github.com/a/b', 404],
      ['another service', 'GET', '/github.com/a/info/refs?service=git-upload-archive', 404],
      ['more parameters', 'GET', `/github.com/a${REFS}&x=1`, 404],
      ['a file', 'GET', '/github.com/a/objects/info/packs', 404],
      ['a form', 'POST', '/github.com/session', 404],
      ['parameters of a POST', 'POST', '/github.com/a/git-upload-pack?x=1', 404],
    ])('%s is refused', async (_, method, path, status) => {
      const { ask, reached } = proxyTo(advertised)
      expect((await ask(method, path)).status).toBe(status)
      expect(reached).toEqual([])
    })

    test('an address stays refused when it is listed, unless it is this machine and that is allowed', async () => {
      const hosts = ['10.0.0.8', '127.0.0.1:3000', 'git.example.org:8443']
      const strict = proxyTo(advertised, { hosts })
      expect((await strict.ask('GET', `/10.0.0.8/a${REFS}`)).status).toBe(403)
      expect((await strict.ask('GET', `/127.0.0.1:3000/a${REFS}`)).status).toBe(403)
      expect((await strict.ask('GET', `/git.example.org:8443/a${REFS}`)).status).toBe(200)
      const open = proxyTo(advertised, { hosts, allowLoopback: true })
      expect((await open.ask('GET', `/10.0.0.8/a${REFS}`)).status).toBe(403)
      expect((await open.ask('GET', `/127.0.0.1:3000/a${REFS}`)).status).toBe(200)
      expect(open.reached.map(({ url }) => url)).toEqual([`http://127.0.0.1:3000/a${REFS}`])
    })

    test('no hosts: nothing is forwarded', async () => {
      expect((await proxyTo(advertised, { hosts: [] }).ask('GET', `/github.com/a${REFS}`)).status).toBe(403)
    })

    test('a body of another type is refused', async () => {
      const { ask } = proxyTo(advertised)
      const answer = await ask('POST', '/github.com/a/git-receive-pack', { headers: { 'content-type': 'text/plain' }, body: 'x' })
      expect([answer.status, await codeOf(answer)]).toEqual([415, 'invalid_argument'])
    })

    test('a redirect is told, not followed', async () => {
      const { ask, reached } = proxyTo(() => new Response(null, { status: 301, headers: { location: `/new/b${REFS}` } }))
      const problem = (await (await ask('GET', `/github.com/a/b${REFS}`)).json()) as Problem
      expect(problem).toMatchObject({ code: 'unsupported', details: { location: `https://github.com/new/b${REFS}` } })
      expect(reached).toHaveLength(1)
    })

    test('a challenge comes back under another name, so that no browser asks', async () => {
      const { ask } = proxyTo(() => new Response('who?', { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }))
      const answer = await ask('GET', `/github.com/a/b${REFS}`)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBeNull()
      expect(answer.headers.get('git-remote-authenticate')).toBe('Basic realm="x"')
      expect(answer.headers.get('git-remote-status')).toBe('401')
    })

    test('a page of the remote is not passed on', async () => {
      const { ask } = proxyTo(() => new Response('<script>alert(1)</script>', { headers: { 'content-type': 'text/html; charset=utf-8' } }))
      expect(await (await ask('GET', `/github.com/a/b${REFS}`)).text()).toBe('')
    })

    test('bytes are bounded both ways', async () => {
      const long = () => new Response('x'.repeat(5000), { headers: { 'content-type': ADVERTISEMENT } })
      const { ask } = proxyTo(long, { answerBytes: 1000, requestBytes: 1000 })
      await expect((await ask('GET', `/github.com/a/b${REFS}`)).text()).rejects.toThrow()
      const headers = { 'content-type': 'application/x-git-receive-pack-request', 'content-length': '5000' }
      const answer = await ask('POST', '/github.com/a/b/git-receive-pack', { headers, body: 'x'.repeat(5000) })
      expect([answer.status, await codeOf(answer)]).toEqual([413, 'too_large'])
    })

    test('an answer comes piece by piece', async () => {
      let more: ReadableStreamDefaultController<Uint8Array> | undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          more = controller
        },
      })
      const { ask } = proxyTo(() => new Response(body, { headers: { 'content-type': ADVERTISEMENT } }))
      const reader = ((await ask('GET', `/github.com/a/b${REFS}`)).body as ReadableStream<Uint8Array>).getReader()
      more?.enqueue(new Uint8Array([1]))
      expect((await reader.read()).value).toEqual(new Uint8Array([1]))
      more?.enqueue(new Uint8Array([2]))
      more?.close()
      expect((await reader.read()).value).toEqual(new Uint8Array([2]))
      expect((await reader.read()).done).toBe(true)
    })

    test('a remote that cannot be reached is 502', async () => {
      const { ask } = proxyTo(() => {
        throw new TypeError('fetch failed')
      })
      expect((await ask('GET', `/github.com/a/b${REFS}`)).status).toBe(502)
    })
  })
}
