/** Deleting in a batch of the `native` profile: a file, a link, or a directory with what is in it. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import type { Resolved } from '../../core/resolve.ts'
import { boolean, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { requireRemovable } from '../delete_file.ts'
import { entriesBelow, foundTarget } from '../entries_below.ts'
import { allowancesOf, planBackup } from '../guarded.ts'
import { expectationOf } from '../stored_state.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { changingShape } from './changing.ts'
import { requireEntry } from './existing.ts'

const { sha256: _, ...options } = changingShape

const input = z.strictObject({
  path: text('File, link or directory.'),
  recursive: boolean('A directory with all that is in it.').default(false),
  ...options,
})

const output = z.object({ path: z.string(), deleted: z.int(), summary: z.string() })

/** Deletes an entry; all of it can be undone. */
export const remove: Tool = defineTool({
  name: 'delete',
  title: 'Delete',
  description: 'Deletes a file, a link, or with recursive a directory.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: pathTarget('change-entry'),
  allowances: allowancesOf,
  risk: () => 'always',
  failed: () => ({}),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.path, { last: 'keep', field: 'path' })
    if (target.path === '') throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be deleted.', { field: 'path' })
    const entry = await requireEntry(view, target)
    const entries =
      entry.kind === 'directory' ? [entry, ...(await gather(context, target, args.recursive))] : [await requireRemovable(view, target)]
    // What is in a directory goes before it.
    for (const one of entries.reverse())
      await stageRemoval(context, one.path === target.path ? target : foundTarget(view.display(one.path), one), one)
    const others = entries.length > 1 ? ` with ${counted(entries.length - 1, 'entry', 'entries')}` : ''
    const summary = `${args.dry_run ? 'Would delete' : 'Deleted'} ${args.path}${others}.`
    const result = { path: view.display(target.path), deleted: entries.length, summary }
    return args.dry_run ? { result, dryRun: true } : { result, complete: () => result }
  },
  text: ({ summary }) => summary,
})

/** What is below a directory. Throws `is_directory` when there is something and `recursive` is not given. */
async function gather(context: ToolContext, target: Resolved, recursive: boolean): Promise<Entry[]> {
  const { view } = context
  if (!recursive && (await view.list(target.path)).length > 0) {
    const { given } = target
    throw new FilewrightError('is_directory', `${given} is a directory and not empty; pass recursive to delete all that is in it.`, {
      field: 'path',
    })
  }
  return entriesBelow(context, target, view.display)
}

async function stageRemoval(context: ToolContext, target: Resolved, entry: Entry): Promise<void> {
  const { view } = context
  if (entry.kind === 'special') throw new FilewrightError('not_regular', `${target.given} is neither a file, a directory nor a link.`)
  const expect = await expectationOf(view, entry)
  const keep = entry.kind === 'directory' ? {} : { keep: (await planBackup(context, { dry_run: false }, target, 'delete')).keep }
  view.remove(target, { expect, ...keep })
}
