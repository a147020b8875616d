/** Making the changes of another workspace again in this one, record by record, where each finds what it found there. */
import type { Change, RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError, toFilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { expectSide, sameSide, sideAt } from '../../core/inverse.ts'
import { type Path, parentOf } from '../../core/path.ts'
import { type JournalRecord, type RecordDraft, verifyRecord } from '../../core/record.ts'
import { fromBase64 } from '../../text/base64.ts'
import { corrupt, foreignChanges, foreignHash, foreignRecord, linesOf, parseLine } from './foreign.ts'
import { isHeld } from './losses.ts'
import { RECORDS_FORMAT } from './record_stream.ts'
import { childrenOf, type PastTree, presentTree } from './tree.ts'

/** What a replay asks of its workspace. */
export interface ReplayParts {
  readonly fs: FileSystem
  readonly dryRun: boolean
  newId(): string
  /** Throws for changes that may not be made. */
  guard(changes: readonly Change[]): void
  commit(changes: readonly Change[], parts: Pick<RecordDraft, 'kind' | 'tool' | 'note'>): Promise<unknown>
  onProgress(records: number): void
}

/** What a replay came to. */
export interface Replayed {
  /** How many records were made again, or would be. */
  readonly records: number
  /** Records that changed no file, such as purges. */
  readonly skipped: number
}

/**
 * Replays lines as {@link recordLines} writes them. Stops at the first record that does not fit, with the error of its kind, whose
 * `details` have its `sequence` and how many were `replayed`; what came before stays. Throws `corrupt` for lines that are not sound.
 */
export async function replayLines(parts: ReplayParts, body: AsyncIterable<Uint8Array>): Promise<Replayed> {
  const lines = linesOf(body)
  const { first, last } = headerOf(parseLine((await lines.next()).value ?? '', 'The first line'))
  const tree = parts.dryRun ? presentTree(parts.fs) : null
  const lost = new Set<Hash>()
  let previous: JournalRecord | undefined
  let [records, skipped] = [0, 0]
  for (let number = 2; ; number++) {
    const { value: text, done } = await lines.next()
    if (done) {
      if (previous?.sequence !== last) throw corrupt('The export', `ends before record ${last}`)
      return { records, skipped }
    }
    const where = `Line ${number}`
    const line = membersOf(parseLine(text, where), where)
    if ('object' in line) {
      const hash = foreignHash(line.object, where)
      // The source gave it up; this workspace may hold it all the same.
      if (line.size === null && !(await isHeld(parts.fs, hash))) lost.add(hash)
      if (line.size !== null) number += await takeObject(parts, lines, hash, line.size, where)
      continue
    }
    const changes = foreignChanges(line.changes, where)
    const record = foreignRecord({ ...membersOf(line.record, where), changes: null }, where)
    const before = previous ?? { sequence: first - 1, hash: record.previous }
    verifyRecord(parts.fs.hasher, { ...record, changes }, { sequence: before.sequence, hash: before.hash }, changes)
    previous = record
    if (changes.length === 0) skipped++
    else {
      await replayRecord(parts, record, changes, { tree, lost, replayed: records })
      records++
    }
    parts.onProgress(records)
  }
}

function headerOf(value: unknown): { readonly first: number; readonly last: unknown } {
  const { format, version, first, last } = membersOf(value, 'The first line')
  if (format !== RECORDS_FORMAT.format || typeof first !== 'number') throw corrupt('The first line', 'does not begin an export of records')
  if (version === RECORDS_FORMAT.version) return { first, last }
  throw new FilewrightError('unsupported', `Records of version ${JSON.stringify(version)} cannot be read; this program reads 1.`)
}

function membersOf(value: unknown, where: string): { readonly [key: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as { readonly [key: string]: unknown }
  throw corrupt(where, 'is not a JSON object')
}

/** Stages the content whose parts follow; answers how many lines they were. */
async function takeObject(
  { fs, dryRun }: ReplayParts,
  lines: AsyncGenerator<string>,
  hash: Hash,
  size: unknown,
  where: string,
): Promise<number> {
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw corrupt(where, 'has a size that is none')
  let [left, count] = [size, 0]
  async function* partsOf(): AsyncGenerator<Uint8Array> {
    while (left > 0) {
      const { value: text, done } = await lines.next()
      const { base64 } = done ? {} : membersOf(parseLine(text, where), where)
      const bytes = typeof base64 === 'string' ? fromBase64(base64) : null
      if (!bytes || bytes.length === 0 || bytes.length > left) throw corrupt(where, 'begins a content that is cut or of another size')
      left -= bytes.length
      count++
      yield bytes
    }
  }
  const stream = fs.hasher.stream()
  if (dryRun) for await (const bytes of partsOf()) stream.update(bytes)
  const found = dryRun ? stream.digest() : (await fs.stage(partsOf())).hash
  if (found !== hash) throw corrupt(where, 'begins a content that does not match its hash')
  return count
}

/** What is known of the replay so far. */
interface Progress {
  /** In a dry run: the tree as the records before would have left it. */
  readonly tree: PastTree | null
  readonly lost: ReadonlySet<Hash>
  readonly replayed: number
}

async function replayRecord(
  parts: ReplayParts,
  record: JournalRecord,
  recorded: readonly RecordedChange[],
  { tree, lost, replayed }: Progress,
): Promise<void> {
  const { sequence, kind, tool, note } = record
  try {
    const changes = recorded.map((change) => again(change, lost, parts.newId))
    parts.guard(changes)
    if (tree) await rehearse(parts.fs, tree, recorded)
    else {
      const name = `Replay of change ${sequence}${note === undefined ? '' : `: ${note}`}`
      await parts.commit(changes, { kind: kind === 'call' ? 'call' : 'import', tool, note: name })
    }
  } catch (error) {
    const { code, message, details } = toFilewrightError(error)
    throw new FilewrightError(code, `Change ${sequence} does not fit here: ${message} Replayed before it: ${replayed}.`, {
      details: { ...details, sequence, replayed },
      cause: error,
    })
  }
}

/** The change that was recorded, to be made again. */
function again(
  { kind, path, to, from, before, after, backup, kept }: RecordedChange,
  lost: ReadonlySet<Hash>,
  newId: () => string,
): Change {
  const expect = expectSide(before)
  const named = backup?.label === undefined ? {} : { keep: { id: newId(), label: backup.label } }
  const destroying = { path, expect, ...(kept ? named : { keep: false as const }) }
  if (kind === 'move' && to !== undefined) return { kind, path, to, expect }
  if (kind === 'remove') return { kind, ...destroying }
  if (kind === 'link' && after?.kind === 'link') return { kind, ...destroying, target: after.target }
  if (kind === 'makeDirectory' && after?.kind === 'directory') return { kind, path, mode: after.mode }
  if (kind === 'snapshot') return { kind, path, expect, keep: { id: newId(), ...named.keep } }
  if (after?.kind === 'file' && kind === 'copy' && from !== undefined) {
    return { kind, ...destroying, from, source: { hash: after.hash }, mode: after.mode }
  }
  if (after?.kind !== 'file' || kind !== 'write') throw corrupt(`The change of ${path}`, 'lacks what its kind needs')
  if (lost.has(after.hash)) throw new FilewrightError('unsupported', `The content of ${path} was not kept where the records come from.`)
  return { kind, ...destroying, content: { hash: after.hash, size: after.size }, mode: after.mode }
}

/** Checks changes against the tree, and makes them there. Throws `conflict` for the first that does not find what it expects. */
async function rehearse(fs: FileSystem, tree: PastTree, changes: readonly RecordedChange[]): Promise<void> {
  for (const change of changes) {
    const { kind, path, to, before } = change
    await expectAt(fs, tree, path, before)
    if (to !== undefined) await expectAt(fs, tree, to, null)
    const parent = await tree.node(parentOf(to ?? path))
    if (parent?.kind !== 'directory') throw new FilewrightError('conflict', `The directory of ${to ?? path} is not there.`)
    if (kind === 'remove' && before?.kind === 'directory') {
      const dir = await tree.node(path)
      if (dir?.kind === 'directory' && (await childrenOf(fs, dir)).size > 0) throw new FilewrightError('conflict', `${path} is not empty.`)
    }
    await tree.apply([change])
  }
}

async function expectAt(fs: FileSystem, tree: PastTree, path: Path, expected: Side | null): Promise<void> {
  const node = await tree.node(path)
  const found = node === null ? null : node.kind === 'recorded' ? node.side : await storedSide(fs, node)
  if (sameSide(expected, found)) return
  throw new FilewrightError('conflict', `${path} is not what this change expects to replace.`, { details: { path, current: found } })
}

async function storedSide(
  fs: FileSystem,
  node: Exclude<NonNullable<Awaited<ReturnType<PastTree['node']>>>, { kind: 'recorded' }>,
): Promise<Side | null> {
  if (node.kind === 'directory') return { kind: 'directory', mode: node.mode ?? 0 }
  return sideAt(fs, node.origin)
}
