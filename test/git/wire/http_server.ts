/** The real `git http-backend` on loopback, which can be made to want credentials, to lead elsewhere, to be slow, and to break off. */
import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GIT_ENVIRONMENT } from '../real_git.ts'

/** One request that came. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** Of the answer, so far. */
  sent: number
  /** Of the request's body, so far. */
  received: number
}

/** How the server behaves; may be changed at any time. */
export interface Behaviour {
  /** Name and password that are wanted; null: everybody may. */
  credentials: string | null
  /** Answers instead of git; false: git answers. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Changes what git answers. */
  through: ((request: IncomingMessage, body: Buffer) => Buffer) | null
  /** Breaks the connection after so many bytes of a POST's answer. */
  cutAfter: number | null
  /** Sends an answer byte by byte, so slowly that it never ends. */
  trickle: boolean
  /** Takes the version header away, as an old server does not know it. */
  oldProtocol: boolean
}

const USUAL: Behaviour = {
  credentials: null,
  instead: () => false,
  through: null,
  cutAfter: null,
  trickle: false,
  oldProtocol: false,
}

/** A server of the repositories below a folder. */
export interface GitServer extends Behaviour {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly seen: Seen[]
  /** Bytes that were sent since the last call. */
  sent(): number
  /** Behaves as at first, and forgets what it saw. */
  reset(): void
  close(): Promise<void>
}

/** Serves every repository below `root`, for reading and writing. */
export async function serveGit(root: string): Promise<GitServer> {
  const seen: Seen[] = []
  const behaviour: Behaviour = { ...USUAL }
  const server = createServer((request, response) => {
    const entry: Seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, sent: 0, received: 0 }
    seen.push(entry)
    request.on('data', (piece: Buffer) => {
      entry.received += piece.length
    })
    const { credentials } = behaviour
    if (credentials !== null && request.headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`) {
      request.resume()
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Test forge"', 'content-type': 'text/plain' }).end('Who are you?')
      return
    }
    if (!behaviour.instead(request, response)) answer(root, behaviour, request, response, entry)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return Object.assign(behaviour, {
    url: `http://127.0.0.1:${port}`,
    seen,
    sent() {
      return seen.splice(0).reduce((sum, { sent }) => sum + sent, 0)
    },
    reset() {
      Object.assign(behaviour, USUAL)
      seen.splice(0)
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  })
}

/** Runs `git http-backend` for one request, as a web server does. */
function answer(root: string, behaviour: Behaviour, request: IncomingMessage, response: ServerResponse, entry: Seen): void {
  const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
  const { headers } = request
  const child = spawn('git', ['http-backend'], {
    env: {
      ...GIT_ENVIRONMENT,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      REMOTE_USER: 'tester',
      REMOTE_ADDR: '127.0.0.1',
      ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
      ...(headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(headers['git-protocol'] === undefined || behaviour.oldProtocol ? {} : { GIT_PROTOCOL: headers['git-protocol'] as string }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => {})
  response.on('close', () => child.kill())
  let head: Buffer | null = Buffer.alloc(0)
  const held: Buffer[] = []

  function send(piece: Buffer): void {
    const left = behaviour.cutAfter === null || request.method !== 'POST' ? piece.length : Math.max(0, behaviour.cutAfter - entry.sent)
    entry.sent += Math.min(left, piece.length)
    if (left < piece.length) {
      response.write(piece.subarray(0, left), () => response.destroy())
      child.kill()
    } else if (behaviour.trickle && request.method === 'POST') {
      trickle(response, piece)
      child.stdout.pause()
    } else if (!response.write(piece)) {
      child.stdout.pause()
      response.once('drain', () => child.stdout.resume())
    }
  }

  child.stdout.on('data', (piece: Buffer) => {
    if (head === null) return behaviour.through ? void held.push(piece) : send(piece)
    head = Buffer.concat([head, piece])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const lines = head.subarray(0, end).toString().split('\r\n')
    const rest = head.subarray(end + 4)
    head = null
    let status = 200
    const answered: [string, string][] = []
    for (const line of lines) {
      const [name, value = ''] = line.split(/: (.*)/s) as [string, string?]
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10)
      else answered.push([name, value])
    }
    response.writeHead(status, Object.fromEntries(answered))
    if (behaviour.through) held.push(rest)
    else if (rest.length > 0) send(rest)
  })
  child.stdout.on('end', () => {
    if (behaviour.through) {
      const changed = behaviour.through(request, Buffer.concat(held))
      entry.sent += changed.length
      response.write(changed)
    }
    if (!behaviour.trickle) response.end()
  })
}

function trickle(response: ServerResponse, piece: Buffer): void {
  let at = 0
  const timer = setInterval(() => {
    if (response.destroyed || at >= piece.length) clearInterval(timer)
    else response.write(piece.subarray(at, ++at))
  }, 20)
}
