/** Files and standard streams that commands read and write as bytes. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { FilewrightError } from '../core/errors.ts'
import type { Streams, TextStream } from './output.ts'

/** The name that stands for standard input and output. */
export const STANDARD = '-'

const BLOCK = 256 * 1024

/** The bytes of a file, or of standard input. Throws `not_found`, `permission_denied` or `io_error` naming the file. */
export async function* readFileParts(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* file === STANDARD ? process.stdin : createReadStream(file, { highWaterMark: BLOCK })
  } catch (error) {
    throw failure(file, error, 'read')
  }
}

/**
 * Writes parts to a file that must not be there yet, or to standard output; answers how many bytes. A file that could not be
 * finished is removed. Throws `already_exists`, `permission_denied` or `io_error` naming the file, and what making the parts throws.
 */
export async function writeFileParts(file: string, parts: AsyncIterable<Uint8Array>, streams: Streams): Promise<number> {
  if (file === STANDARD) return writeStandard(parts, streams)
  const handle = await open(file, 'wx').catch((error) => {
    throw failure(file, error, 'written')
  })
  let bytes = 0
  try {
    for await (const part of parts) {
      await writeAll(handle, part, file)
      bytes += part.length
    }
    await handle.sync()
  } catch (error) {
    await handle.close()
    await unlink(file)
    throw error
  }
  await handle.close()
  return bytes
}

async function writeAll(handle: FileHandle, part: Uint8Array, file: string): Promise<void> {
  try {
    for (let at = 0; at < part.length; ) at += (await handle.write(part, at)).bytesWritten
  } catch (error) {
    throw failure(file, error, 'written')
  }
}

async function writeStandard(parts: AsyncIterable<Uint8Array>, { stdout }: Streams): Promise<number> {
  let bytes = 0
  for await (const part of parts) {
    if (stdout.write(part) === false) await drained(stdout)
    // The reader went away.
    if (stdout.destroyed) break
    bytes += part.length
  }
  return bytes
}

/** A reader that is slow is waited for. */
function drained(stream: TextStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.once) return resolve()
    const done = (): void => {
      for (const event of EVENTS) stream.off?.(event, done)
      resolve()
    }
    for (const event of EVENTS) stream.once(event, done)
  })
}

const EVENTS = ['drain', 'close'] as const

function failure(file: string, error: unknown, done: 'read' | 'written'): FilewrightError {
  const codes = {
    ENOENT: 'not_found',
    EEXIST: 'already_exists',
    EACCES: 'permission_denied',
    EISDIR: 'is_directory',
    ENOSPC: 'no_space',
  } as const
  const code = codes[(error as NodeJS.ErrnoException).code as keyof typeof codes] ?? 'io_error'
  const why = code === 'already_exists' ? 'exists already: choose another name' : `cannot be ${done}`
  return new FilewrightError(code, `${file} ${why}.`, { cause: error })
}
