/** What is known about a file's text after one pass: lines, characters, validity, hash, and places to start reading from. */
import type { Entry, Reader } from '../../core/file_system.ts'
import { EMPTY_HASH, type Hash, type Hasher, type HashStream } from '../../core/hash.ts'
import { LF } from '../bytes.ts'
import { createPacer } from '../pause.ts'
import { BINARY_TEST_BYTES, countChars, cutTail, isBinary, isUtf8 } from '../utf8.ts'
import { BLOCK_BYTES, type BlockCounter, giveCounter, takeCounter } from './block_counts.ts'

/** A place in a file, on a character boundary, with what comes before it. */
export interface Mark {
  readonly offset: number
  /** Line feeds before the offset. */
  readonly feeds: number
  /** Characters before the offset. */
  readonly chars: number
}

/** Facts about one version of a file. A binary file (C-23) is not counted: its totals are 0. */
export interface TextFacts {
  readonly binary: boolean
  readonly totalBytes: number
  readonly totalLines: number
  /** Code points, a bad sequence counted as one. */
  readonly totalChars: number
  readonly validUtf8: boolean
  /** SHA-256 of the bytes, when the storage knows it or it was asked for. */
  readonly hash: Hash | null
  /** At least one, in order: the first is the start of the file. Used to find a line or character without reading all before it. */
  readonly marks: readonly Mark[]
}

/** Options of {@link readFacts}. */
export interface FactsOptions {
  /** Hash the bytes in the same pass. */
  readonly hasher?: Hasher | undefined
  readonly signal?: AbortSignal | undefined
}

/** Marks kept of one file: one a block up to 2 GiB, fewer for each byte above. */
const MOST_MARKS = 8192

/** Reads a file once, in blocks. Memory does not grow with its size. Throws `canceled`. */
export async function readFacts(reader: Reader, options: FactsOptions = {}): Promise<TextFacts> {
  const counter = takeCounter()
  try {
    return await scan(reader, counter, options)
  } finally {
    giveCounter(counter)
  }
}

async function scan(reader: Reader, counter: BlockCounter, { hasher, signal }: FactsOptions): Promise<TextFacts> {
  const { block } = counter
  const stride = Math.ceil(reader.size / MOST_MARKS)
  const hash = reader.entry.hash === null && hasher ? hashing(hasher, reader.size) : undefined
  const marks: Mark[] = [{ offset: 0, feeds: 0, chars: 0 }]
  let [offset, feeds, chars, hashed] = [0, 0, 0, 0]
  let [validUtf8, last] = [true, LF]
  const pacer = createPacer(signal)
  while (offset < reader.size) {
    const filled = await fill(reader, offset, block)
    if (filled === 0) break
    if (offset === 0 && isBinary(block.subarray(0, Math.min(filled, BINARY_TEST_BYTES)))) return binaryFacts(reader.size)
    hash?.update(block.subarray(hashed - offset, filled))
    hashed = offset + filled
    // A character that the block cuts is read again with the next block, so that each mark is on a boundary.
    const cut = filled < block.length || hashed >= reader.size ? 0 : cutTail(block.subarray(0, filled))
    const part = block.subarray(0, filled - cut)
    if (offset - (marks[marks.length - 1] as Mark).offset >= Math.max(stride, 1)) marks.push({ offset, feeds, chars })
    last = part[part.length - 1] as number
    const lines = counter.lines(part.length)
    feeds += lines.count
    if (lines.ascii) chars += part.length
    else if (isUtf8(part)) chars += part.length - counter.continuations(part.length)
    else {
      validUtf8 = false
      chars += countChars(part)
    }
    offset += part.length
    if (pacer.isDue()) await pacer.pause()
  }
  const totalLines = feeds + (last === LF ? 0 : 1)
  return { binary: false, totalBytes: offset, totalLines, totalChars: chars, validUtf8, hash: hash?.digest() ?? reader.entry.hash, marks }
}

/** A hash of blocks; one block is hashed at once, which is faster than a stream of one. */
function hashing(hasher: Hasher, size: number): HashStream {
  if (size > BLOCK_BYTES) return hasher.stream()
  let hash = EMPTY_HASH
  return {
    update(bytes) {
      hash = hasher.hash(bytes)
    },
    digest: () => hash,
  }
}

/** Fills `into` from `offset` on, as far as the file goes. */
export async function fill(reader: Reader, offset: number, into: Uint8Array): Promise<number> {
  const wanted = Math.min(into.length, reader.size - offset)
  let filled = 0
  while (filled < wanted) {
    const step = reader.read(offset + filled, filled === 0 && wanted === into.length ? into : into.subarray(filled, wanted))
    const got = typeof step === 'number' ? step : await step
    if (got === 0) break
    filled += got
  }
  return filled
}

function binaryFacts(totalBytes: number): TextFacts {
  const marks = [{ offset: 0, feeds: 0, chars: 0 }]
  return { binary: true, totalBytes, totalLines: 0, totalChars: 0, validUtf8: false, hash: null, marks }
}

/** Facts of the files seen last, by path and version. */
export interface FactsCache {
  /** The facts of the version that is open, from memory or by reading it once. A hash is made only when `options.hasher` is given. */
  facts(reader: Reader, options?: FactsOptions): Promise<TextFacts>
}

/** Facts of at most `files` files, those used last. One cache serves one storage: versions of two storages may be equal by chance. */
export function createFactsCache(files = 64): FactsCache {
  const kept = new Map<string, TextFacts>()
  return {
    async facts(reader, options = {}) {
      const key = keyOf(reader.entry)
      const known = key === null ? undefined : kept.get(key)
      if (known && (known.hash !== null || known.binary || !options.hasher)) {
        kept.delete(key as string)
        kept.set(key as string, known)
        return known
      }
      const facts = await readFacts(reader, options)
      if (key !== null) {
        kept.delete(key)
        kept.set(key, facts)
        const oldest = kept.keys().next().value
        if (kept.size > files && oldest !== undefined) kept.delete(oldest)
      }
      return facts
    },
  }
}

function keyOf(entry: Entry): string | null {
  return entry.version === null ? null : `${entry.version} ${entry.path}`
}
