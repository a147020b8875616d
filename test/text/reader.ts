/** A reader over bytes in memory, which can answer in small pieces and late, as storages may. */
import type { Version } from '../../src/core/change.ts'
import type { Entry, Reader } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'

/** How the reader answers, and what it was asked. */
export interface TestReader extends Reader {
  /** Bytes that were read so far. */
  bytesRead(): number
}

let versions = 0

/** Reads `bytes`; at most `most` of them at once, and through a promise when `late`. */
export function readerOf(
  bytes: Uint8Array,
  options: { readonly most?: number; readonly late?: boolean; readonly version?: string } = {},
): TestReader {
  const entry: Entry = {
    path: 'a.txt' as Path,
    kind: 'file',
    size: bytes.length,
    mtimeMs: null,
    createdMs: null,
    mode: null,
    version: (options.version ?? `v${++versions}`) as Version,
    hash: null,
    target: null,
    access: null,
  }
  let read = 0
  return {
    entry,
    size: bytes.length,
    read(offset, into) {
      const part = bytes.subarray(offset, offset + Math.min(into.length, options.most ?? into.length))
      into.set(part)
      read += part.length
      return options.late ? Promise.resolve(part.length) : part.length
    },
    close() {},
    bytesRead: () => read,
  }
}
