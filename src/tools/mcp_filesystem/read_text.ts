/** Reading files as text for the `mcp-filesystem` tools: whole, or some lines of either end, and never quietly repaired. */
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import { readAll } from '../../core/read.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { LF } from '../../text/bytes.ts'
import { lineStart, skipLines, textEnd } from '../../text/lines.ts'
import { decodeLossy, isBinary } from '../../text/utf8.ts'
import { readRange } from '../../text/window/locate.ts'
import { counted } from '../counted.ts'
import { requireEntry } from './given_path.ts'

/** What follows a text that is not all of the file's bytes. */
const NOT_UTF8 = '[not valid UTF-8: U+FFFD stands for bytes that are no text; edit_file leaves them as they are]'

/** How much of a file is read. */
export type Part = { readonly end: 'whole' } | { readonly end: 'head' | 'tail'; readonly lines: number }

/**
 * The text of a file, its byte order mark and line ends included; of some lines of it, all but the last line end (C-15, C-16).
 * Throws `not_found`, `is_directory`, `not_regular`, `binary_file`, `too_large` when more than `traits.limits.textBytes` are wanted.
 */
export async function readText(view: View, target: Resolved, part: Part, signal: AbortSignal): Promise<string> {
  return withReader(view, target, async (reader) => {
    const limit = view.traits.limits.textBytes
    if (part.end === 'whole' && reader.size > limit) {
      throw new FilewrightError('too_large', `${target.given} has ${counted(reader.size, 'byte')}: ask for its head or tail.`, {
        details: { size: reader.size, limit },
      })
    }
    const bytes =
      part.end === 'whole' ? await readAll(reader, limit, target.given) : await readLines(reader, part, { limit, signal, target })
    if (isBinary(bytes)) {
      throw new FilewrightError(
        'binary_file',
        `${target.given} is a binary file (${counted(reader.size, 'byte')}): use read_media_file for it.`,
      )
    }
    const { text, replaced } = decodeLossy(bytes)
    return replaced ? `${text}${text.endsWith('\n') ? '' : '\n'}${NOT_UTF8}` : text
  })
}

/** Opens a regular file for the time of `work`. Throws `not_found`, `is_directory`, `not_regular`. */
export async function withReader<T>(view: View, target: Resolved, work: (reader: Reader) => Promise<T>): Promise<T> {
  const { kind } = requireEntry(target)
  if (kind === 'directory') throw new FilewrightError('is_directory', `${target.given} is a directory.`)
  if (kind !== 'file') throw new FilewrightError('not_regular', `${target.given} is not a regular file.`)
  const reader = await view.open(target.path)
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

/** Bytes that are read first; what is missing is read in ever larger parts. */
const FIRST_READ = 64 * 1024
const GROWTH = 8

interface Bounds {
  readonly limit: number
  readonly signal: AbortSignal
  readonly target: Resolved
}

/** The bytes of some lines; no more is read of a large file than it takes to find them. */
async function readLines(reader: Reader, { end, lines }: Exclude<Part, { end: 'whole' }>, bounds: Bounds): Promise<Uint8Array> {
  for (let size = Math.min(FIRST_READ, bounds.limit); ; size = Math.min(size * GROWTH, bounds.limit)) {
    bounds.signal.throwIfAborted()
    const from = end === 'head' ? 0 : Math.max(0, reader.size - size)
    const bytes = await readRange(reader, from, from + size)
    const whole = bytes.length >= reader.size
    const found = end === 'head' ? firstLines(bytes, lines, whole) : lastLines(bytes, lines, whole)
    if (found) return found
    if (size === bounds.limit) {
      throw new FilewrightError('too_large', `${lines} lines of ${bounds.target.given} have more than ${size} bytes: ask for fewer.`, {
        details: { size: reader.size, limit: size },
      })
    }
  }
}

/** The first lines of bytes that begin a file; null when it takes more bytes to tell. */
function firstLines(bytes: Uint8Array, count: number, whole: boolean): Uint8Array | null {
  const end = skipLines(bytes, count)
  if (end < 0 && !whole) return null
  return withoutLastEnd(end < 0 ? bytes : bytes.subarray(0, end))
}

/** The last lines of bytes that end a file; null when it takes more bytes to tell. */
function lastLines(bytes: Uint8Array, count: number, whole: boolean): Uint8Array | null {
  let start = bytes.length
  for (let left = count; left > 0 && start > 0; left--) start = lineStart(bytes, start - 1)
  // What begins before these bytes may not be a whole line.
  if (start === 0 && !whole) return null
  return withoutLastEnd(bytes.subarray(start))
}

function withoutLastEnd(lines: Uint8Array): Uint8Array {
  if (lines[lines.length - 1] !== LF) return lines
  return lines.subarray(0, textEnd(lines, 0, lines.length))
}
