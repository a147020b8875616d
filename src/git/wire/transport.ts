/** Git's requests over HTTP: two addresses of a remote, credentials when it wants them, and nothing to anybody else. */
import { ERRORS, type ErrorCode, FilewrightError } from '../../core/errors.ts'
import { inTime, readAnswer } from './body.ts'
import { type AskCredentials, createAuthority, parseRemote, realmOf } from './credentials.ts'
import { WIRE_LIMITS, type WireLimits } from './limits.ts'
import { shown } from './pkt_line.ts'

/** What every operation with a remote takes. */
export interface WireOptions {
  /** Default: the platform's. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Sends the requests through Filewright's git proxy, for browsers: `{ url: 'https://files.example.org/v1/git-proxy', headers }`. */
  readonly proxy?: GitProxy
  /** Asked when the server wants credentials. */
  readonly credentials?: AskCredentials
  /** Sends credentials over plain http to other machines as well. Default: only to this one. */
  readonly allowInsecureCredentials?: boolean
  readonly limits?: Partial<WireLimits>
  readonly signal?: AbortSignal
}

/** Where the git proxy is. */
export interface GitProxy {
  readonly url: string
  /** For the proxy itself, such as its `authorization`. */
  readonly headers?: { readonly [name: string]: string }
}

/** Git's two services. */
export type Service = 'git-upload-pack' | 'git-receive-pack'

/** One remote's connection. */
export interface Transport {
  /** The remote, as it was called, without anything secret. */
  readonly address: string
  /** The address that is used: after redirects of the first request. */
  url(): string
  readonly limits: WireLimits
  readonly signal: AbortSignal | undefined
  /** What the service offers; `protocol` is sent as `Git-Protocol`. */
  advertised(service: Service, protocol?: string): Promise<AsyncIterable<Uint8Array>>
  /** One request. A body that is no byte string is sent piece by piece where the platform can; it is begun again when credentials were refused. */
  ask(service: Service, body: Uint8Array | AsyncIterable<Uint8Array>, protocol?: string): Promise<AsyncIterable<Uint8Array>>
}

const MOST_REDIRECTS = 5
/** How a proxy marks what the remote itself answered, and how it is told the remote's credentials. */
const [REMOTE_STATUS, REMOTE_CHALLENGE, REMOTE_AUTHORIZATION] = ['git-remote-status', 'git-remote-authenticate', 'git-authorization']

/** What came back: of the remote, also when a proxy is between. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly challenge: string | null
  readonly location: string | null
  readonly body: ReadableStream<Uint8Array> | null
}

/** A connection to `address`. Throws `invalid_argument` or `unsupported` for what is no remote over HTTP. */
export function createTransport(address: string, options: WireOptions): Transport {
  const { url, credentials } = parseRemote(address)
  const { signal, proxy } = options
  const limits: WireLimits = { ...WIRE_LIMITS, ...options.limits }
  const send = options.fetch ?? ((target, init) => globalThis.fetch(target, init))
  const authority = createAuthority(url, credentials, options.credentials, options.allowInsecureCredentials ?? false)
  const origin = new URL(url).origin
  let base = url

  /** A connection that was kept may be gone by now: what only reads is asked once more. */
  function attempted(address: string, request: RequestInit, writes: boolean): Promise<Response> {
    const first = send(address, request)
    return writes || request.body instanceof ReadableStream
      ? first
      : first.catch((error) => (signal?.aborted ? Promise.reject(error) : send(address, request)))
  }

  /** One request, whatever the answer is. */
  async function once(target: string, init: RequestInit, headers: { readonly [name: string]: string }): Promise<Answer> {
    // What a redirect leads to gets no credentials.
    const authorization = new URL(target).origin === origin ? authority.header() : null
    const all = { ...headers, ...proxy?.headers, ...(authorization && { [proxy ? REMOTE_AUTHORIZATION : 'authorization']: authorization }) }
    const stop = new AbortController()
    const signals = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])
    const request = {
      ...init,
      ...(init.body instanceof ReadableStream ? sentOnce() : { redirect: 'manual' as const }),
      headers: all,
      cache: 'no-store' as const,
      signal: signals,
    }
    const address = proxy ? proxied(proxy, target) : target
    const isWriting = init.method === 'POST' && target.endsWith('git-receive-pack')
    // While we send, the server may well be silent.
    const response = await inTime(attempted(address, request, isWriting), isWriting ? null : limits.idleMs, signal).catch(
      (error: unknown) => {
        stop.abort()
        throw error
      },
    )
    return proxy ? fromProxy(response) : fromRemote(response)
  }

  /** As `once`; asks for credentials until the server takes them. */
  async function authorized(
    target: string,
    init: () => RequestInit | Promise<RequestInit>,
    headers: { readonly [name: string]: string },
  ): Promise<Answer> {
    for (;;) {
      const answer = await once(target, await init(), headers)
      // Some servers answer a page for signing in, with 203.
      if (answer.status !== 401 && answer.status !== 203) return answer
      discard(answer)
      if (new URL(target).origin !== origin)
        throw new FilewrightError('permission_denied', `${url} leads to ${base}, which wants credentials: use that address itself.`)
      await authority.refused(realmOf(answer.challenge))
    }
  }

  function body({ body: stream }: Answer, bytes: number): AsyncIterable<Uint8Array> {
    return readAnswer(stream, { bytes, idleMs: limits.idleMs, signal })
  }

  return {
    address: url,
    url: () => base,
    limits,
    signal,
    async advertised(service, protocol) {
      const suffix = `/info/refs?service=${service}`
      for (let hops = 0; ; hops++) {
        const answer = await authorized(base + suffix, () => ({ method: 'GET' }), headersOf({ protocol }))
        if (answer.location !== null) {
          discard(answer)
          if (hops === MOST_REDIRECTS) throw new FilewrightError('loop', `${url} leads from one address to another without end.`)
          base = redirected(base, answer.location, suffix)
          continue
        }
        if (isSound(answer, `application/x-${service}-advertisement`)) return body(answer, limits.listBytes)
        throw await failure(answer, base, body(answer, 4096))
      }
    },
    async ask(service, content, protocol) {
      const headers = headersOf({ protocol, accept: `application/x-${service}-result`, type: `application/x-${service}-request` })
      const answer = await authorized(`${base}/${service}`, async () => ({ method: 'POST', ...(await requestBody(content)) }), headers)
      if (isSound(answer, `application/x-${service}-result`)) return body(answer, limits.bytes)
      throw await failure(answer, base, body(answer, 4096))
    },
  }
}

function headersOf({
  protocol,
  accept = '*/*',
  type,
}: {
  readonly protocol: string | undefined
  readonly accept?: string
  readonly type?: string
}): {
  readonly [name: string]: string
} {
  return { accept, ...(protocol !== undefined && { 'git-protocol': protocol }), ...(type !== undefined && { 'content-type': type }) }
}

async function requestBody(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<RequestInit> {
  if (content instanceof Uint8Array) return { body: content as Uint8Array<ArrayBuffer> }
  // Browsers send pieces over HTTP/2 only, if at all.
  if ('document' in globalThis || 'importScripts' in globalThis) {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for await (const piece of content) pieces.push(piece as Uint8Array<ArrayBuffer>)
    return { body: new Blob(pieces) }
  }
  const iterator = content[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return { body: stream, duplex: 'half' } as RequestInit
}

/** Says that a body need not be kept, for being sent again after a redirect. Not every platform knows of this. */
function sentOnce(): RequestInit {
  const once = { redirect: 'error', window: null } as const
  try {
    new Request('https://localhost/', once)
    return once
  } catch {
    return { redirect: 'manual' }
  }
}

function isSound({ status, type }: Answer, wanted: string): boolean {
  return status === 200 && type.split(';')[0]?.trim().toLowerCase() === wanted
}

/** The remote that a redirect leads to. Throws `permission_denied` for one that leaves https. */
function redirected(base: string, location: string, suffix: string): string {
  const target = URL.canParse(location, base + suffix) ? new URL(location, base + suffix) : null
  if (!target || !/^https?:$/.test(target.protocol) || !target.href.endsWith(suffix)) {
    throw new FilewrightError('not_found', `${base} leads to ${shown(location)}, which is no git repository: use the right address.`)
  }
  if (base.startsWith('https:') && target.protocol === 'http:') {
    throw new FilewrightError('permission_denied', `${base} leads from https to http: that is not followed.`)
  }
  return parseRemote(target.href.slice(0, -suffix.length)).url
}

const STATUSES: { readonly [status: number]: readonly [ErrorCode, string] } = {
  403: ['permission_denied', 'does not allow this'],
  404: ['not_found', 'has no repository there, or hides it without credentials'],
  410: ['not_found', 'has no repository there any more'],
  413: ['too_large', 'does not take so much at once'],
  429: ['quota_exceeded', 'wants fewer requests: try later'],
}

/** The error for an answer that is not git's. */
async function failure({ status, type, location }: Answer, url: string, body: AsyncIterable<Uint8Array>): Promise<FilewrightError> {
  if (location !== null)
    return new FilewrightError('unsupported', `${url} leads elsewhere in the middle: use the address ${shown(location)}.`)
  const words = /^text\/plain\b/i.test(type) ? shown(await firstText(body)) : ''
  const details = { status, ...(words && { remote: words }) }
  const said = words ? ` It says: ${words}` : ''
  if (status === 200 && /^text\/plain\b/i.test(type)) {
    return new FilewrightError(
      'unsupported',
      `${url} offers files without git's own service (the dumb protocol), which is not spoken here.`,
      { details },
    )
  }
  if (status === 200) {
    const what = /html/i.test(type) ? 'a web page: check the address, and whether it wants a sign-in' : 'something else than git'
    return new FilewrightError('not_found', `${url} answered with ${what}.`, { details })
  }
  const [code, why] = STATUSES[status] ?? ['io_error', 'failed']
  return new FilewrightError(code, `The server of ${url} ${why} (HTTP ${status}).${said}`, { details })
}

async function firstText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const words = new TextDecoder()
  let text = ''
  try {
    for await (const piece of body) {
      text += words.decode(piece, { stream: true })
      if (text.length > 500) break
    }
  } catch {
    // What it said is worth less than why it failed.
  }
  return text
}

function fromRemote(response: Response): Answer {
  const type: string = response.type
  if (type === 'opaqueredirect') {
    throw new FilewrightError(
      'unsupported',
      'The address leads to another one, which a browser does not tell: use the right address, or the git proxy.',
    )
  }
  const { status, headers, body } = response
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  return { status, type: headers.get('content-type') ?? '', challenge: headers.get('www-authenticate'), location, body }
}

/** What the remote answered, as the proxy tells it; what the proxy itself refuses is thrown. */
async function fromProxy(response: Response): Promise<Answer> {
  const { headers, body } = response
  const status = headers.get(REMOTE_STATUS)
  if (status !== null) {
    return {
      status: Number(status),
      type: headers.get('content-type') ?? '',
      challenge: headers.get(REMOTE_CHALLENGE),
      location: null,
      body,
    }
  }
  const problem = ((await response.json().catch(() => null)) ?? {}) as { code?: string; detail?: string; details?: { location?: unknown } }
  if (typeof problem.details?.location === 'string') {
    return { status: 302, type: '', challenge: null, location: problem.details.location, body: null }
  }
  const code = problem.code !== undefined && Object.hasOwn(ERRORS, problem.code) ? (problem.code as ErrorCode) : 'io_error'
  throw new FilewrightError(code, `The git proxy: ${problem.detail ?? `HTTP ${response.status}`}`)
}

function proxied(proxy: GitProxy, target: string): string {
  const { host, pathname, search } = new URL(target)
  return `${proxy.url.replace(/\/+$/, '')}/${host}${pathname}${search}`
}

function discard({ body }: Answer): void {
  body?.cancel().catch(() => {})
}
