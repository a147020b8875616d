/** A run of records, and the tree before and after it. */
import type { RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { stateAfter } from '../../core/inverse.ts'
import type { Path } from '../../core/path.ts'
import { changesOf, findRecord, newestRecord, recordsInOrder } from './journal.ts'
import { type PastTree, presentTree } from './tree.ts'

/** Which records are meant: from one to another, both included. Default: from the first, to the newest. */
export interface RecordRange {
  readonly from?: string | number
  readonly to?: string | number
}

/** Sequence numbers of the first and the last record. */
export interface Run {
  readonly first: number
  readonly last: number
}

/** Finds the records. Throws `not_found` for one that is not there, `invalid_argument` when the last comes before the first. */
export async function findRun(fs: FileSystem, { from, to }: RecordRange): Promise<Run> {
  const first = from === undefined ? 1 : (await findRecord(fs, from)).sequence
  const last = to === undefined ? ((await newestRecord(fs))?.sequence ?? 0) : (await findRecord(fs, to)).sequence
  if (last === 0) throw new FilewrightError('not_found', 'There is no change yet.')
  if (last < first) throw new FilewrightError('invalid_argument', `Change ${last} comes before change ${first}.`, { field: 'to' })
  return { first, last }
}

/** The trees around a run, and the state in which the run and what came after it left each path that they touched. */
export interface RunTrees {
  readonly before: PastTree
  readonly after: PastTree
  readonly state: ReadonlyMap<Path, Side | null>
}

/** Takes the journal back to the end of a run, and then to its beginning. Reads no contents. */
export async function treesOf(fs: FileSystem, { first, last }: Run): Promise<RunTrees> {
  const newest = (await newestRecord(fs))?.sequence ?? 0
  const changes: RecordedChange[] = []
  let inRun = 0
  for await (const page of recordsInOrder(fs, first, newest)) {
    for (const record of page) {
      for (const change of await changesOf(fs, record)) changes.push(change)
      if (record.sequence <= last) inRun = changes.length
    }
  }
  const after = presentTree(fs)
  await after.takeBack(changes.slice(inRun))
  const before = after.fork()
  await before.takeBack(changes.slice(0, inRun))
  return { before, after, state: stateAfter(changes) }
}
