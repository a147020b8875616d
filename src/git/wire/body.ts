/** An answer's body: counted, watched for silence, ended by a signal. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'

/** Bounds of one body. */
export interface BodyBounds {
  readonly bytes: number
  readonly idleMs: number
  readonly signal: AbortSignal | undefined
}

/** The pieces of a body. Throws `too_large`, `timeout`, `canceled`, and `io_error` when the connection breaks. */
export async function* readAnswer(
  body: ReadableStream<Uint8Array> | null,
  { bytes, idleMs, signal }: BodyBounds,
): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  let seen = 0
  try {
    for (;;) {
      const piece = await inTime(reader.read(), idleMs, signal)
      if (piece.done) return
      seen += piece.value.length
      if (seen > bytes) throw new FilewrightError('too_large', `The server sends more than the ${bytes} bytes that are taken.`)
      if (piece.value.length > 0) yield piece.value
    }
  } finally {
    // Also when the reader of this stops early: the server is told to stop.
    reader.cancel().catch(() => {})
  }
}

/** What `work` comes to, unless it takes too long (null: it may) or the signal comes. */
export async function inTime<Value>(work: Promise<Value>, ms: number | null, signal: AbortSignal | undefined): Promise<Value> {
  if (signal?.aborted) {
    work.catch(() => {})
    throw canceled(signal)
  }
  const other = Promise.withResolvers<never>()
  const late = (): void => other.reject(new FilewrightError('timeout', `The server was silent for ${ms} ms.`))
  const timer = ms === null ? null : setTimeout(late, ms)
  const stop = (): void => other.reject(canceled(signal as AbortSignal))
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, other.promise])
  } catch (error) {
    if (isFilewrightError(error)) throw error
    // What we were sending failed, not the connection.
    if (error instanceof Error && isFilewrightError(error.cause)) throw error.cause
    throw signal?.aborted ? canceled(signal) : new FilewrightError('io_error', 'The connection to the server broke.', { cause: error })
  } finally {
    if (timer !== null) clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** Throws `canceled` once the signal came. */
export function checkCanceled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw canceled(signal)
}

function canceled(signal: AbortSignal): FilewrightError {
  if (isFilewrightError(signal.reason)) return signal.reason
  return new FilewrightError('canceled', 'The call was canceled.', { cause: signal.reason })
}
