/** Loose objects: one file each, deflated with its head. */
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import type { GitFile } from './files.ts'
import type { ObjectHeader, ObjectStream, ObjectType } from './objects.ts'
import type { SizedObject } from './pack.ts'
import type { Zlib } from './platform.ts'
import { type Steps, settled } from './steps.ts'

const TYPES: readonly string[] = ['commit', 'tree', 'blob', 'tag'] satisfies ObjectType[]
/** Longest head: a type, a size of up to 16 digits, a space, a NUL. */
const HEAD_BYTES = 24
/** Objects up to here are read whole also where only the size is asked for. */
const SMALL = 256 * 1024
const CHUNK = 256 * 1024

/** The place of an object; `dir` is the directory of objects, with its slash. */
export function loosePath(oid: Oid, dir = 'objects/'): string {
  return `${dir}${oid.slice(0, 2)}/${oid.slice(2)}`
}

/** Reads an object, of which only type and size are told when it is larger than `maxBytes`. Closes the file. Throws `corrupt`. */
export function* readLoose(file: GitFile, zlib: Zlib, maxBytes: number): Steps<SizedObject> {
  const limit = Math.max(maxBytes, SMALL)
  let isStreamed = file.size > limit + Math.floor(limit / 512) + HEAD_BYTES
  try {
    if (!isStreamed) {
      const bytes = zlib.inflateAll(yield* settled(file.read(0, file.size)), limit + HEAD_BYTES)
      const { type, size, end } = parseHead(bytes)
      if (bytes.length - end !== size) throw damaged()
      return { type, size, bytes: size > maxBytes ? null : bytes.subarray(end), isProved: false }
    }
  } catch (error) {
    if (!isFilewrightError(error, 'too_large')) throw error
    isStreamed = true
  } finally {
    if (!isStreamed) yield* settled(file.close())
  }
  return { ...(yield* settled(headerOfLoose(file, zlib))), bytes: null, isProved: false }
}

/** Reads an object part by part; the file is closed when that ends. Throws `corrupt`, at the end too when the size is another. */
export async function streamLoose(file: GitFile, zlib: Zlib): Promise<ObjectStream> {
  const { type, size, first, rest } = await startLoose(file, zlib)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let left = size - first.length
    try {
      if (first.length > 0) yield first
      for (let next = await rest.next(); !next.done && left >= 0; next = await rest.next()) {
        left -= next.value.length
        if (left >= 0) yield next.value
      }
    } finally {
      await rest.return?.()
    }
    if (left !== 0) throw damaged()
  }
  return { type, size, chunks: chunks() }
}

async function headerOfLoose(file: GitFile, zlib: Zlib): Promise<ObjectHeader> {
  const { type, size, rest } = await startLoose(file, zlib)
  await rest.return?.()
  return { type, size }
}

/** Reads the head, and the first bytes of the object with it. Whoever ends `rest` closes the file. */
async function startLoose(
  file: GitFile,
  zlib: Zlib,
): Promise<ObjectHeader & { readonly first: Uint8Array; readonly rest: AsyncIterator<Uint8Array> }> {
  const rest = zlib.inflateStream(bytesOf(file))[Symbol.asyncIterator]()
  let start: Uint8Array = new Uint8Array(0)
  try {
    while (!start.includes(0)) {
      const next = await rest.next()
      if (next.done || start.length > HEAD_BYTES) throw damaged()
      start = concatBytes([start, next.value])
    }
    const { type, size, end } = parseHead(start)
    return { type, size, first: start.subarray(end), rest }
  } catch (error) {
    await rest.return?.()
    throw error
  }
}

async function* bytesOf(file: GitFile): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < file.size; ) {
      const bytes = await file.read(at, CHUNK)
      if (bytes.length === 0) return
      yield bytes
      at += bytes.length
    }
  } finally {
    await file.close()
  }
}

function parseHead(bytes: Uint8Array): ObjectHeader & { readonly end: number } {
  const nul = bytes.subarray(0, HEAD_BYTES).indexOf(0)
  const [, type = '', digits = ''] = /^([a-z]+) (0|[1-9]\d{0,15})$/.exec(String.fromCharCode(...bytes.subarray(0, Math.max(nul, 0)))) ?? []
  if (!TYPES.includes(type)) throw damaged()
  return { type: type as ObjectType, size: Number(digits), end: nul + 1 }
}

function damaged(): FilewrightError {
  return new FilewrightError('corrupt', 'A loose object is damaged.')
}
