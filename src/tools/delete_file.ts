/** `delete_file`: removes one file, or a link itself. */
import { z } from 'zod'
import type { Expect } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { utf8Length } from '../core/path.ts'
import { hashReader } from '../core/read.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { text } from './arguments.ts'
import { counted } from './counted.ts'
import { allowancesOf, backupMember, changeTargets, type Endangered, guardedShape, planBackup, receiptOf } from './guarded.ts'
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
  failed: () => ({ file_path: '', deleted: false, dry_run: false }),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.file_path, { last: 'keep', field: 'file_path' })
    const entry = await requireRemovable(view, target)
    const size = entry.kind === 'link' ? utf8Length(await view.readLink(target.path)) : (entry.size ?? 0)
    const result = { file_path: view.display(target.path), deleted: true, file_size_bytes: size, dry_run: args.dry_run }
    const expect = await expectationOf(view, entry)
    const backup = await planBackup(context, args, target, 'delete_file', () => endangered(view, target, entry))
    view.remove(target, { expect, ...(backup.keep !== undefined && { keep: backup.keep }) })
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
  if (entry.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory; delete_file removes files only.`)
  if (entry.kind === 'special') throw new FilewrightError('not_regular', `${given} is neither a file nor a link.`)
  if (entry.kind === 'link') await requireLeadsInside(view, given)
  return entry
}

async function requireLeadsInside(view: View, given: string): Promise<void> {
  try {
    await view.resolve(given, { last: 'follow', field: 'file_path' })
  } catch (error) {
    // A link that is broken in any other way can be removed.
    if (isFilewrightError(error, 'outside_root')) throw error
  }
}

/** The cheapest statement of what is there: no content is read when the storage has a version for it. */
export async function expectationOf(view: View, entry: Entry): Promise<Expect> {
  if (entry.kind === 'link') return { link: await view.readLink(entry.path) }
  if (entry.version !== null) return { version: entry.version }
  const reader = await view.open(entry.path)
  try {
    return { hash: await hashReader(view.hasher, reader) }
  } finally {
    await reader.close()
  }
}

async function endangered(view: View, target: Resolved, entry: Entry): Promise<Endangered> {
  if (entry.kind === 'file') return { kind: 'file', ...(await view.readWhole(target)) }
  const bytes = new TextEncoder().encode(await view.readLink(target.path))
  return { kind: 'symlink', bytes, hash: view.hasher.hash(bytes) }
}
