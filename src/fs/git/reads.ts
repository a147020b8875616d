/** Reading files of a repository: one at a time through a reader, or many whole. */
import { attempt } from '../../core/attempt.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry, FileVisitor, MaybePromise, ReadEachOptions, Reader } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { bytesReader } from '../../core/read.ts'
import type { Oid } from '../../core/repository.ts'
import { checkSignal } from '../../core/signal.ts'
import { regular } from '../../core/tree/nodes.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { contentFault } from './content_fault.ts'
import type { GitFileNode, GitNode } from './nodes.ts'

/** Larger blobs are read part by part. */
const WHOLE = 8 * 1024 * 1024
/** Files that are read, and fetched where they are not here, at a time: at first, and at most. */
const [FIRST_BATCH, BATCH] = [8, 512]
/** So much of a batch is held at a time. */
const HELD_BYTES = 16 * 1024 * 1024

/** Learns sizes, where that fetches nothing. */
export async function learnSizes(objects: ObjectDatabase, nodes: Iterable<GitNode>): Promise<void> {
  for (const node of nodes) {
    if (node.kind !== 'file' || node.size !== null) continue
    const here = objects.has(node.oid)
    if (!(here instanceof Promise ? await here : here)) continue
    await learnSize(objects, node)
  }
}

/** The size of a file, which may have to be fetched. */
export async function learnSize(objects: ObjectDatabase, node: GitFileNode): Promise<number> {
  if (node.size !== null) return node.size
  try {
    const header = objects.header(node.oid)
    const { size } = header instanceof Promise ? await header : header
    node.size = size
    return size
  } catch (error) {
    throw contentFault(error)
  }
}

/** A reader of one blob, which stays what it is. */
export async function openBlob(objects: ObjectDatabase, entry: Entry, oid: Oid, size: number): Promise<Reader> {
  if (size > WHOLE) return streamReader(objects, entry, oid, size)
  try {
    return bytesReader(entry, await objects.readAs(oid, 'blob'))
  } catch (error) {
    throw contentFault(error)
  }
}

/** Reads on from where it is; to go back it begins anew. */
function streamReader(objects: ObjectDatabase, entry: Entry, oid: Oid, size: number): Reader {
  let chunks: AsyncIterator<Uint8Array> | null = null
  let chunk: Uint8Array = new Uint8Array()
  let start = 0
  const close = async (): Promise<void> => {
    const open = chunks
    chunks = null
    await open?.return?.()
  }
  return {
    entry,
    size,
    async read(offset, into) {
      if (offset >= size) return 0
      if (chunks === null || offset < start) {
        await close()
        const stream = await objects.stream(oid).catch((error) => Promise.reject(contentFault(error)))
        chunks = stream.chunks[Symbol.asyncIterator]()
        chunk = new Uint8Array()
        start = 0
      }
      while (offset >= start + chunk.length) {
        start += chunk.length
        const next = await chunks.next()
        if (next.done) throw new FilewrightError('corrupt', `The content of ${entry.path} ends early.`, { details: { oid } })
        chunk = next.value
      }
      const part = chunk.subarray(offset - start, offset - start + into.length)
      into.set(part)
      return part.length
    },
    close,
  }
}

/**
 * Reads files whole, in the order of the paths. Batches of them are read in the order of the packs, which is a third cheaper, and what
 * a partial clone lacks is fetched by the batch; the first ones are small, since many readers stop early.
 */
export async function readFiles(
  objects: ObjectDatabase,
  paths: readonly Path[],
  find: (path: Path) => MaybePromise<GitNode | FilewrightError>,
  { maxBytes, signal }: ReadEachOptions,
  visit: FileVisitor,
): Promise<void> {
  for (let at = 0, length = FIRST_BATCH; at < paths.length; at += length, length = Math.min(2 * length, BATCH)) {
    checkSignal(signal)
    const batch = paths.slice(at, at + length)
    const found: (GitFileNode | FilewrightError)[] = []
    for (const path of batch) {
      const node = find(path)
      const there = node instanceof Promise ? await node : node
      found.push(there instanceof FilewrightError ? there : attempt(() => regular(path, there)))
    }
    const held = await readBatch(objects, found, maxBytes)
    for (const [index, node] of found.entries()) {
      checkSignal(signal)
      const path = batch[index] as Path
      const bytes = node instanceof FilewrightError ? node : (held.get(node.oid) ?? (await readFile(objects, path, node, maxBytes)))
      const goOn = bytes instanceof FilewrightError ? visit(path, null, bytes) : visit(path, bytes, null)
      if (goOn === false) return
    }
  }
}

/** The contents of many files, as far as they can be read and held. */
async function readBatch(
  objects: ObjectDatabase,
  nodes: readonly (GitFileNode | FilewrightError)[],
  maxBytes: number,
): Promise<Map<Oid, Uint8Array>> {
  const held = new Map<Oid, Uint8Array>()
  const oids = new Set(nodes.flatMap((node) => (node instanceof FilewrightError ? [] : [node.oid])))
  let size = 0
  try {
    await objects.readEach([...oids], Math.min(maxBytes, HELD_BYTES), (oid, { bytes }) => {
      if (bytes === null) return true
      held.set(oid, bytes)
      size += bytes.length
      return size < HELD_BYTES
    })
  } catch (error) {
    // Which file it was, and why, is told when its turn comes.
    if (!(error instanceof FilewrightError)) throw error
  }
  return held
}

async function readFile(objects: ObjectDatabase, path: Path, node: GitFileNode, maxBytes: number): Promise<Uint8Array | FilewrightError> {
  try {
    const size = await learnSize(objects, node)
    if (size > maxBytes) return new FilewrightError('too_large', `${path} has ${size} bytes; the limit is ${maxBytes}.`)
    return await objects.readAs(node.oid, 'blob')
  } catch (error) {
    const fault = contentFault(error)
    if (fault instanceof FilewrightError) return fault
    throw fault
  }
}
