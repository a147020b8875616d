/** Zlib and SHA-1 of Node and of workerd. */
import { FilewrightError } from '../core/errors.ts'
import { lazily } from '../core/lazy.ts'
import type { GitPlatform, Zlib } from './platform.ts'

/** A zlib engine as a stream of Node's. */
interface Engine extends AsyncIterable<Uint8Array> {
  /** What it has taken in of what it was given. */
  readonly bytesWritten: number
  readonly destroyed: boolean
  /** Gone after a fault. */
  readonly _handle?: InnerEngine | null
  /** Of the last step: room left in the output, bytes left of the input. */
  readonly _writeState?: Uint32Array
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void
  end(): void
  destroy(error?: Error): void
  on(event: 'error' | 'close', listener: () => void): void
}

interface NodeZlib {
  readonly constants: { readonly Z_FINISH: number }
  inflateSync(bytes: Uint8Array, options: object): { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }
  deflateSync(bytes: Uint8Array, options?: object): Uint8Array
  createInflate(): Engine
  createDeflate(): Engine
  crc32(bytes: Uint8Array, seed?: number): number
}

/**
 * The engine inside a stream of Node's, where it is to be had: it can be used for one object after another, while the public functions
 * make a new one for each, which costs three times as much as most objects do.
 */
interface InnerEngine {
  reset(): void
  writeSync(flush: number, input: Uint8Array, from: number, length: number, output: Uint8Array, to: number, room: number): void
}

interface NodeBuffer {
  /** Small ones share memory. */
  allocUnsafe(size: number): Uint8Array
}

interface NodeCrypto {
  hash(algorithm: 'sha1', bytes: Uint8Array, encoding: 'latin1'): string
  createHash(algorithm: 'sha1'): { update(bytes: Uint8Array): unknown; digest(): Uint8Array }
}

/** Hashed in one call up to here, bytes. */
const SMALL = 32 * 1024

/**
 * The platform's own (Node, and workerd with `nodejs_compat`), loaded when first used. Throws `unsupported` in a browser, which has
 * {@link createBrowserGitPlatform}.
 */
export function platformGit(): GitPlatform {
  // Not an import: this module is bundled for browsers too, where it must load without a polyfill.
  const host = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  if (!host.process?.getBuiltinModule)
    throw new FilewrightError('unsupported', 'This platform has no zlib of its own: pass `platform: await createBrowserGitPlatform()`.')
  const builtin = (name: string): unknown => host.process?.getBuiltinModule?.(name)
  const buffers = lazily(() => (builtin('node:buffer') as { readonly Buffer: NodeBuffer }).Buffer)
  const crypto = lazily(() => builtin('node:crypto') as NodeCrypto)
  const scratch = new Uint8Array(SMALL)

  /** A state costs more than most objects do. */
  function quickHash(parts: readonly Uint8Array[], length: number): Uint8Array {
    let at = 0
    for (const part of parts) {
      scratch.set(part, at)
      at += part.length
    }
    const digest = crypto().hash('sha1', scratch.subarray(0, length), 'latin1')
    const bytes = new Uint8Array(digest.length)
    for (let i = 0; i < bytes.length; i++) bytes[i] = digest.charCodeAt(i)
    return bytes
  }

  return {
    zlib: hostZlib(
      lazily(() => builtin('node:zlib') as NodeZlib),
      (size) => buffers().allocUnsafe(size),
    ),
    sha1: {
      hash(...parts) {
        let length = 0
        for (const part of parts) length += part.length
        if (length <= SMALL) return quickHash(parts, length)
        const state = crypto().createHash('sha1')
        for (const part of parts) state.update(part)
        return plain(state.digest())
      },
      stream() {
        const state = crypto().createHash('sha1')
        return { update: (bytes) => void state.update(bytes), digest: () => plain(state.digest()) }
      },
    },
  }
}

function hostZlib(zlib: () => NodeZlib, allocate: (size: number) => Uint8Array): Zlib {
  const inflateReused = createReusedInflate(zlib)
  return {
    inflate(bytes, size) {
      // Room for one byte more than there should be: the end of the stream is then seen in the same step.
      const output = allocate(size + 1)
      const used = inflateReused(bytes, output)
      if (used !== null) return { bytes: plain(output, size), used }
      let made: ReturnType<NodeZlib['inflateSync']>
      try {
        made = zlib().inflateSync(bytes, { maxOutputLength: size + 1, chunkSize: Math.max(size + 1, 64), info: true })
      } catch (error) {
        throw damaged(error)
      }
      if (made.buffer.length !== size) throw damaged(undefined)
      return { bytes: plain(made.buffer), used: made.engine.bytesWritten }
    },
    inflateAll(bytes, maxBytes) {
      let made: ReturnType<NodeZlib['inflateSync']>
      try {
        made = zlib().inflateSync(bytes, { maxOutputLength: Math.max(maxBytes, 1), info: true })
      } catch (error) {
        throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(maxBytes) : damaged(error)
      }
      if (made.engine.bytesWritten !== bytes.length) throw damaged(undefined)
      return plain(made.buffer)
    },
    inflateStream: (source, ended) => through(zlib().createInflate(), source, ended),
    // Room for what small objects come to, and not for 16 KiB each: a push or a commit deflates them by the ten thousand.
    deflate: (bytes, fast = false) =>
      plain(zlib().deflateSync(bytes, { chunkSize: Math.min(16_384, bytes.length + 64), level: fast ? 1 : 6 })),
    deflateStream: (source) => through(zlib().createDeflate(), source),
    crc32: (bytes, seed = 0) => zlib().crc32(bytes, seed),
  }
}

/** Fills all of `output` but its last byte; answers how much input that took, or null when that is not possible here. */
function createReusedInflate(zlib: () => NodeZlib): (bytes: Uint8Array, output: Uint8Array) => number | null {
  let engine: Engine | null = null
  return (bytes, output) => {
    if (!engine?._handle) {
      engine = zlib().createInflate()
      engine.on('error', () => {})
    }
    const { _handle: inner, _writeState: state } = engine
    if (typeof inner?.writeSync !== 'function' || typeof inner.reset !== 'function' || !state) return null
    inner.reset()
    // A step that fails leaves this as it is.
    state.fill(output.length + 1)
    inner.writeSync(zlib().constants.Z_FINISH, bytes, 0, bytes.length, output, 0, output.length)
    if (state[0] !== 1) throw damaged(undefined)
    return bytes.length - (state[1] as number)
  }
}

/** A Buffer's own methods differ from those of the bytes it is. */
function plain(bytes: Uint8Array, length: number = bytes.length): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length)
}

function damaged(cause: unknown): FilewrightError {
  return new FilewrightError('corrupt', 'Compressed data is damaged.', { cause })
}

function tooLarge(maxBytes: number): FilewrightError {
  return new FilewrightError('too_large', `Compressed data comes to more than ${maxBytes} bytes.`)
}

/** Feeds the engine while its output is read; whichever of the two ends first, ends the other. */
async function* through(engine: Engine, source: AsyncIterable<Uint8Array>, ended?: (unused: number) => void): AsyncGenerator<Uint8Array> {
  let fault: { readonly error: unknown } | undefined
  let isOver = false
  let unused = 0
  // An engine that fails does not answer the write that it fails at.
  let release = (): void => {}
  engine.on('error', () => release())
  engine.on('close', () => release())
  const feeding = (async () => {
    try {
      let taken = 0
      for await (const bytes of source) {
        taken += bytes.length
        if (isOver) break
        await new Promise<void>((resolve) => {
          release = resolve
          engine.write(bytes, () => resolve())
        })
        unused = taken - engine.bytesWritten
        if (isOver || engine.destroyed || unused > 0) break
      }
      engine.end()
    } catch (error) {
      fault = { error }
      engine.destroy(error as Error)
    }
  })()
  try {
    for await (const bytes of engine) yield plain(bytes)
    await feeding
    ended?.(unused)
  } catch (error) {
    throw fault ? fault.error : damaged(error)
  } finally {
    isOver = true
    engine.destroy()
    await feeding
  }
}
