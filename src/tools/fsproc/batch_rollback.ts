/** `batch_rollback` of the `fsproc` profile: takes a `batch_edit` back. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { differencesSince, inverseOf } from '../../core/inverse.ts'
import { isWithin } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'
import { text } from '../arguments.ts'
import { requireKept, stageInverse } from '../take_back.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { NOTHING_CHANGED } from './batch_edit.ts'
import { projectPath, projectRoot } from './project_root.ts'

const input = z.object({
  path: projectPath,
  checkpoint: text('What batch_edit answered.').min(1, 'must not be empty'),
})

/**
 * Puts back what the files of a batch held, makes those again that it deleted and removes those that it created (F-81), with the
 * directories that were made for them unless other things are in these by now.
 */
export const batchRollback: Tool = defineTool({
  name: 'batch_rollback',
  title: 'Take a batch back',
  description: 'Takes a batch_edit back by its checkpoint, all of it. Refused as a conflict when its files were changed since.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output: z.object({ restored: z.boolean() }),
  root: projectRoot,
  targets: () => [],
  // What is put back stood there with somebody's leave.
  unguarded: () => true,
  risk: () => 'always',
  failed: () => ({}),
  async run(context, { checkpoint }) {
    const result = { restored: true }
    if (checkpoint === NOTHING_CHANGED) return { result }
    const { view, history } = context
    const record = await batchOf(context, checkpoint)
    const changes = await history.changes(record)
    const { path: root } = await view.resolve('.')
    const outside = changes.find(({ path }) => !isWithin(path, root))
    if (outside) throw new FilewrightError('outside_root', `This batch changed files outside of path.`, { field: 'checkpoint' })
    const [moved, ...others] = await differencesSince(view, changes)
    if (moved) {
      const more = others.length > 0 ? ` and ${others.length} more` : ''
      throw new FilewrightError('conflict', `${view.display(moved.path)}${more} changed since this batch; nothing was restored.`, {
        field: 'checkpoint',
      })
    }
    const inverse = inverseOf(changes)
    await requireKept(history, inverse, 'this batch', 'checkpoint')
    for (const change of inverse) {
      const isFolder = change.kind === 'remove' && change.expect === 'directory'
      if (isFolder && (await view.list(change.path)).length > 0) continue
      await stageInverse(view, change)
    }
    return { result, undoes: record.id }
  },
  text: () => 'Restored.',
})

/** The record of a batch. Throws `not_found`. */
async function batchOf({ history, signal }: ToolContext, checkpoint: string): Promise<JournalRecord> {
  for await (const page of history.records()) {
    signal.throwIfAborted()
    const record = page.find(({ id }) => id === checkpoint)
    if (record?.tool === 'batch_edit' && record.kind === 'call') return record
    if (record) break
  }
  const shown = JSON.stringify(checkpoint.length > 80 ? `${checkpoint.slice(0, 80)}…` : checkpoint)
  throw new FilewrightError('not_found', `There is no batch with the checkpoint ${shown} in this workspace.`, { field: 'checkpoint' })
}
