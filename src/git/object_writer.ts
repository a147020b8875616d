/** Objects are written: a few as loose ones, many as one pack, large ones as a stream. */
import { concatBytes } from '../core/bytes.ts'
import type { MaybePromise } from '../core/file_system.ts'
import type { Oid } from '../core/repository.ts'
import type { GitFiles } from './files.ts'
import { takePack } from './incoming/incoming_pack.ts'
import { entryHead, nameHead, packHead } from './incoming/pack_format.ts'
import { createPackRows } from './incoming/pack_rows.ts'
import { loosePath } from './loose.ts'
import type { AddPackOptions, GitObject, NewObject, ObjectDatabase } from './objects.ts'
import { oidAt, oidBytes } from './oid.ts'
import type { GitPlatform } from './platform.ts'
import { storePack } from './store_pack.ts'
import { temporaryPath } from './temporary.ts'

/** What writing needs of reading. */
export interface WriterParts {
  readonly files: GitFiles
  readonly platform: GitPlatform
  /** Where an object is: the path of a loose one, or of the pack that holds it, or null in another repository's. Null when it is not here. */
  find(oid: Oid): MaybePromise<{ readonly path: string | null } | null>
  /** Throws `not_found`. */
  read(oid: Oid): MaybePromise<GitObject>
  /** Is told that there is something new to be found: a pack's name, or null for loose objects. */
  added(pack: string | null): MaybePromise<void>
}

/** The writing half of an {@link ObjectDatabase}. */
export type ObjectWriter = Pick<ObjectDatabase, 'write' | 'writeBlob' | 'addPack'>

/** More objects than these become a pack. */
const LOOSE_OBJECTS = 64
/** Blobs up to here are written from memory. */
const HELD_BYTES = 4 * 1024 * 1024
/** Bytes read at a time from what was laid aside. */
const READ_BYTES = 256 * 1024
/** What is referred to comes before what refers to it: a crash leaves no tree without its blobs. */
const ORDER = { blob: 0, tree: 1, commit: 2, tag: 3 }

export function createObjectWriter(parts: WriterParts): ObjectWriter {
  const { files, platform } = parts
  const { zlib, sha1 } = platform

  /**
   * Whether an object is here, whole, and counts as new from now on: no garbage collection that runs beside us removes it. A loose one
   * that is damaged counts as missing, so that it is written once more.
   */
  const isKept = async ({ oid, type, bytes }: NewObject): Promise<boolean> => {
    const found = await parts.find(oid)
    if (!found) return false
    if (found.path === null) return true
    if (found.path === loosePath(oid) && !(await isWhole(found.path, type, bytes))) return false
    return files.touch(found.path)
  }

  const isWhole = async (path: string, type: GitObject['type'], bytes: Uint8Array): Promise<boolean> => {
    const stored = await files.read(path)
    if (!stored) return false
    const head = nameHead(type, bytes.length)
    try {
      const inflated = zlib.inflate(stored, head.length + bytes.length)
      return inflated.used === stored.length && isEqual(inflated.bytes, concatBytes([head, bytes]))
    } catch {
      return false
    }
  }

  const writeLoose = async (objects: readonly NewObject[]): Promise<void> => {
    const packed = objects.map(({ oid, type, bytes }) => ({
      path: loosePath(oid),
      bytes: zlib.deflate(concatBytes([nameHead(type, bytes.length), bytes]), true),
    }))
    await files.writeMany(packed)
    await parts.added(null)
  }

  /** One pack; its index, which is what makes it found, is written last. */
  const writePack = async (objects: readonly NewObject[]): Promise<void> => {
    const rows = createPackRows()
    const whole = sha1.stream()
    let hash: Uint8Array = new Uint8Array(0)
    function* entries(): Generator<Uint8Array> {
      yield packHead(objects.length)
      let offset = 12
      for (const { oid, type, bytes } of objects) {
        const head = entryHead(type, bytes.length)
        const packed = zlib.deflate(bytes, true)
        rows.setOid(rows.add(offset, zlib.crc32(packed, zlib.crc32(head))), oidBytes(oid))
        offset += head.length + packed.length
        yield concatBytes([head, packed])
      }
    }
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const part of entries()) {
        whole.update(part)
        yield part
      }
      hash = whole.digest()
      yield hash
    }
    const temporary = temporaryPath('objects/pack')
    try {
      await files.write(temporary, body())
      const name = await storePack(files, { temporary, hash, index: rows.index(hash, sha1) })
      await parts.added(name)
    } finally {
      await files.remove(temporary).catch(() => {})
    }
  }

  const write = async (objects: readonly NewObject[]): Promise<void> => {
    const missing = new Map<Oid, NewObject>()
    for (const object of objects) {
      if (!missing.has(object.oid) && !(await isKept(object))) missing.set(object.oid, object)
    }
    if (missing.size === 0) return
    const ordered = [...missing.values()].sort((a, b) => ORDER[a.type] - ORDER[b.type])
    await (ordered.length > LOOSE_OBJECTS ? writePack(ordered) : writeLoose(ordered))
  }

  /** A blob too large to hold: its size must be known before its name can be, so it is laid aside first. */
  const writeLarge = async (body: AsyncIterable<Uint8Array>): Promise<{ oid: Oid; size: number }> => {
    const aside = temporaryPath('objects')
    const made = temporaryPath('objects')
    try {
      await files.write(aside, body)
      const file = await files.open(aside)
      if (!file) throw new Error('What was laid aside is gone.')
      const name = sha1.stream()
      async function* content(): AsyncGenerator<Uint8Array> {
        const { size } = file as NonNullable<typeof file>
        const head = nameHead('blob', size)
        name.update(head)
        yield head
        for (let at = 0; at < size; at += READ_BYTES) {
          const part = await (file as NonNullable<typeof file>).read(at, READ_BYTES)
          name.update(part)
          yield part
        }
      }
      try {
        await files.write(made, zlib.deflateStream(content()))
        const oid = oidAt(name.digest())
        const found = await parts.find(oid)
        // A loose one may be damaged, and is not read to find out: it is replaced by the same.
        const kept = found !== null && found.path !== loosePath(oid) && (found.path === null || (await files.touch(found.path)))
        if (!kept) {
          await files.rename(made, loosePath(oid))
          await parts.added(null)
        }
        return { oid, size: file.size }
      } finally {
        await file.close()
      }
    } finally {
      for (const path of [aside, made]) await files.remove(path).catch(() => {})
    }
  }

  return {
    write,
    async writeBlob(body) {
      const { held, rest } = body instanceof Uint8Array ? { held: body, rest: null } : await holdUpTo(body, HELD_BYTES)
      if (rest) return writeLarge(rest)
      const oid = oidAt(sha1.hash(nameHead('blob', held.length), held))
      await write([{ oid, type: 'blob', bytes: held }])
      return { oid, size: held.length }
    },
    async addPack(body, options: AddPackOptions = {}) {
      const { name, count } = await takePack({ files, platform, read: parts.read }, body, options)
      await parts.added(name)
      return count
    },
  }
}

/** A body whole, or, when it is larger than `most`, as the stream that it is. */
async function holdUpTo(
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ readonly held: Uint8Array; readonly rest: AsyncIterable<Uint8Array> | null }> {
  const source = body[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { value, done } = await source.next()
    if (done) return { held: concatBytes(parts), rest: null }
    parts.push(value.slice())
    size += value.length
    if (size > most) break
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      yield* parts
      for (;;) {
        const { value, done } = await source.next()
        if (done) return
        yield value
      }
    } finally {
      await source.return?.()
    }
  }
  return { held: new Uint8Array(0), rest: rest() }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
