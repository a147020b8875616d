/** Deleting in a batch of the `native` profile: a file, a link, or a directory with what is in it. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import { boolean, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { requireRemovable } from '../delete_file.ts'
import { allowancesOf, planBackup } from '../guarded.ts'
import { expectationOf } from '../stored_state.ts'
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
  targets: ({ path }) => [{ path, field: 'path', use: 'change-entry' }],
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
      await stageRemoval(context, one.path === target.path ? target : at(view.display(one.path), one), one)
    const others = entries.length > 1 ? ` with ${counted(entries.length - 1, 'entry', 'entries')}` : ''
    const summary = `${args.dry_run ? 'Would delete' : 'Deleted'} ${args.path}${others}.`
    const result = { path: view.display(target.path), deleted: entries.length, summary }
    return args.dry_run ? { result, dryRun: true } : { result, complete: () => result }
  },
  text: ({ summary }) => summary,
})

/** What is below a directory, a directory before what is in it. Throws `conflict` when there is something and `recursive` is not given. */
async function gather({ view, signal }: ToolContext, { path, given }: Resolved, recursive: boolean): Promise<Entry[]> {
  const most = view.traits.limits.changes - view.changes().length
  const read = new Set<Path>()
  const filter = (dir: Path, children: Entry[]): Entry[] => {
    read.add(dir)
    return children
  }
  const entries: Entry[] = []
  for await (const page of view.scan(path, { stat: true, target: true, filter, signal })) {
    for (const entry of page) entries.push(entry)
    if (entries.length > most)
      throw new FilewrightError('too_large', `${given} holds more than ${most} entries: delete its parts one by one.`)
  }
  if (entries.length > 0 && !recursive) {
    throw new FilewrightError('is_directory', `${given} is a directory and not empty; pass recursive to delete all that is in it.`, {
      field: 'path',
    })
  }
  const unread = entries.find((entry) => entry.kind === 'directory' && !read.has(entry.path))
  if (unread) throw new FilewrightError('permission_denied', `${view.display(unread.path)} cannot be read; nothing was deleted.`)
  if (view.holdsHidden(path)) throw new FilewrightError('protected_path', `${given} holds a folder of backups; nothing was deleted.`)
  return entries
}

async function stageRemoval(context: ToolContext, target: Resolved, entry: Entry): Promise<void> {
  const { view } = context
  if (entry.kind === 'special') throw new FilewrightError('not_regular', `${target.given} is neither a file, a directory nor a link.`)
  const expect = await expectationOf(view, entry)
  const keep = entry.kind === 'directory' ? {} : { keep: (await planBackup(context, { dry_run: false }, target, 'delete')).keep }
  view.remove(target, { expect, ...keep })
}

function at(given: string, entry: Entry): Resolved {
  return { given, path: entry.path, entry, missingParents: [], links: [], directory: false }
}
