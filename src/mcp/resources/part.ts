/** One part of some bytes as the contents of a resource: text where it is text, else base 64. */
import type { BlobResourceContents, TextResourceContents } from '@modelcontextprotocol/server'
import { FilewrightError } from '../../core/errors.ts'
import { toBase64 } from '../../text/base64.ts'
import { mimeType } from '../../text/mime.ts'
import { BINARY_TEST_BYTES, cutTail, isBinary, isUtf8 } from '../../text/utf8.ts'
import type { Part } from './uri.ts'

/** Bytes that can be read in parts. */
export interface Source {
  readonly size: number
  /** At most `length` bytes from `offset` on; fewer only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
}

/** What is known of a source beside its bytes. */
export interface SourceFacts {
  readonly uri: string
  /** Tells the type together with the first bytes. */
  readonly name: string
  /** The type, where it is known already. */
  readonly type?: string
}

/** Key of a part's place among the `_meta` of contents: `offset`, `length` and `size` in bytes, and `next`, null at the end. */
export const RANGE_META = 'filewright/range'

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/**
 * The contents: all of them, or a part. A part of a text never ends inside of a character: then it is shorter, and `next` says where
 * to go on. Throws `too_large` for more than `limit` bytes without a part.
 */
export async function readPart(
  source: Source,
  facts: SourceFacts,
  part: Part | null,
  limit: number,
): Promise<TextResourceContents | BlobResourceContents> {
  const { size } = source
  if (part === null && size > limit) throw tooLarge(facts, size, limit)
  const offset = Math.min(part?.offset ?? 0, size)
  const length = Math.min(part?.length ?? limit, limit, size - offset)
  const bytes = await source.read(offset, length)
  const head = offset === 0 && bytes.length >= Math.min(size, BINARY_TEST_BYTES) ? bytes : await source.read(0, BINARY_TEST_BYTES)
  const binary = facts.type === undefined && isBinary(head)
  // The whole characters of it, when it is a text: the start may have been chosen inside of one, which is not mended.
  const whole = offset + bytes.length < size ? bytes.subarray(0, bytes.length - cutTail(bytes)) : bytes
  const isText = !binary && (whole.length > 0 || bytes.length === 0) && isUtf8(whole)
  const given = isText ? whole : bytes
  const next = offset + given.length
  const range = { offset, length: given.length, size, next: next < size ? next : null }
  return {
    uri: facts.uri,
    mimeType: facts.type ?? mimeType(facts.name, binary || !isText),
    ...(isText ? { text: decoder.decode(given) } : { blob: toBase64(given) }),
    ...(part !== null && { _meta: { [RANGE_META]: range } }),
  } as TextResourceContents | BlobResourceContents
}

function tooLarge({ uri }: SourceFacts, size: number, limit: number): FilewrightError {
  const message = `The resource has ${size} bytes; at most ${limit} are read at once. Read it in parts: ${uri}?offset=0&length=${limit}.`
  return new FilewrightError('too_large', message, { details: { size, limit } })
}
