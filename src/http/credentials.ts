/** Who may call: a secret that the operator sets, one-time tokens for the address it prints, the session tokens they become, and agents' tokens. */
import { agentName, type Caller } from './callers.ts'
import { HttpError } from './problem.ts'

/** Fewest characters of the operator's secret. */
export const SECRET_LENGTH = 32

/** Parts an agent's name from what makes its token unique. */
const NAME_END = '~'

/** What credentials are made of. */
export interface CredentialOptions {
  /** The operator's secret. It is a bearer token itself, for programs. */
  readonly secret: string
  /** Notes for good that a one-time token was used; false when it was used before. */
  readonly claim: (id: string) => Promise<boolean>
}

/** Checks and makes tokens. */
export interface Credentials {
  /** Who sent the request. Throws 401 unless it carries the secret, a session token or an agent's. */
  require(request: Request): Promise<Caller>
  /** A session token for a one-time token. Throws 401 for anything else, and the second time. */
  exchange(oneTime: unknown): Promise<string>
  /** A token for an agent of a checked name. */
  makeAgent(name: string): Promise<string>
}

/**
 * Tokens are `kind.id.mac` with the HMAC-SHA-256 of `kind.id` under the secret, so that a new secret ends all of them and
 * nothing is stored but which one-time tokens were used. Throws when the secret is missing or short: there is no open server.
 */
export function createCredentials({ secret, claim }: CredentialOptions): Credentials {
  if (typeof secret !== 'string' || secret.length < SECRET_LENGTH) {
    throw new Error(`Filewright does not start without a secret of at least ${SECRET_LENGTH} characters.`)
  }

  async function callerOfToken(token: string): Promise<Caller | null> {
    if (await sameText(token, secret)) return { kind: 'operator' }
    const [kind, id] = token.split('.', 2)
    if ((kind !== 'session' && kind !== 'agent') || id === undefined) return null
    if (!(await sameText(token, await makeToken(secret, kind, id)))) return null
    if (kind === 'session') return { kind: 'person' }
    const name = id.slice(0, id.indexOf(NAME_END))
    return agentName.safeParse(name).success ? { kind, name } : null
  }

  return {
    async require(request) {
      const token = /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
      const caller = token === undefined ? null : await callerOfToken(token)
      if (caller) return caller
      throw unauthorized('Send a valid token as Authorization: Bearer.')
    },
    async exchange(oneTime) {
      const [kind, id] = typeof oneTime === 'string' ? oneTime.split('.', 2) : []
      const sound = kind === 'once' && id !== undefined && (await sameText(oneTime as string, await makeToken(secret, 'once', id)))
      if (!sound) throw unauthorized('That token is not valid. Open the address that the server printed when it started.')
      if (!(await claim(id))) throw unauthorized('That token was used already. Restart the server for a new address.')
      return makeToken(secret, 'session', randomId())
    },
    makeAgent: (name) => makeToken(secret, 'agent', `${name}${NAME_END}${randomId()}`),
  }
}

/** A one-time token for {@link Credentials.exchange}. */
export function makeOneTimeToken(secret: string): Promise<string> {
  return makeToken(secret, 'once', randomId())
}

async function makeToken(secret: string, kind: 'once' | 'session' | 'agent', id: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, encode(`${kind}.${id}`))
  return `${kind}.${id}.${toHex(new Uint8Array(mac))}`
}

function randomId(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)))
}

/** Compares in a time that tells nothing of either text: hashes of equal length, every byte of them. */
async function sameText(a: string, b: string): Promise<boolean> {
  const [x, y] = await Promise.all([digest(a), digest(b)])
  let difference = 0
  for (let i = 0; i < x.length; i++) difference |= (x[i] as number) ^ (y[i] as number)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encode(text)))
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function unauthorized(message: string): HttpError {
  return new HttpError(401, 'permission_denied', message, { 'www-authenticate': 'Bearer' })
}
