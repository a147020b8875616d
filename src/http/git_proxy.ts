/**
 * The way of a page to git's servers, which do not answer pages of other origins: it forwards git's own requests, to hosts that the
 * operator allows, and nothing else.
 */
import { Hono } from 'hono'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import { type BodyLimits, readBody, readBytes } from './body.ts'
import { HttpError, problemResponse } from './problem.ts'

/** Where people's repositories usually are. */
export const GIT_HOSTS: readonly string[] = ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org']

/** Options of {@link createGitProxy}. */
export interface GitProxyOptions {
  /**
   * Hosts, with their port when it is not 443. Default: {@link GIT_HOSTS}, public servers at which a request with no more than git's own
   * headers can do no harm; anything inside a network must be named. Empty: nothing is forwarded.
   */
  readonly hosts?: readonly string[]
  /** Lets hosts that are this machine be named, which are asked by plain http. For tests. Default: never. */
  readonly allowLoopback?: boolean
  /** Most bytes of an answer; default 2 GiB. It breaks off there. */
  readonly answerBytes?: number
  /** Most bytes of a request, such as a push; default 256 MiB. */
  readonly requestBytes?: number
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

const PREFIX = '/v1/git-proxy/'
const SERVICE = /^git-(?:upload|receive)-pack$/
/** A request of up to so many bytes is sent with its length: not every server takes one in pieces. */
const SMALL_BYTES = 1024 * 1024
/** What is told of an answer that is not git's. */
const WORDS_BYTES = 4096
/** Longest time of one request. */
const TOTAL_MS = 15 * 60_000

/** What is asked of whom. */
interface Forwarded {
  readonly url: string
  readonly service: string
}

/**
 * `GET /v1/git-proxy/HOST/PATH/info/refs?service=git-upload-pack` (or `git-receive-pack`) and `POST /v1/git-proxy/HOST/PATH/git-upload-pack`
 * (or `git-receive-pack`). Of the request's headers, `Git-Protocol`, `Accept` and `Content-Type` go on, and `Git-Authorization` as
 * `Authorization`, since that one is for this server. Of the answer, the status, the type and the body come back; `Git-Remote-Status` marks
 * it as the remote's, and `Git-Remote-Authenticate` has its challenge. A redirect is not followed: it is `unsupported`, with
 * `details.location`. Another host is 403 `permission_denied`, another request 404 `not_found`.
 */
export function createGitProxy(options: GitProxyOptions): Hono {
  const { allowLoopback = false, answerBytes = 2 * 1024 ** 3, requestBytes = 256 * 1024 ** 2 } = options
  const hosts = new Set((options.hosts ?? GIT_HOSTS).map((host) => host.trim().toLowerCase()))
  const send = options.fetch ?? ((url, init) => fetch(url, init))
  const app = new Hono()
  app.onError((error) => problemResponse(error))

  app.on(['GET', 'POST'], `${PREFIX}*`, async ({ req }) => {
    const request = req.raw
    const { url, service } = forwarded(request, hosts, allowLoopback)
    const headers = forwardedHeaders(request, service)
    const body = request.method === 'POST' ? await requestBody(request, requestBytes) : undefined
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TOTAL_MS)])
    const init = { method: request.method, headers, redirect: 'manual', signal, ...(body && { body, duplex: 'half' }) } as RequestInit
    let answer: Response
    try {
      answer = await send(url, init)
    } catch (error) {
      if (isFilewrightError(error)) throw error
      throw new HttpError(502, 'io_error', `${new URL(url).host} cannot be reached.`)
    }
    return returned(answer, url, answerBytes)
  })
  return app
}

/** What a request asks for. Throws unless it is one of git's, to an allowed host. */
function forwarded(request: Request, hosts: ReadonlySet<string>, allowLoopback: boolean): Forwarded {
  const { pathname, search } = new URL(request.url)
  const [, host = '', path = ''] = /^([^/]*)(\/.*)?$/.exec(pathname.slice(PREFIX.length)) ?? []
  const service = request.method === 'GET' ? /^\?service=([a-z-]+)$/.exec(search)?.[1] : /\/([a-z-]+)$/.exec(path)?.[1]
  const tail = request.method === 'GET' ? '/info/refs' : `/${service}`
  if (
    !service ||
    !SERVICE.test(service) ||
    !path.endsWith(tail) ||
    path.length === tail.length ||
    (request.method === 'POST' && search !== '')
  ) {
    throw new HttpError(404, 'not_found', "Only git's own requests are forwarded.")
  }
  const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
  const scheme = loopback && allowLoopback ? 'http' : 'https'
  // Listed hosts are names: an address says nothing of whom it belongs to, and leads into networks.
  const address = /^\[|^[\d.]+(:\d+)?$|(^|\.)localhost(:\d+)?$/.test(host)
  if (!hosts.has(host) || (address && !(loopback && allowLoopback))) {
    throw new HttpError(403, 'permission_denied', 'Requests to that host are not forwarded: the operator has to allow it.')
  }
  const url = `${scheme}://${host}${path}${search}`
  if (!URL.canParse(url) || new URL(url).host !== host) throw new HttpError(404, 'not_found', 'That is no address of a repository.')
  return { url, service }
}

function forwardedHeaders(request: Request, service: string): Headers {
  // Some servers tell git from browsers by this name.
  const headers = new Headers({ 'user-agent': 'git/filewright' })
  for (const name of ['git-protocol', 'accept', 'content-type']) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  if (request.method === 'POST' && headers.get('content-type') !== `application/x-${service}-request`) {
    throw new HttpError(415, 'invalid_argument', `Send the body as application/x-${service}-request.`)
  }
  const authorization = request.headers.get('git-authorization')
  if (authorization !== null) headers.set('authorization', authorization)
  return headers
}

async function requestBody(request: Request, bytes: number): Promise<BodyInit> {
  const limits: BodyLimits = { bytes, totalMs: TOTAL_MS }
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length > bytes) throw new FilewrightError('too_large', `The request is larger than the ${bytes} bytes that are forwarded.`)
  if (length <= SMALL_BYTES) return (await readBytes(request, limits)) as Uint8Array<ArrayBuffer>
  return streamOf(readBody(request, limits))
}

/** The remote's answer, with nothing in it but git's. */
function returned(answer: Response, url: string, bytes: number): Response {
  const { status } = answer
  const location = status >= 300 && status < 400 ? answer.headers.get('location') : null
  if (location !== null) {
    answer.body?.cancel().catch(() => {})
    const target = URL.canParse(location, url) ? new URL(location, url).href : ''
    throw new FilewrightError('unsupported', 'The remote leads to another address: ask for that one.', { details: { location: target } })
  }
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const isGit = /^application\/x-git-(upload|receive)-pack-(advertisement|result)$/.test(type)
  const headers = new Headers({ 'content-type': isGit || type === 'text/html' ? type : 'text/plain', 'git-remote-status': String(status) })
  const challenge = answer.headers.get('www-authenticate')
  if (challenge !== null) headers.set('git-remote-authenticate', challenge.slice(0, 500))
  // A page of somebody else is not shown under our own name.
  const shown = (isGit || type === 'text/plain') && answer.body !== null
  if (!shown) answer.body?.cancel().catch(() => {})
  const body = shown && answer.body ? streamOf(counted(answer.body, isGit ? bytes : WORDS_BYTES)) : null
  return new Response(body, { status: status >= 200 && status < 600 && status !== 204 && status !== 304 ? status : 502, headers })
}

async function* counted(body: ReadableStream<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const piece of body) {
    seen += piece.length
    if (seen > bytes) throw new FilewrightError('too_large', `The remote sends more than the ${bytes} bytes that are forwarded.`)
    yield piece
  }
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
