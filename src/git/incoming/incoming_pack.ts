/** A pack that a server sends is taken in: checked, completed, indexed, and only then there for anybody. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { MaybePromise } from '../../core/file_system.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitFile, GitFiles } from '../files.ts'
import type { AddPackOptions, GitObject } from '../objects.ts'
import { oidBytes } from '../oid.ts'
import { createPackWindows } from '../pack_bytes.ts'
import type { GitPlatform } from '../platform.ts'
import { run } from '../steps.ts'
import { storePack } from '../store_pack.ts'
import { temporaryPath } from '../temporary.ts'
import { corrupt, entryHead, packHead } from './pack_format.ts'
import { createPackRows, type PackRows } from './pack_rows.ts'
import { type PackEnd, readPack, type Turn } from './pack_stream.ts'
import { createResolver, type Resolver } from './resolving.ts'

/** What a pack is taken into. */
export interface PackPlace {
  readonly files: GitFiles
  readonly platform: GitPlatform
  /** An object that is here already, for packs that leave out what both sides have. Throws `not_found`. */
  read(oid: Oid): MaybePromise<GitObject>
  /** Objects that are kept because others may be based on them, bytes; default 16 MiB. */
  readonly cacheBytes?: number
}

/** A pack that is there now. */
export interface StoredPack {
  /** As in `objects/pack/NAME.pack`. */
  readonly name: string
  /** Objects that were sent. */
  readonly count: number
}

/** Most objects in a pack. */
const MOST_OBJECTS = 50_000_000
/** Largest object that must be held whole because others are made of it, or it of others. */
const MOST_HELD_BYTES = 512 * 1024 * 1024
/** What the objects made of differences come to at most. */
const MOST_INFLATED_BYTES = 256 * 1024 ** 3
const CACHE_BYTES = 16 * 1024 * 1024
/** Bytes read and written at a time when a pack is copied. */
const COPY_BYTES = 1024 * 1024
/** Longest time without letting others run, but for one object: a small pack can stand for very much. */
const TURN_MS = 15

/**
 * Takes in a pack as it is sent. Nobody sees any of it before its index is there, which is written last. Throws `corrupt` for a pack
 * that is cut or damaged or lacks what it is based on, `too_large` beyond the limits, `canceled`; then nothing is left of it.
 */
export async function takePack(place: PackPlace, body: AsyncIterable<Uint8Array>, options: AddPackOptions = {}): Promise<StoredPack> {
  const { files, platform } = place
  const temporary = temporaryPath('objects/pack')
  const rows = createPackRows()
  const limits = { heldBytes: MOST_HELD_BYTES, inflatedBytes: MOST_INFLATED_BYTES, cacheBytes: place.cacheBytes ?? CACHE_BYTES }
  const resolver = createResolver(platform, rows, limits)
  const left = new Set<string>()
  try {
    left.add(temporary)
    const { count, end } = await receive(place, temporary, body, resolver, rows, options)
    let { hash } = end
    let stored = temporary
    if (resolver.left > 0) {
      const file = await opened(files, temporary)
      try {
        const added = await resolve(place, file, end, resolver, rows, options)
        if (added.length > 0) {
          stored = temporaryPath('objects/pack')
          left.add(stored)
          hash = await complete(place, file, end, stored, rows.count, added)
        }
      } finally {
        await file.close()
      }
    }
    const index = rows.index(hash, platform.sha1)
    const name = await storePack(files, { temporary: stored, hash, index, promisor: options.promisor ?? false })
    return { name, count }
  } finally {
    for (const path of left) await files.remove(path).catch(() => {})
  }
}

/** Writes what comes in to a temporary file, and learns what is in it. */
async function receive(
  { files, platform }: PackPlace,
  temporary: string,
  body: AsyncIterable<Uint8Array>,
  resolver: Resolver,
  rows: PackRows,
  { maxBytes, onProgress, signal }: AddPackOptions,
): Promise<{ readonly count: number; readonly end: PackEnd }> {
  const limits = { bytes: maxBytes ?? Number.POSITIVE_INFINITY, objects: MOST_OBJECTS, heldBytes: MOST_HELD_BYTES }
  let count = 0
  let end: PackEnd | undefined
  const listener = {
    begin(total: number) {
      count = total
    },
    entry: resolver.add,
    turn: createTurn(signal),
  }
  async function* passing(): AsyncGenerator<Uint8Array> {
    const reading = readPack(body, platform, limits, listener)
    try {
      for (;;) {
        checkSignal(signal)
        const step = await reading.next()
        if (step.done) {
          end = step.value
          break
        }
        yield step.value
        onProgress?.('receiving objects', rows.count, count)
      }
    } finally {
      await reading.return(undefined as never)
    }
  }
  await files.write(temporary, passing())
  onProgress?.('receiving objects', rows.count, count)
  return { count, end: end as PackEnd }
}

/** Names what is left; answers the objects that must be added to the pack. */
async function resolve(
  place: PackPlace,
  file: GitFile,
  end: PackEnd,
  resolver: Resolver,
  rows: PackRows,
  { onProgress, signal }: AddPackOptions,
): Promise<Uint8Array[]> {
  const total = resolver.left
  const turn = createTurn(signal, () => onProgress?.('resolving differences', total - resolver.left, total))
  let behind = end.size - 20
  const stored = createPackWindows().reader(file, 20)
  await resolver.finish((from, to) => run(stored.at(from, to - from)), behind, turn)
  const added: Uint8Array[] = []
  while (resolver.left > 0) {
    const before = resolver.left
    for (const oid of resolver.missing()) {
      const object = await baseOf(place, oid)
      if (!object) continue
      const { zlib } = place.platform
      const head = entryHead(object.type, object.bytes.length)
      const packed = zlib.deflate(object.bytes)
      const row = rows.add(behind, zlib.crc32(packed, zlib.crc32(head)))
      rows.setOid(row, oidBytes(oid))
      added.push(head, packed)
      behind += head.length + packed.length
      await resolver.supply(row, oid, object, () => place.read(oid))
    }
    if (resolver.left === before) throw corrupt('it lacks objects that others are based on')
  }
  onProgress?.('resolving differences', total, total)
  return added
}

async function baseOf({ read }: PackPlace, oid: Oid): Promise<GitObject | null> {
  try {
    return await read(oid)
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return null
    throw error
  }
}

/** Writes the pack once more, with what it lacked; its new hash. */
async function complete(
  { files, platform }: PackPlace,
  file: GitFile,
  end: PackEnd,
  path: string,
  count: number,
  added: readonly Uint8Array[],
): Promise<Uint8Array> {
  const whole = platform.sha1.stream()
  let hash = new Uint8Array(0)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield packHead(count)
    for (let at = 12; at < end.size - 20; at += COPY_BYTES) yield await file.read(at, Math.min(COPY_BYTES, end.size - 20 - at))
    yield* added
  }
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const part of all()) {
      whole.update(part)
      yield part
    }
    hash = new Uint8Array(whole.digest())
    yield hash
  }
  await files.write(path, hashed())
  return hash
}

async function opened(files: GitFiles, path: string): Promise<GitFile> {
  const file = await files.open(path)
  if (!file) throw new FilewrightError('io_error', 'The pack that was just received is gone; fetch it again.')
  return file
}

/** Lets others run when that was long ago: null where there is nothing to wait for. */
function createTurn(signal: AbortSignal | undefined, tell?: () => void): Turn {
  let since = performance.now()
  const pause = async (): Promise<void> => {
    await new Promise((done) => setTimeout(done))
    checkSignal(signal)
    tell?.()
    since = performance.now()
  }
  return () => (performance.now() - since < TURN_MS ? null : pause())
}

function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new FilewrightError('canceled', 'The pack was not taken in: the call was canceled.')
}
