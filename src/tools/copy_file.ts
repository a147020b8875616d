/** `copy_file`: copies one file, or a directory with all that is in it. */
import { z } from 'zod'
import type { Keep } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Resolved } from '../core/resolve.ts'
import { boolean, text } from './arguments.ts'
import { copyTree } from './copy_tree.ts'
import { counted } from './counted.ts'
import { allowancesOf, backupMember, planBackup } from './guarded.ts'
import { expectationOf } from './stored_state.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'
import { type Present, requireDestination, requireSource, samenessOf, transferShape, transferTargets } from './transfer.ts'

const input = z.strictObject({
  source_path: text('The file or directory, as a path in the workspace. Of a link, what it points to is copied.'),
  recursive: boolean('Copy a directory with all that is in it.').default(false),
  ...transferShape,
})

const output = z.object({
  source_path: z.string(),
  destination_path: z.string(),
  is_dir: z.boolean(),
  bytes_copied: z.int().describe('Of a directory: of all files in it. In a dry run: would be copied.'),
  created: z.boolean().describe('Nothing was at the destination.'),
  overwritten: z.boolean(),
  backup_id: z.string().optional(),
  dry_run: z.boolean(),
  summary: z.string(),
})

/** Copies a file or a tree (P-70 to P-72). */
export const copyFile: Tool = defineTool({
  name: 'copy_file',
  title: 'Copy file',
  description:
    'Copies a file to a new path, or a directory with recursive: hidden files, empty directories and links too. Permissions are kept. destination_path is the final name; missing parents are created. A file that is there is replaced only with overwrite, and a backup of it is kept; directories are never merged. All or nothing.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: (args) => transferTargets(args, 'read', 'change'),
  allowances: allowancesOf,
  failed: () => ({
    source_path: '',
    destination_path: '',
    is_dir: false,
    bytes_copied: 0,
    created: false,
    overwritten: false,
    dry_run: false,
    summary: '',
  }),
  async run(context, args) {
    const { view } = context
    const source = requireSource(await view.resolve(args.source_path, { field: 'source_path' }))
    const target = await view.resolve(args.destination_path, { field: 'destination_path' })
    if (samenessOf(view, source, target)) {
      throw new FilewrightError('invalid_argument', `${target.given} is ${source.given} itself; nothing was copied.`, {
        field: 'destination_path',
      })
    }
    const isTree = source.entry.kind === 'directory'
    if (isTree && !args.recursive) {
      throw new FilewrightError('is_directory', `${source.given} is a directory; pass recursive to copy it with all that is in it.`, {
        field: 'source_path',
      })
    }
    const overwritten = await requireDestination(view, source, target, args)
    const backup = overwritten ? await planBackup(context, args, target, 'copy_file') : null
    const bytes = isTree ? await copyTree(context, source, target) : await copyOne(context, source, target, backup?.keep)
    const [from, to] = [view.display(source.path), view.display(target.path)]
    const result = {
      source_path: from,
      destination_path: to,
      is_dir: isTree,
      bytes_copied: bytes,
      created: !overwritten,
      overwritten,
      dry_run: args.dry_run,
      summary: `${args.dry_run ? 'Would copy' : 'Copied'} ${from} to ${to} (${counted(bytes, 'byte')}).`,
    }
    if (args.dry_run) return { result, dryRun: true }
    return { result, complete: (receipt) => ({ ...result, ...backupMember(backup?.idAfter(receipt)) }) }
  },
  text: (result) => result.summary,
})

/** Stages the copy of a file; answers its size. */
async function copyOne({ view }: ToolContext, source: Present, target: Resolved, keep: Keep | undefined): Promise<number> {
  const expect = target.entry ? await expectationOf(view, target.entry) : 'absent'
  view.copy(source, target, { expect, source: await expectationOf(view, source.entry), ...(keep !== undefined && { keep }) })
  return source.entry.size ?? 0
}
