/** Loose objects: one file each, deflated with its head. */
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

/** The place of an object below the directory of objects. */
export function loosePath(oid: Oid): string {
  return `${oid.slice(0, 2)}/${oid.slice(2)}`
}

/** Reads an object, of which only type and size are told when it is larger than `maxBytes`. Closes the file. Throws `corrupt`. */
export function* readLoose(file: GitFile, zlib: Zlib, maxBytes: number): Steps<SizedObject> {
  const limit = Math.max(maxBytes, SMALL)
  let isStreamed = file.size > limit + (limit >> 9) + HEAD_BYTES
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
  const inflated = zlib.inflateStream(bytesOf(file))[Symbol.asyncIterator]()
  let first = new Uint8Array(0)
  while (!first.includes(0)) {
    const next = await inflated.next()
    if (next.done || first.length > HEAD_BYTES) throw damaged()
    const longer = new Uint8Array(first.length + next.value.length)
    longer.set(first)
    longer.set(next.value, first.length)
    first = longer
  }
  const { type, size, end } = parseHead(first)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let left = size - (first.length - end)
    try {
      if (end < first.length) yield first.subarray(end)
      for (let next = await inflated.next(); !next.done; next = await inflated.next()) {
        left -= next.value.length
        if (left < 0) break
        yield next.value
      }
    } finally {
      await inflated.return?.()
    }
    if (left !== 0) throw damaged()
  }
  return { type, size, chunks: chunks() }
}

async function headerOfLoose(file: GitFile, zlib: Zlib): Promise<ObjectHeader> {
  const { type, size, chunks } = await streamLoose(file, zlib)
  await chunks[Symbol.asyncIterator]().return?.()
  return { type, size }
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
