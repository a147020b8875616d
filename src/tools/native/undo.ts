/** Taking back a whole change in the `native` profile: the newest that still stands, or the one that is named. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { History } from '../../core/history.ts'
import { differencesSince, inverseOf } from '../../core/inverse.ts'
import type { Path } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'
import { boolean, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { requireKept, stageInverse } from '../take_back.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'

const input = z.strictObject({
  path: text('Only a change of this file.').optional(),
  change: text('Its id or number; default: the newest that is not taken back.').optional(),
  dry_run: boolean('Only tell what would be taken back.').default(false),
})

type Arguments = z.output<typeof input>

const output = z.object({ change: z.string(), sequence: z.int(), paths: z.array(z.string()), summary: z.string() })

/** Undoes a change, and is recorded as its undo. What the files hold by then must be what the change left. */
export const undo: Tool = defineTool({
  name: 'undo',
  title: 'Undo',
  description: 'Takes back the newest change, or the one that is named.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: ({ path }) => (path === undefined ? [] : [{ path, field: 'path', use: 'change-entry' }]),
  // What is put back stood there with somebody's leave.
  unguarded: () => true,
  risk: () => 'always',
  failed: () => ({}),
  async run(context, args) {
    const { view, history } = context
    const record = await findRecord(context, args)
    const changes = await history.changes(record)
    const inverse = inverseOf(changes)
    await requireKept(history, inverse, `change ${record.sequence}`, 'change')
    const [moved] = await differencesSince(view, changes)
    if (moved) {
      throw new FilewrightError('conflict', `${view.display(moved.path)} changed since change ${record.sequence}; nothing was undone.`, {
        field: 'change',
      })
    }
    for (const change of inverse) await stageInverse(view, change)
    const paths = [...new Set(changes.filter(({ kind }) => kind !== 'snapshot').map(({ path }) => view.display(path)))]
    const first = paths[0] ?? ''
    const others = paths.length > 1 ? ` and ${counted(paths.length - 1, 'other')}` : ''
    const summary = `${args.dry_run ? 'Would undo' : 'Undid'} change ${record.sequence} (${record.tool}): ${first}${others}.`
    const result = { change: record.id, sequence: record.sequence, paths, summary }
    return args.dry_run ? { result, dryRun: true } : { result, undoes: record.id, complete: () => result }
  },
  text: ({ summary }) => summary,
})

/** The record to take back. Throws `not_found`; `conflict` for one that is taken back already. */
async function findRecord({ view, history, signal }: ToolContext, { path, change }: Arguments): Promise<JournalRecord> {
  const only = path === undefined ? null : (await view.resolve(path, { last: 'keep', field: 'path' })).path
  const takenBack = new Map<string, boolean>()
  for await (const page of history.records()) {
    signal.throwIfAborted()
    for (const record of page) {
      const { kind, target, id, sequence } = record
      // The newest undo or redo that names a record decides.
      if ((kind === 'undo' || kind === 'redo') && target !== undefined && !takenBack.has(target)) takenBack.set(target, kind === 'undo')
      const undone = takenBack.get(id) === true
      if (change !== undefined && change !== 'last') {
        if (change !== id && change !== String(sequence)) continue
        if (undone) throw new FilewrightError('conflict', `Change ${change} is undone already.`, { field: 'change' })
        if (kind === 'call' || kind === 'import') return record
        throw new FilewrightError('unsupported', `Change ${change} is of the kind ${kind}, which cannot be undone here.`, {
          field: 'change',
        })
      }
      if (undone || (kind !== 'call' && kind !== 'import')) continue
      if (await touches(history, record, only)) return record
    }
  }
  const which = change === undefined || change === 'last' ? 'no change that still stands' : `no change ${change}`
  throw new FilewrightError('not_found', `There is ${which}${path === undefined ? '' : ` of ${path}`}.`, {
    field: 'change',
    details: { next: 'Leave out change for the newest one, or pass the id that an answer told.' },
  })
}

/** Whether a record changed a file at all, or the one at `path`. */
async function touches(history: History, record: JournalRecord, path: Path | null): Promise<boolean> {
  const changes = (await history.changes(record)).filter(({ kind }) => kind !== 'snapshot')
  return path === null ? changes.length > 0 : changes.some((change) => change.path === path || change.to === path)
}
