/** Brings a folder of the person's computer in: hashed here, asked for what is missing, sent in bounded requests, finished as one change. */
import type { Hasher } from '../../src/core/hash.ts'
import { frameHeader } from '../../src/http/frames.ts'
import { HTTP_LIMITS, type ImportManifest, type ManifestFile, type RecordAnswer } from '../../src/http/routes.ts'
import type { WorkspaceClient } from './client.ts'

/** One file that was chosen, under its path in the folder. */
export interface ChosenFile {
  readonly path: string
  readonly file: File
}

/** What was chosen or dropped. */
export interface ChosenFolder {
  readonly name: string
  readonly files: readonly ChosenFile[]
  /** Directories without files. */
  readonly directories: readonly string[]
}

/** How far an import is. */
export interface ImportProgress {
  readonly step: 'hashing' | 'asking' | 'sending' | 'finishing'
  readonly files: number
  readonly totalFiles: number
  readonly bytes: number
  readonly totalBytes: number
}

/** Content of one request: small enough for steady progress. */
const BATCH_BYTES = 4 * 1024 * 1024

/** Content that may have to be sent. */
interface Stored {
  readonly hash: string
  readonly size: number
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer>>
}

/** Imports the folder. Throws {@link ApiError}; content that was sent already is not sent again by the next try. */
export async function importFolder(
  client: WorkspaceClient,
  folder: ChosenFolder,
  hasher: Hasher,
  options: { readonly replace: boolean; readonly signal: AbortSignal; readonly progress: (progress: ImportProgress) => void },
): Promise<RecordAnswer> {
  const totalFiles = folder.files.length
  const totalBytes = folder.files.reduce((sum, { file }) => sum + file.size, 0)
  const tell = (step: ImportProgress['step'], files: number, bytes: number): void =>
    options.progress({ step, files, totalFiles, bytes, totalBytes })

  const contents = new Map<string, Stored>()
  const listed: ManifestFile[] = folder.directories.map((path) => ({ path, directory: true }))
  let hashed = 0
  for (const [index, { path, file }] of folder.files.entries()) {
    options.signal.throwIfAborted()
    const hash = await hashFile(file, hasher)
    listed.push({ path, hash, mtimeMs: file.lastModified })
    contents.set(hash, { hash, size: file.size, bytes: async () => new Uint8Array(await file.arrayBuffer()) })
    hashed += file.size
    if (index % 50 === 0) tell('hashing', index, hashed)
  }

  const manifests: string[] = []
  for (let at = 0; at < listed.length; at += HTTP_LIMITS.manifestFiles) {
    const manifest: ImportManifest = { files: listed.slice(at, at + HTTP_LIMITS.manifestFiles) }
    const bytes = new TextEncoder().encode(JSON.stringify(manifest))
    const hash = hasher.hash(bytes)
    manifests.push(hash)
    contents.set(hash, { hash, size: bytes.length, bytes: async () => bytes })
  }

  tell('asking', 0, 0)
  const missing = await missingOf(client, [...contents.keys()])
  let sentFiles = totalFiles - missing.length
  let sentBytes = totalBytes - missing.reduce((sum, hash) => sum + (contents.get(hash)?.size ?? 0), 0)
  for (const batch of batches(missing, contents)) {
    options.signal.throwIfAborted()
    tell('sending', Math.max(0, sentFiles), Math.max(0, sentBytes))
    await client.sendContent(await frame(batch), options.signal)
    sentFiles += batch.length
    sentBytes += batch.reduce((sum, { size }) => sum + size, 0)
  }
  tell('finishing', totalFiles, totalBytes)
  const note = `Import of ${folder.name} (${totalFiles.toLocaleString('en')} files)`
  return client.finishImport({ manifests, note, replace: options.replace })
}

async function hashFile(file: File, hasher: Hasher): Promise<string> {
  if (file.size <= BATCH_BYTES) return hasher.hash(new Uint8Array(await file.arrayBuffer()))
  const stream = hasher.stream()
  const reader = file.stream().getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) stream.update(part.value)
  return stream.digest()
}

async function missingOf(client: WorkspaceClient, hashes: readonly string[]): Promise<string[]> {
  const missing: string[] = []
  for (let at = 0; at < hashes.length; at += HTTP_LIMITS.hashes) {
    missing.push(...(await client.missing({ hashes: hashes.slice(at, at + HTTP_LIMITS.hashes) })).missing)
  }
  return missing
}

function* batches(missing: readonly string[], contents: ReadonlyMap<string, Stored>): Generator<Stored[]> {
  let batch: Stored[] = []
  let size = 0
  for (const hash of missing) {
    const content = contents.get(hash)
    if (!content) continue
    if (batch.length > 0 && size + content.size > BATCH_BYTES) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(content)
    size += content.size
  }
  if (batch.length > 0) yield batch
}

async function frame(batch: readonly Stored[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: BlobPart[] = []
  for (const { hash, size, bytes } of batch) parts.push(frameHeader(hash, size), await bytes())
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
