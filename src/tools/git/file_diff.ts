/** One path of a difference between trees, in git's own format: what `git apply` takes, or a note that says why it cannot. */
import type { GitEntry, RepositoryReads, TreeChange } from '../../core/repository.ts'
import { quoteName, unifiedDiff } from '../../text/diff/unified.ts'
import { decodeLossy, encodeText, isBinary, isUtf8 } from '../../text/utf8.ts'

/** Largest side that is compared, in bytes. */
export const COMPARED_BYTES: number = 2 * 1024 * 1024
/** How notes of pointers begin: the patch looks like any other. */
export const POINTER = 'pointer of Git LFS'
/** Longest pointer of git's large file storage. */
const POINTER_BYTES = 1024
const NOTHING = new Uint8Array()
const NO_BLOB = '0'.repeat(40)
/** Digits of an object's name that are shown. */
const SHORT = 7

/** How one path differs. */
export interface FileDiff {
  /** A patch of this path; empty where the content is of a kind that no patch in text holds. */
  readonly text: string
  /** What the patch does not say by itself. */
  readonly note: string | null
  readonly added: number
  readonly removed: number
  /** Sizes of what is there before and after; null where nothing is, or nothing that has bytes here. */
  readonly bytesBefore: number | null
  readonly bytesAfter: number | null
}

interface Side {
  readonly entry: GitEntry
  readonly size: number | null
  /** Null when there are too many to compare. */
  readonly bytes: Uint8Array | null
}

/** The difference at one path. Throws what reading the repository throws. */
export async function diffOfPath(repository: RepositoryReads, change: TreeChange, context?: number): Promise<FileDiff> {
  const before = change.before && (await sideOf(repository, change.before))
  const after = change.after && (await sideOf(repository, change.after))
  const sizes = { bytesBefore: before?.size ?? null, bytesAfter: after?.size ?? null }
  // Something that became something else is another thing to git: the one goes, the other comes.
  if (before && after && kindOf(before.entry) !== kindOf(after.entry)) {
    const [gone, made] = [patchOf(change.path, before, null, context), patchOf(change.path, null, after, context)]
    const notes = [gone.note, made.note].filter((note) => note !== null)
    return {
      text: gone.text + made.text,
      note: [`${kindName(before.entry)} → ${kindName(after.entry)}`, ...notes].join('; '),
      added: made.added,
      removed: gone.removed,
      ...sizes,
    }
  }
  return { ...patchOf(change.path, before, after, context), ...sizes }
}

async function sideOf(repository: RepositoryReads, entry: GitEntry): Promise<Side> {
  // A submodule's commit is in its own repository.
  if (entry.mode === '160000') return { entry, size: null, bytes: encodeText(`Subproject commit ${entry.oid}\n`) }
  return { entry, ...(await repository.blob(entry.oid, COMPARED_BYTES)) }
}

type Patch = Pick<FileDiff, 'text' | 'note' | 'added' | 'removed'>

function patchOf(path: string, before: Side | null, after: Side | null, context: number | undefined): Patch {
  const same = before !== null && before.entry.oid === after?.entry.oid
  const body = same ? { text: '', note: null, added: 0, removed: 0 } : contentOf(path, before, after, context)
  if (body === null || (body.note !== null && body.text === '')) return { text: '', note: body?.note ?? null, added: 0, removed: 0 }
  return { ...body, text: header(path, before, after, same) + body.text, note: joined(modeNote(before, after), body.note) }
}

function header(path: string, before: Side | null, after: Side | null, same: boolean): string {
  const lines = [`diff --git ${quoteName(`a/${path}`)} ${quoteName(`b/${path}`)}`]
  const [was, is] = [before?.entry.mode, after?.entry.mode]
  if (was === undefined) lines.push(`new file mode ${is}`)
  else if (is === undefined) lines.push(`deleted file mode ${was}`)
  else if (was !== is) lines.push(`old mode ${was}`, `new mode ${is}`)
  const names = [before, after].map((side) => (side?.entry.oid ?? NO_BLOB).slice(0, SHORT)).join('..')
  if (!same) lines.push(`index ${names}${was !== undefined && was === is ? ` ${is}` : ''}`)
  return `${lines.join('\n')}\n`
}

function contentOf(path: string, before: Side | null, after: Side | null, context: number | undefined): Patch {
  const without = (note: string): Patch => ({ text: '', note, added: 0, removed: 0 })
  const told = `${sizeText(before)} → ${sizeText(after)}`
  const [old, now] = [before ? before.bytes : NOTHING, after ? after.bytes : NOTHING]
  if (old === null || now === null) return without(`too large to compare here: ${told}`)
  if (isBinary(old) || isBinary(now)) return without(`binary: ${told}`)
  if (!isUtf8(old) || !isUtf8(now)) return without(`not UTF-8: ${told}`)
  const { text, added, removed } = unifiedDiff(old, now, {
    oldPath: before && path,
    newPath: after && path,
    context,
    maxChars: Number.POSITIVE_INFINITY,
  })
  return { text, note: contentNote(before, after), added, removed }
}

/** What a reader would not see in the lines. */
function contentNote(before: Side | null, after: Side | null): string | null {
  const { entry, bytes } = (after ?? before) as Side
  if (entry.mode === '160000') return 'submodule: its files are in another repository'
  if (entry.mode === '120000') return 'link: the line is where it leads'
  if (bytes === null || bytes.length > POINTER_BYTES) return null
  const { text } = decodeLossy(bytes)
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n')) return null
  const size = /^size (\d+)$/m.exec(text)?.[1]
  return `${POINTER}: the file's own ${size === undefined ? 'content is' : `${size} bytes are`} not in the repository`
}

function modeNote(before: Side | null, after: Side | null): string | null {
  if (!before || !after || before.entry.mode === after.entry.mode) return null
  return after.entry.mode === '100755' ? 'executable now' : 'no longer executable'
}

/** Files are of one kind, executable or not. */
function kindOf({ mode }: GitEntry): string {
  return mode === '100755' ? '100644' : mode
}

const KINDS: { readonly [mode in GitEntry['mode']]: string } = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
  '160000': 'submodule',
  '040000': 'directory',
}

function kindName({ mode }: GitEntry): string {
  return KINDS[mode]
}

function sizeText(side: Side | null): string {
  if (!side) return 'nothing'
  return side.size === null ? kindName(side.entry) : `${side.size} bytes`
}

function joined(first: string | null, second: string | null): string | null {
  return first !== null && second !== null ? `${first}; ${second}` : (first ?? second)
}
