/** What a run of records did, as one patch that `git apply` takes. */
import type { Side } from '../../core/change.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import { checkProtected } from '../../policy/protected.ts'
import { equalBytes } from '../../text/bytes.ts'
import { gitBlobId, gitLiteral } from '../../text/diff/git_binary.ts'
import { quoteName, unifiedDiff } from '../../text/diff/unified.ts'
import { isUtf8 } from '../../text/utf8.ts'
import { lossOf } from './losses.ts'
import { findRun, type RecordRange, treesOf } from './range.ts'
import type { PastLeaf, PastNode } from './tree.ts'
import { treeDifferences } from './tree_difference.ts'

/** The part of a patch that concerns one path. */
export interface PatchPart {
  readonly path: Path
  /** Null for what git would not take: its own files. */
  readonly text: string | null
}

/**
 * The net difference between the tree before a run of records and after it, path by path, in the order of git. Git knows no empty
 * directories and one permission bit, so neither does the patch; a moved file is deleted here and new there. Content that is no
 * UTF-8 text is a binary patch. Throws what finding the records throws, `unsupported` when content is not held any more, `too_large`
 * for a file above `traits.limits.textBytes`.
 */
export async function* patchOf(fs: FileSystem, range: RecordRange): AsyncGenerator<PatchPart> {
  const { before, after, state } = await treesOf(fs, await findRun(fs, range))
  for await (const difference of treeDifferences(fs, before, after)) {
    const { path } = difference
    const [from, to] = [leafOf(difference.before), leafOf(difference.after)]
    if (!from && !to) continue
    if (checkProtected(path, { allowGitInternals: false })) {
      yield { path, text: null }
      continue
    }
    const [was, is] = [from && (await blobOf(fs, path, from, state)), to && (await blobOf(fs, path, to, state))]
    const text = await filePatch(path, was, is)
    if (text !== '') yield { path, text }
  }
}

const leafOf = (node: PastNode | null): PastLeaf | null => (node && node.kind !== 'directory' ? node : null)

/** A file or link as git knows it. */
interface Blob {
  readonly mode: '100644' | '100755' | '120000'
  readonly bytes: Uint8Array
}

async function blobOf(fs: FileSystem, path: Path, leaf: PastLeaf, state: ReadonlyMap<Path, Side | null>): Promise<Blob> {
  const side = leaf.kind === 'recorded' ? leaf.side : (state.get(leaf.origin) ?? null)
  if (side?.kind === 'link') return linkBlob(side.target)
  if (side?.kind === 'file') return { mode: gitMode(side.mode), bytes: await recordedBytes(fs, path, side) }
  // Only moved, so no record tells what it holds.
  const { entry, origin } = leaf as Extract<PastLeaf, { kind: 'stored' }>
  if (entry.kind === 'link') return linkBlob(entry.target ?? (await fs.readLink(origin)))
  return { mode: gitMode(entry.mode ?? 0), bytes: await readWhole(await fs.open(origin), fs, path) }
}

const gitMode = (mode: number): Blob['mode'] => (mode & 0o100 ? '100755' : '100644')
const linkBlob = (target: string): Blob => ({ mode: '120000', bytes: new TextEncoder().encode(target) })

async function recordedBytes(fs: FileSystem, path: Path, { hash }: Extract<Side, { kind: 'file' }>): Promise<Uint8Array> {
  try {
    return await readWhole(await fs.object(hash), fs, path)
  } catch (error) {
    if (!isFilewrightError(error, 'not_found')) throw error
    throw new FilewrightError('unsupported', `A content of ${path} ${await lossOf(fs, hash)}, so it cannot be exported.`, {
      details: { path, sha256: hash },
    })
  }
}

async function readWhole(reader: Awaited<ReturnType<FileSystem['open']>>, fs: FileSystem, path: Path): Promise<Uint8Array> {
  try {
    return await readAll(reader, fs.traits.limits.textBytes, path)
  } finally {
    await reader.close()
  }
}

async function filePatch(path: Path, was: Blob | null, is: Blob | null): Promise<string> {
  // A file that became a link, or the other way round, is another thing to git.
  if (was && is && (was.mode === '120000') !== (is.mode === '120000'))
    return (await filePatch(path, was, null)) + (await filePatch(path, null, is))
  const body = was && is && equalBytes(was.bytes, is.bytes) ? '' : await contentPatch(path, was, is)
  if (body === '' && was?.mode === is?.mode) return ''
  const lines = [`diff --git ${quoteName(`a/${path}`)} ${quoteName(`b/${path}`)}`]
  if (!was) lines.push(`new file mode ${is?.mode}`)
  else if (!is) lines.push(`deleted file mode ${was.mode}`)
  else if (was.mode !== is.mode) lines.push(`old mode ${was.mode}`, `new mode ${is.mode}`)
  return `${lines.join('\n')}\n${body}`
}

const NOTHING = new Uint8Array()
const NO_BLOB = '0'.repeat(40)

async function contentPatch(path: Path, was: Blob | null, is: Blob | null): Promise<string> {
  const [before, after] = [was?.bytes ?? NOTHING, is?.bytes ?? NOTHING]
  const index = `index ${was ? await gitBlobId(before) : NO_BLOB}..${is ? await gitBlobId(after) : NO_BLOB}\n`
  if (isText(before) && isText(after)) {
    const { text } = unifiedDiff(before, after, { oldPath: was && path, newPath: is && path, maxChars: Number.MAX_SAFE_INTEGER })
    return index + text
  }
  return `${index}GIT binary patch\n${await gitLiteral(after)}${await gitLiteral(before)}`
}

/** Whether the patch, which is text, can hold it as it is. */
function isText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && isUtf8(bytes)
}
