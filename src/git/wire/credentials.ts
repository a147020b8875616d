/** Who asks: credentials from a callback, for one origin, held in memory while they are used. */
import { FilewrightError } from '../../core/errors.ts'

/** What a server wants credentials for. */
export interface CredentialRequest {
  /** The remote, without anything secret. */
  readonly url: string
  /** What the server calls itself, as far as it does. */
  readonly realm: string | null
  /** 1 at first. */
  readonly attempt: number
  /** True when what was answered before was refused. */
  readonly rejected?: boolean
}

/** A name with a password, or a token. */
export type Credentials = { readonly username: string; readonly password: string } | { readonly token: string }

/** Asked when a server wants credentials; null: there are none. What it answers is kept nowhere. */
export type AskCredentials = (request: CredentialRequest) => Credentials | null | Promise<Credentials | null>

/** Most questions for one server. */
const MOST_ATTEMPTS = 3

/** The credentials for one origin. */
export interface Authority {
  /** What to send, before it was asked for; null: nothing yet. */
  header(): string | null
  /** The server refused what was sent: asks for something else. Throws `permission_denied` when there is nothing else. */
  refused(realm: string | null): Promise<void>
}

/** A remote's address, and what was in front of its host. */
export interface RemoteAddress {
  /** `https://host/path`, without user, query, fragment and slashes at its end. */
  readonly url: string
  readonly credentials: Credentials | null
}

/** Reads an address as users write it. Throws `invalid_argument` for other than http and https, without repeating what is secret. */
export function parseRemote(text: string): RemoteAddress {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    const other = /^[^/:]+:|^\//.test(text) ? 'unsupported' : 'invalid_argument'
    throw new FilewrightError(other, 'Remotes are reached by an address of the form https://host/path, not by ssh or a path.', {
      field: 'url',
    })
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new FilewrightError('unsupported', `Remotes are reached by https, not by ${url.protocol.slice(0, 10)}`, { field: 'url' })
  }
  const { username, password } = url
  const credentials = username || password ? { username: unescaped(username), password: unescaped(password) } : null
  return { url: (url.origin + url.pathname).replace(/\/+$/, ''), credentials }
}

/** Asks for credentials for `url`; `given` are tried first. */
export function createAuthority(
  url: string,
  given: Credentials | null,
  ask: AskCredentials | undefined,
  allowInsecure: boolean,
): Authority {
  const refuseOpen = isOpen(url) && !allowInsecure
  let current = given === null ? null : basic(url, given)
  let attempt = 0
  if (current !== null && refuseOpen) throw insecure()
  return {
    header: () => current,
    async refused(realm) {
      const rejected = current !== null
      if (!ask || attempt === MOST_ATTEMPTS) throw wanted(url, rejected)
      if (refuseOpen) throw insecure()
      attempt++
      const answer = await ask({ url, realm, attempt, ...(rejected && { rejected }) })
      const next = answer && basic(url, answer)
      // The same again would be refused again.
      if (!next || next === current) throw wanted(url, rejected)
      current = next
    },
  }
}

/** What a challenge says of its realm. */
export function realmOf(challenge: string | null): string | null {
  return /realm="([^"]{0,200})"/i.exec(challenge ?? '')?.[1] ?? null
}

/** Whether a host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function basic(url: string, credentials: Credentials): string {
  const { username, password } = 'token' in credentials ? { username: tokenName(url), password: credentials.token } : credentials
  let latin = ''
  for (const byte of new TextEncoder().encode(`${username}:${password}`)) latin += String.fromCharCode(byte)
  return `Basic ${btoa(latin)}`
}

/** The name that goes with a token: most servers take any. */
function tokenName(url: string): string {
  return new URL(url).hostname === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token'
}

/** Whether others on the way could read along. */
function isOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function wanted(url: string, rejected: boolean): FilewrightError {
  const what = rejected ? 'refuses these credentials' : 'wants credentials'
  return new FilewrightError('permission_denied', `${url} ${what}: pass others by the credentials callback.`, { details: { url } })
}

function insecure(): FilewrightError {
  return new FilewrightError('permission_denied', 'Credentials are not sent over http, where others can read them: use https.')
}
