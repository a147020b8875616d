/** Bringing a folder in over HTTP: contents by hash in bounded requests, then one request that makes them one change. */
import { z } from 'zod'
import type { Content } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import { readAll } from '../core/read.ts'
import type { JournalRecord } from '../core/record.ts'
import { decodeStrict } from '../text/utf8.ts'
import { parseArguments } from '../tools/arguments.ts'
import type { ImportedFile, Workspace } from '../workspace/workspace.ts'
import { readFrames } from './frames.ts'
import { parseJson } from './json.ts'
import { HTTP_LIMITS, type MissingAnswer, type StoredAnswer } from './routes.ts'

/** Most missing hashes that an error names. */
const MISSING_NAMED = 100

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 of 64 lower-case hex digits')
  .transform((text) => text as Hash)

const hashList = z.strictObject({ hashes: z.array(hash).max(HTTP_LIMITS.hashes) })

const manifest = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: z.string(),
        hash: hash.optional(),
        link: z.string().optional(),
        directory: z.literal(true).optional(),
        mode: z.int().min(0).max(0o777).optional(),
        mtimeMs: z.number().optional(),
      }),
    )
    .max(HTTP_LIMITS.manifestFiles),
})

const importRequest = z.strictObject({
  manifests: z.array(hash).min(1).max(HTTP_LIMITS.hashes),
  note: z.string().max(500).optional(),
  replace: z.boolean().optional(),
})

/** Which of the hashes the workspace does not hold. */
export async function missingContent(workspace: Workspace, body: unknown): Promise<MissingAnswer> {
  const { hashes } = parseArguments({ input: hashList }, body)
  const missing: Hash[] = []
  for (const one of new Set(hashes)) if ((await heldSize(workspace.fs, one)) === null) missing.push(one)
  return { missing }
}

/** Stores the contents of a framed body. Each counts as soon as it is stored, also when a later one fails. */
export async function storeContent(workspace: Workspace, pieces: AsyncIterable<Uint8Array>): Promise<StoredAnswer> {
  let stored = 0
  let bytes = 0
  for await (const frame of readFrames(pieces, workspace.fs.traits.limits.inlineBytes)) {
    const content = await workspace.stage(frame.body)
    if (content.hash !== frame.hash) {
      throw new FilewrightError(
        'invalid_argument',
        `Content ${stored + 1} of the body does not have the hash ${frame.hash}: send it again.`,
      )
    }
    stored++
    bytes += content.size
  }
  return { stored, bytes }
}

/** Makes one change of all files that the manifests list. Throws `not_found` with `details.missing` when content is missing. */
export async function finishImport(workspace: Workspace, body: unknown): Promise<JournalRecord> {
  const { manifests, note, replace } = parseArguments({ input: importRequest }, body)
  const { fs } = workspace
  const missing = new Set<Hash>()
  const files: ImportedFile[] = []
  for (const page of manifests) {
    if ((await heldSize(fs, page)) === null) {
      missing.add(page)
      continue
    }
    for (const { hash: wanted, ...file } of await readManifest(fs, page)) {
      const size = wanted === undefined ? null : await heldSize(fs, wanted)
      if (wanted !== undefined && size === null) missing.add(wanted)
      files.push(importedFile(file, wanted === undefined || size === null ? null : { hash: wanted, size }))
    }
  }
  if (missing.size > 0) {
    const details = { missing: [...missing].slice(0, MISSING_NAMED), count: missing.size }
    throw new FilewrightError('not_found', `${missing.size} contents of the import are missing: send them first.`, { details })
  }
  return workspace.importFiles(files, { ...(note === undefined ? {} : { note }), replace: replace ?? false })
}

async function readManifest(fs: FileSystem, page: Hash): Promise<z.output<typeof manifest>['files']> {
  const reader = await fs.object(page)
  try {
    const bytes = await readAll(reader, HTTP_LIMITS.jsonBytes, 'The manifest')
    return parseArguments({ input: manifest }, parseJson(decodeStrict(bytes, 'The manifest'))).files
  } finally {
    await reader.close()
  }
}

/** Undefined members are left out: the workspace tells content, link and directory apart by what is there. */
function importedFile(file: Omit<z.output<typeof manifest>['files'][number], 'hash'>, content: Content | null): ImportedFile {
  const { path, link, directory, mode, mtimeMs } = file
  return {
    path,
    ...(content === null ? {} : { content }),
    ...(link === undefined ? {} : { link }),
    ...(directory === undefined ? {} : { directory }),
    ...(mode === undefined ? {} : { mode }),
    ...(mtimeMs === undefined ? {} : { mtimeMs }),
  }
}

/** The size of content that is held or staged; null when it is not. */
async function heldSize(fs: FileSystem, wanted: Hash): Promise<number | null> {
  try {
    const reader = await fs.object(wanted)
    const { size } = reader
    await reader.close()
    return size
  } catch (error) {
    if (isFilewrightError(error, 'not_found')) return null
    throw error
  }
}
