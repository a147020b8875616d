/** Reading request bodies: counted as they come, within a time, whatever their headers claim. */
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import { parseJson } from './json.ts'
import { HttpError } from './problem.ts'

/** Bounds of one body. */
export interface BodyLimits {
  /** Most bytes. */
  readonly bytes: number
  /** Longest wait for the next piece, in milliseconds; default 15 s. */
  readonly idleMs?: number
  /** Longest time for the whole, in milliseconds; default 30 s. */
  readonly totalMs?: number
}

const IDLE_MS = 15_000
const TOTAL_MS = 30_000
/** How much of a body that is too large is still read, and dropped: an end in the middle costs proxies their connection. */
const DROPPED_BYTES = 8 * 1024 * 1024

/**
 * The pieces of a body. Throws `too_large` once there are more bytes than allowed, `timeout` (408) when they come too slowly,
 * `canceled` when they break off.
 */
export async function* readBody(request: Request, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const { bytes, idleMs = IDLE_MS, totalMs = TOTAL_MS } = limits
  const claimed = Number(request.headers.get('content-length') ?? 0)
  if (!request.body || claimed > bytes + DROPPED_BYTES) {
    if (claimed > bytes) throw tooLarge(bytes)
    return
  }
  const reader = request.body.getReader()
  const end = Date.now() + totalMs
  let done = false
  try {
    for (let seen = 0; ; ) {
      const piece = await within(reader.read().catch(brokenOff), Math.min(idleMs, end - Date.now()))
      done = piece.done
      seen += piece.value?.length ?? 0
      // A claim is not trusted, but a body that says itself that it is too large is taken at its word.
      const excess = Math.max(seen, claimed) > bytes
      if (excess && (done || seen > bytes + DROPPED_BYTES)) throw tooLarge(bytes)
      if (piece.done) return
      if (!excess) yield piece.value
    }
  } finally {
    if (!done) reader.cancel().catch(() => {})
  }
}

/** Reads a body that nobody wants, up to 8 MiB, and gives up the rest. Never throws. */
export async function dropBody(request: Request): Promise<void> {
  try {
    for await (const _ of readBody(request, { bytes: 0 })) break
  } catch {
    // Whatever is wrong with it no longer counts.
  }
}

/** The whole body. Throws what {@link readBody} throws. */
export async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of readBody(request, limits)) pieces.push(piece)
  return concatBytes(pieces)
}

/** The body as a JSON object. Throws `invalid_argument` for anything else, and what {@link readBytes} and `parseJson` throw. */
export async function readJson(request: Request, limits: BodyLimits): Promise<{ readonly [key: string]: unknown }> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new HttpError(415, 'invalid_argument', 'Send the body as application/json.')
  const value = parseJson(decodeUtf8(await readBytes(request, limits)))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FilewrightError('invalid_argument', 'The body must be a JSON object.')
  }
  return value as { readonly [key: string]: unknown }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new FilewrightError('invalid_argument', 'The body is not valid UTF-8.')
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new HttpError(408, 'timeout', 'The body came too slowly.')), Math.max(0, ms))
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The client went away in the middle; nobody reads the answer. */
function brokenOff(): never {
  throw new FilewrightError('canceled', 'The body broke off.')
}

function tooLarge(bytes: number): FilewrightError {
  return new FilewrightError('too_large', `The body is larger than the ${bytes} bytes that this route takes.`)
}
