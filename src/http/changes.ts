/** The timeline over HTTP: pages of records, one record in parts. */
import type { RecordedChange } from '../core/change.ts'
import type { JournalRecord } from '../core/record.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { integerParameter } from './query.ts'
import type { ChangeGist, ChangeLine, ChangePage, ChangesPage, RecordSummary } from './routes.ts'

const LIMIT = 50
const MOST = 200
/** Changes told of a record in a list. */
const FIRST = 3

/** A record without its changes, of which an import has thousands. */
export function summaryOf({ changes: _, ...summary }: JournalRecord): RecordSummary {
  return summary
}

/** A record as a line of the timeline. */
export function changeLine({ record, undone }: { readonly record: JournalRecord; readonly undone: boolean }): ChangeLine {
  // Directories that were only made on the way say the least.
  const changes = (record.changes ?? []).toSorted((a, b) => Number(isMade(a)) - Number(isMade(b)))
  return { record: summaryOf(record), undone, first: changes.slice(0, FIRST).map(gistOf) }
}

function isMade({ kind }: RecordedChange): boolean {
  return kind === 'makeDirectory'
}

function gistOf({ kind, path, to, from }: RecordedChange): ChangeGist {
  return { kind, path, ...(to !== undefined && { to }), ...(from !== undefined && { from }) }
}

/** A page of the timeline. */
export async function changesPage(workspace: Workspace, query: URLSearchParams): Promise<ChangesPage> {
  const before = integerParameter(query, 'before', { min: 1 })
  const limit = integerParameter(query, 'limit', { min: 1, max: MOST }) ?? LIMIT
  const entries = await workspace.log({ limit, ...(before === undefined ? {} : { before }) })
  const oldest = entries.at(-1)?.record.sequence ?? 1
  return { changes: entries.map(changeLine), next: oldest > 1 ? oldest : null }
}

/** A page of one record's changes. */
export async function changePage(workspace: Workspace, which: string, query: URLSearchParams): Promise<ChangePage> {
  const offset = integerParameter(query, 'offset', { min: 0 }) ?? 0
  const limit = integerParameter(query, 'limit', { min: 1, max: MOST }) ?? LIMIT
  const { record, changes, undone } = await workspace.show(which, { offset, limit, diff: query.get('diff') !== 'false' })
  const end = offset + changes.length
  return { record: summaryOf(record), undone, changes, next: end < record.count ? end : null }
}
