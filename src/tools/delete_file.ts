/** `delete_file`: removes one file, or a link itself. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { utf8Length } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { text } from './arguments.ts'
import { counted } from './counted.ts'
import { allowancesOf, backupMember, changeTargets, guardedShape, planBackup, receiptOf } from './guarded.ts'
import { expectationOf } from './stored_state.ts'
import { defineTool, type Tool } from './tool.ts'

const input = z.strictObject({
  file_path: text('The file, as a path in the workspace. A link is removed itself, not what it points to.'),
  ...guardedShape,
})

const output = z.object({
  file_path: z.string(),
  deleted: z.boolean().describe('It is gone; in a dry run: it could be deleted.'),
  file_size_bytes: z.int().optional(),
  backup_id: z.string().optional(),
  dry_run: z.boolean(),
})

/** Deletes a file or a link (P-90); directories are refused. */
export const deleteFile: Tool = defineTool({
  name: 'delete_file',
  title: 'Delete file',
  description:
    'Deletes one file. A backup is kept by default, so the deletion can be undone. A symbolic link is removed itself. Directories, missing files, and files that are ignored, sensitive or protected are refused.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: (args) => changeTargets(args, 'change-entry'),
  allowances: allowancesOf,
  risk: () => 'always',
  failed: () => ({ file_path: '', deleted: false, dry_run: false }),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.file_path, { last: 'keep', field: 'file_path' })
    const entry = await requireRemovable(view, target)
    const size = entry.kind === 'link' ? utf8Length(await view.readLink(target.path)) : (entry.size ?? 0)
    const result = { file_path: view.display(target.path), deleted: true, file_size_bytes: size, dry_run: args.dry_run }
    const expect = await expectationOf(view, entry)
    const backup = await planBackup(context, args, target, 'delete_file')
    view.remove(target, { expect, keep: backup.keep })
    if (args.dry_run) return { result, dryRun: true }
    return {
      result,
      complete: (receipt) => ({
        ...result,
        deleted: receiptOf(receipt, target.path)?.verified ?? false,
        ...backupMember(backup.idAfter(receipt)),
      }),
    }
  },
  text: (result) => `${result.dry_run ? 'Would delete' : 'Deleted'} ${result.file_path} (${counted(result.file_size_bytes ?? 0, 'byte')}).`,
})

/** Throws unless there is a file, or a link that does not lead outside (C-6). */
export async function requireRemovable(view: View, target: Resolved): Promise<Entry> {
  const { entry, given } = target
  if (!entry) throw new FilewrightError('not_found', `${given} does not exist.`)
  if (entry.kind === 'directory')
    throw new FilewrightError('is_directory', `${given} is a directory; only files and links are deleted here.`)
  if (entry.kind === 'special') throw new FilewrightError('not_regular', `${given} is neither a file nor a link.`)
  if (entry.kind === 'link') await requireLeadsInside(view, given)
  return entry
}

/** Throws `outside_root` for a link that leads there: nothing that leads outside is usable (C-6). */
export async function requireLeadsInside(view: View, given: string, field = 'file_path', as: string = given): Promise<void> {
  try {
    await view.resolve(given, { last: 'follow', field, as })
  } catch (error) {
    // A link that is broken in any other way is still a link.
    if (isFilewrightError(error, 'outside_root')) throw new FilewrightError('outside_root', error.message, { field })
  }
}
