/** The bytes of packs, read in windows: small ones here and there, larger ones where a pack is read through. */
import type { GitFile } from './files.ts'
import { type Steps, settled } from './steps.ts'

/** Reads parts of one pack. */
export interface PackBytes {
  /** Where the pack's own checksum begins: all objects end before it. */
  readonly end: number
  /** At least `length` bytes from `offset` on, or as many as there are before `end`, where they were read before; else null. */
  near(offset: number, length: number): Uint8Array | null
  /** As `near`, read when they were not before. */
  at(offset: number, length: number): Steps<Uint8Array>
  /** All bytes from `offset` on, as they are taken. */
  from(offset: number): AsyncGenerator<Uint8Array>
  /** Forgets what was read. */
  clear(): void
}

/** The windows of all packs, of which the last ones used are kept. */
export interface PackWindows {
  /** Reads a pack that ends with a checksum of `trailer` bytes. */
  reader(file: GitFile, trailer: number): PackBytes
}

interface Window {
  readonly file: GitFile
  readonly start: number
  readonly bytes: Uint8Array
}

const PAGE = 4096
const [SMALLEST, LARGEST] = [2 * PAGE, 64 * PAGE]
const MOST_WINDOWS = 32
const STREAM_BYTES = 256 * 1024

/** No windows yet; at most 8 MiB of them are kept. */
export function createPackWindows(): PackWindows {
  /** The last one used comes first. */
  const windows: Window[] = []

  function keep(window: Window): void {
    windows.unshift(window)
    if (windows.length > MOST_WINDOWS) windows.pop()
  }

  return {
    reader(file, trailer) {
      const end = file.size - trailer
      /** Where the last window that was read ends, and how large it was. */
      let [readTo, size] = [0, SMALLEST]

      function near(offset: number, length: number): Uint8Array | null {
        const stop = Math.min(offset + length, end)
        for (let i = 0; i < windows.length; i++) {
          const window = windows[i] as Window
          if (window.file !== file || offset < window.start || stop > window.start + window.bytes.length) continue
          if (i > 0) {
            windows.splice(i, 1)
            windows.unshift(window)
          }
          return window.bytes.subarray(offset - window.start)
        }
        return null
      }

      return {
        end,
        near,
        *at(offset, length) {
          const known = near(offset, length)
          if (known) return known
          if (length > LARGEST) return yield* settled(file.read(offset, Math.min(length, end - offset)))
          // Who reads on where the last window ended, or just before, reads it through.
          const isNext = offset <= readTo && offset > readTo - size
          size = isNext ? Math.min(size * 2, LARGEST) : SMALLEST
          const start = offset - (offset % PAGE)
          const stop = Math.min(Math.max(start + size, offset + length), end)
          const bytes = yield* settled(file.read(start, stop - start))
          readTo = stop
          keep({ file, start, bytes })
          return bytes.subarray(offset - start)
        },
        async *from(offset) {
          for (let at = offset; at < end; ) {
            const bytes = await file.read(at, Math.min(STREAM_BYTES, end - at))
            if (bytes.length === 0) return
            yield bytes
            at += bytes.length
          }
        },
        clear() {
          for (let i = windows.length - 1; i >= 0; i--) if (windows[i]?.file === file) windows.splice(i, 1)
        },
      }
    },
  }
}
