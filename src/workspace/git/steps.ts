/** From what git says a path should be to the changes that make it so. */
import type { Change, Content, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { expectSide, sideAt } from '../../core/inverse.ts'
import { textOfBytes } from '../../core/name_bytes.ts'
import { namesOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import type { GitMode, MergedPath, Repository } from '../../core/repository.ts'

/** Most bytes of contents that are held until the commit; what comes after is staged, which is slower for small files. */
const INLINE_IN_ALL = 64 * 1024 * 1024

/**
 * The changes after which the files are as wanted: removals first, then directories that nothing is left in, then what takes their
 * place. Content is staged on the way, one file at a time. Throws `unsupported` for a submodule, whose files are in another
 * repository, and `too_large` above the limit of the storage.
 */
export async function stepsFor(fs: FileSystem, repository: Repository, wanted: readonly MergedPath[]): Promise<Change[]> {
  const removals: Change[] = []
  const puts: Change[] = []
  const inTheWay: Path[] = []
  const room = { bytes: INLINE_IN_ALL }
  await repository.prefetch(wanted.flatMap((one) => ('entry' in one && one.entry && one.entry.mode !== '160000' ? [one.entry.oid] : [])))
  for (const one of wanted) {
    const current = await sideAt(fs, one.path)
    const goal = await goalOf(fs, repository, one, room)
    const keepsPlace = goal !== null && current !== null && current.kind === (goal.link === undefined ? 'file' : 'link')
    if (current && current.kind !== 'directory' && !keepsPlace) {
      removals.push({ kind: 'remove', path: one.path, expect: expectSide(current), keep: 'undo' })
    }
    if (goal && current?.kind === 'directory') inTheWay.push(one.path)
    if (goal) puts.push(...put(one.path, keepsPlace ? current : null, goal))
  }
  const gone = new Set(removals.map(({ path }) => path))
  const emptied = await emptiedDirectories(fs, gone, puts)
  for (const { path } of emptied) gone.add(path)
  const cleared = await clearedDirectories(fs, gone, inTheWay)
  for (const { path } of cleared) gone.add(path)
  return [...removals, ...emptied, ...cleared, ...(await newDirectories(fs, gone, puts)), ...puts]
}

/** What is to be at a path. */
interface Goal {
  readonly executable: boolean
  readonly content?: Content
  /** The text of a link, instead. */
  readonly link?: string
}

async function goalOf(fs: FileSystem, repository: Repository, one: MergedPath, room: { bytes: number }): Promise<Goal | null> {
  if ('entry' in one && one.entry === null) return null
  const mode: GitMode = 'entry' in one ? (one.entry as NonNullable<typeof one.entry>).mode : one.mode
  if (mode === '160000') {
    throw new FilewrightError('unsupported', `${one.path} is a submodule, whose commit only git itself can change here.`, {
      details: { path: one.path },
    })
  }
  const bytes = 'entry' in one ? await bytesOf(fs, repository, one) : one.bytes
  if (mode === '120000') return { executable: false, link: textOfBytes(bytes) }
  const small = bytes.length <= Math.min(fs.traits.limits.inlineBytes, room.bytes)
  if (small) room.bytes -= bytes.length
  const content = small ? { hash: fs.hasher.hash(bytes), size: bytes.length, bytes } : await fs.stage(bytes)
  return { executable: mode === '100755', content }
}

async function bytesOf(
  fs: FileSystem,
  repository: Repository,
  { path, entry }: Extract<MergedPath, { entry: unknown }>,
): Promise<Uint8Array> {
  const limit = fs.traits.limits.fileBytes
  const { bytes, size } = await repository.blob((entry as NonNullable<typeof entry>).oid, limit)
  if (bytes) return bytes
  throw new FilewrightError('too_large', `${path} has ${size} bytes; the limit is ${limit}.`, { details: { path } })
}

/** One path, where nothing is or what is there is of the same kind. */
function put(path: Path, current: Side | null, { executable, content, link }: Goal): Change[] {
  const taken = { expect: expectSide(current), keep: 'undo' } as const
  if (link !== undefined) return current?.kind === 'link' && current.target === link ? [] : [{ kind: 'link', path, target: link, ...taken }]
  const mode = modeFor(current, executable)
  if (current?.kind === 'file' && content?.hash === current.hash && mode === undefined) return []
  return [{ kind: 'write', path, content: content as Content, ...(mode !== undefined && { mode }), ...taken }]
}

/** Git knows one bit; the others stay, and who may read a program may run it. Undefined when nothing is to change. */
function modeFor(current: Side | null, executable: boolean): number | undefined {
  if (current?.kind !== 'file') return executable ? 0o755 : undefined
  const { mode } = current
  if (executable === ((mode & 0o100) !== 0)) return undefined
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}

/** Removes directories of which nothing is left, those farther down first; git has none that is empty. */
async function emptiedDirectories(fs: FileSystem, gone: ReadonlySet<Path>, puts: readonly Change[]): Promise<Change[]> {
  const missing = new Set(gone)
  const above = new Set([...gone].flatMap(parentsOf))
  const needed = new Set(puts.flatMap(({ path }) => parentsOf(path)))
  const emptied: Change[] = []
  for (const dir of [...above].sort((a, b) => namesOf(b).length - namesOf(a).length)) {
    if (needed.has(dir) || !(await fs.list(dir)).every(({ path }) => missing.has(path))) continue
    missing.add(dir)
    emptied.push({ kind: 'remove', path: dir, expect: 'directory' })
  }
  return emptied
}

/**
 * Removes directories that stand where something else is to be and hold no more than empty ones, which git knows nothing of. Throws
 * `conflict` where one holds what a commit cannot.
 */
async function clearedDirectories(fs: FileSystem, gone: ReadonlySet<Path>, inTheWay: readonly Path[]): Promise<Change[]> {
  const cleared: Change[] = []
  for (const path of inTheWay) {
    if (gone.has(path)) continue
    const below: Path[] = []
    for await (const page of fs.scan(path)) {
      for (const entry of page) {
        if (gone.has(entry.path)) continue
        if (entry.kind === 'directory') below.push(entry.path)
        else
          throw new FilewrightError('conflict', `${entry.path} is in the way of ${path}, which is no directory there: move it away first.`)
      }
    }
    // What is in a directory comes after it.
    for (const dir of [path, ...below].reverse()) cleared.push({ kind: 'remove', path: dir, expect: 'directory' })
  }
  return cleared
}

/** Makes the directories that are not there, parents first. Throws `conflict` where something else stands in the place of one. */
async function newDirectories(fs: FileSystem, gone: ReadonlySet<Path>, puts: readonly Change[]): Promise<Change[]> {
  const known = new Set<Path>()
  const made: Change[] = []
  for (const dir of puts.flatMap(({ path }) => parentsOf(path).reverse())) {
    if (known.has(dir)) continue
    known.add(dir)
    const side = gone.has(dir) ? null : await sideAt(fs, dir)
    if (side === null) made.push({ kind: 'makeDirectory', path: dir })
    else if (side.kind !== 'directory') throw new FilewrightError('conflict', `${dir} is no directory: nothing can be put into it.`)
  }
  return made
}

/** The directories above a path, the nearest first. */
function parentsOf(path: Path): Path[] {
  const parents: Path[] = []
  for (let at = parentOf(path); at !== ROOT; at = parentOf(at)) parents.push(at)
  return parents
}
