/** What a request must be before it is routed: for this host, from this origin, and plain. */
import { HttpError } from './problem.ts'

/** Whom the server answers. */
export interface GuardOptions {
  /** Host names with their ports, as a browser sends them: `127.0.0.1:8787`, `[::1]:8787`, `files.example.org`. */
  readonly hosts: readonly string[]
  /** Other pages that may call, as origins: `https://app.example.org`. Default: none but the server's own. */
  readonly origins?: readonly string[]
}

/**
 * Throws 403 for another host (a name that an attacker lets point here) or origin, 415 for a compressed body, 400 for a body
 * with two lengths. Nothing is answered before this.
 */
export function guardRequest(request: Request, options: GuardOptions): void {
  const { protocol } = new URL(request.url)
  const host = canonicalHost(request.headers.get('host'), protocol)
  const own = options.hosts.map((name) => canonicalHost(name, protocol))
  if (host === null || !own.includes(host)) throw new HttpError(403, 'permission_denied', 'This server does not answer for that host.')
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== `${protocol}//${host}` && !(options.origins ?? []).includes(origin)) {
    throw new HttpError(403, 'permission_denied', 'Pages of that origin may not call this server.')
  }
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new HttpError(415, 'unsupported', 'Compressed bodies are not taken: send the bytes as they are.')
  }
  if (request.headers.has('content-length') && request.headers.has('transfer-encoding')) {
    throw new HttpError(400, 'invalid_argument', 'A body has a length or comes in chunks, not both.')
  }
}

/**
 * A host as it stands in an origin: lower case, without the scheme's own port. Null when the text is anything but a host with
 * a port. Other spellings of an address (`127.1`, `0x7f000001`, a trailing dot) are other hosts.
 */
export function canonicalHost(text: string | null, protocol: string): string | null {
  if (text === null || !/^(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9._-]+)(:[0-9]{1,5})?$/.test(text)) return null
  let url: URL
  try {
    url = new URL(`${protocol}//${text}`)
  } catch {
    return null
  }
  const name = text.toLowerCase().replace(/:[0-9]+$/, '')
  return name === url.hostname ? url.host : null
}
