/** `move_file`: renames a file, a link or a whole directory. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { text } from './arguments.ts'
import { requireLeadsInside } from './delete_file.ts'
import { allowancesOf, backupMember, planBackup } from './guarded.ts'
import { expectationOf } from './stored_state.ts'
import { defineTool, type Receipt, type Tool } from './tool.ts'
import { type Present, requireDestination, requireSource, samenessOf, transferShape, transferTargets } from './transfer.ts'

const input = z.strictObject({
  source_path: text('The file or directory, as a path in the workspace. A link is moved itself, not what it points to.'),
  ...transferShape,
})

const output = z.object({
  source_path: z.string(),
  destination_path: z.string(),
  moved: z.boolean().describe('False in a dry run.'),
  overwritten: z.boolean(),
  backup_id: z.string().optional(),
  dry_run: z.boolean(),
  summary: z.string(),
})

/** Moves a file, a link or a directory (P-80, P-81). */
export const moveFile: Tool = defineTool({
  name: 'move_file',
  title: 'Move file',
  description:
    'Moves or renames a file, a link or a whole directory in one step. destination_path is the final name; missing parents are created. A file that is there is replaced only with overwrite, and a backup of it is kept; directories are never merged or replaced. Refused when either end is ignored, sensitive or protected.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: (args) => transferTargets(args, 'change-entry', 'change-entry'),
  allowances: allowancesOf,
  risk: () => 'always',
  failed: () => ({ source_path: '', destination_path: '', moved: false, overwritten: false, dry_run: false, summary: '' }),
  async run(context, args) {
    const { view } = context
    const source = requireSource(await view.resolve(args.source_path, { last: 'keep', field: 'source_path' }))
    const target = await view.resolve(args.destination_path, { last: 'keep', field: 'destination_path' })
    if (source.path === '') {
      throw new FilewrightError('invalid_argument', 'The root of the workspace cannot be moved.', { field: 'source_path' })
    }
    if (source.entry.kind === 'link') await requireLeadsInside(view, source.given, 'source_path')
    const sameness = samenessOf(view, source, target)
    if (sameness === 'path' || sameness === 'hard link') {
      throw new FilewrightError('invalid_argument', `${target.given} is ${source.given} itself; nothing was moved.`, {
        field: 'destination_path',
      })
    }
    // Where case does not count, a change of case finds the source at its destination: that is a rename, and replaces nothing.
    const free = sameness === 'case' ? { ...target, entry: null } : target
    const overwritten = sameness === 'case' ? false : await requireDestination(view, source, target, args)
    if (overwritten && source.entry.kind === 'link') await requireOther(view, source, target)
    const backup = overwritten ? await planBackup(context, args, target, 'move_file') : null
    if (backup) view.remove(target, { expect: await expectationOf(view, target.entry as Entry), keep: backup.keep })
    view.move(source, free, { expect: await expectationOf(view, source.entry) })
    if (source.entry.kind === 'link') await requireLeadsInside(view, view.display(target.path), 'destination_path')
    const [from, to] = [view.display(source.path), view.display(target.path)]
    const result = { source_path: from, destination_path: to, moved: false, overwritten, dry_run: args.dry_run }
    if (args.dry_run) return { result: { ...result, summary: `Would move ${from} to ${to}.` }, dryRun: true }
    const summary = `Moved ${from} to ${to}.`
    return {
      result: { ...result, summary },
      complete: (receipt) => ({ ...result, ...outcome(receipt, summary), ...backupMember(backup?.idAfter(receipt)) }),
    }
  },
  text: (result) => result.summary,
})

/** A link must not take the place of what it leads to: it would lead to itself. */
async function requireOther(view: View, source: Present, target: Resolved): Promise<void> {
  if ((await view.resolve(source.given)).path !== target.path) return
  throw new FilewrightError('invalid_argument', `${source.given} leads to ${target.given}: there it would lead to itself.`, {
    field: 'destination_path',
  })
}

/** What was found when both ends were read again. */
function outcome({ paths }: Receipt, done: string): { readonly moved: boolean; readonly summary: string } {
  const problem = paths.find(({ verified }) => !verified)?.problem ?? null
  return problem === null ? { moved: true, summary: done } : { moved: false, summary: problem }
}
