/** Records that came from elsewhere, checked before anything is made of them: their shape, their paths, their hashes. */
import { z } from 'zod'
import type { RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { type Path, parsePath } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'

/** Longest line, in UTF-8 bytes: a record of very many changes is one. */
export const LINE_BYTES: number = 64 * 1024 * 1024

const NEWLINE = 0x0a

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const size = z.number().int().min(0)
const mode = z.number().int().min(0).max(0o777)
const path = z.string().refine(isCanonical, 'is no path inside a workspace')
const side = z.union([
  z.strictObject({ kind: z.literal('file'), hash, size, mode }),
  z.strictObject({ kind: z.literal('directory'), mode }),
  z.strictObject({ kind: z.literal('link'), target: z.string().min(1).max(4096) }),
])
// The hash of a record covers what else stands in its changes.
const changes = z.array(
  z.looseObject({
    kind: z.enum(['write', 'remove', 'move', 'makeDirectory', 'link', 'copy', 'snapshot']),
    path,
    to: path.optional(),
    from: path.optional(),
    before: side.nullable(),
    after: side.nullable(),
    backup: z.looseObject({ id: z.string().max(100), label: z.string().optional() }).optional(),
    kept: z.boolean(),
  }),
)
const record = z.looseObject({
  id: z.string().max(100),
  time: z.string().max(100),
  kind: z.enum(['call', 'import', 'undo', 'redo', 'external', 'purge', 'git']),
  subject: z.string(),
  tool: z.string(),
  sequence: z.number().int().min(1),
  count: size,
  changes: changes.nullable(),
  changesHash: hash,
  previous: hash.nullable(),
  hash,
})

function isCanonical(text: string): boolean {
  try {
    return parsePath(text, { root: '', aliases: [] }).parts.join('/') === text && !text.split('/').includes('..')
  } catch {
    return false
  }
}

/** A path from elsewhere. Throws `corrupt` when it is no canonical path of something inside a workspace. */
export function foreignPath(text: unknown, where: string): Path {
  if (typeof text === 'string' && isCanonical(text)) return text as Path
  throw corrupt(where, 'names a path that is none')
}

/** A record from elsewhere. Throws `corrupt` when its shape is wrong; its hash is not checked here. */
export function foreignRecord(value: unknown, where: string): JournalRecord {
  return checked(record, value, where) as unknown as JournalRecord
}

/** Changes from elsewhere. Throws `corrupt` when their shape is wrong, or a path leads anywhere but inside a workspace. */
export function foreignChanges(value: unknown, where: string): readonly RecordedChange[] {
  return checked(changes, value, where) as unknown as readonly RecordedChange[]
}

/** A side from elsewhere. Throws `corrupt` when its shape is wrong. */
export function foreignSide(value: unknown, where: string): Side {
  return checked(side, value, where) as Side
}

/** A hash from elsewhere. Throws `corrupt` for anything else. */
export function foreignHash(value: unknown, where: string): Hash {
  return checked(hash, value, where) as Hash
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const issue = error.issues[0]
  throw corrupt(where, `is not what it should be${issue ? ` (${issue.path.join('.')} ${issue.message})` : ''}`)
}

/** A line as JSON. Throws `corrupt`. */
export function parseLine(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw corrupt(where, 'is not JSON')
  }
}

/** The error for data from elsewhere. */
export function corrupt(where: string, what: string): FilewrightError {
  return new FilewrightError('corrupt', `${where} ${what}.`)
}

/** The lines of a text that comes in parts, without their ends. Throws `too_large` for one above `limit` bytes. */
export async function* linesOf(body: AsyncIterable<Uint8Array>, limit: number = LINE_BYTES): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let length = 0
  const take = (): string => {
    const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
    const text = parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
    parts = []
    length = 0
    return text
  }
  for await (const block of body) {
    for (let from = 0; from < block.length; ) {
      const end = block.indexOf(NEWLINE, from)
      const part = block.slice(from, end < 0 ? block.length : end)
      length += part.length
      if (length > limit) throw new FilewrightError('too_large', `A line is longer than ${limit} bytes.`)
      parts.push(part)
      if (end < 0) break
      yield take()
      from = end + 1
    }
  }
  if (length > 0) yield take()
}
