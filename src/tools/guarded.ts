/** What all changing tools have in common: permissions, dry runs, and the backup of what they are about to destroy. */
import type { z } from 'zod'
import type { Keep } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import type { Path } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { boolean, text } from './arguments.ts'
import { claimFolder, stageBackup } from './backup_folder.ts'
import type { Allowances, PathReceipt, Receipt, Target, ToolContext } from './tool.ts'

/** Longest backup label, in characters (P-14). */
const MAX_LABEL = 200

/** The arguments that every changing tool takes. */
export const guardedShape: {
  readonly dry_run: z.ZodDefault<z.ZodBoolean>
  readonly allow_ignored: z.ZodOptional<z.ZodBoolean>
  readonly allow_sensitive: z.ZodOptional<z.ZodBoolean>
  readonly create_backup: z.ZodOptional<z.ZodBoolean>
  readonly backup_label: z.ZodOptional<z.ZodString>
  readonly backup_root: z.ZodOptional<z.ZodString>
} = {
  dry_run: boolean('Only tell what would happen; nothing is changed.').default(false),
  allow_ignored: boolean('Change a file that .gitignore or .ignore excludes. Only if the user agrees.').optional(),
  allow_sensitive: boolean('Change a file that may hold secrets. Only if the user agrees.').optional(),
  create_backup: boolean('Keep what is replaced, so that it can be restored (default true).').optional(),
  backup_label: text('A note for the backup.')
    .refine((label) => [...label].length <= MAX_LABEL, `must be at most ${MAX_LABEL} characters long`)
    .optional(),
  backup_root: text('Folder in the workspace for the backup; default: the workspace store.').optional(),
}

/** The values of {@link guardedShape}. */
export interface Guarded {
  readonly dry_run: boolean
  readonly allow_ignored?: boolean | undefined
  readonly allow_sensitive?: boolean | undefined
  readonly create_backup?: boolean | undefined
  readonly backup_label?: string | undefined
  readonly backup_root?: string | undefined
}

/** What the call asks to be allowed (P-5). */
export function allowancesOf(args: Pick<Guarded, 'allow_ignored' | 'allow_sensitive'>): Allowances {
  return { ignored: args.allow_ignored ?? false, sensitive: args.allow_sensitive ?? false }
}

/** The file that a call changes, with the folder for its backup when one is named. */
export function changeTargets(args: Guarded & { readonly file_path: string }, use: Target['use'] = 'change'): readonly Target[] {
  const target: Target = { path: args.file_path, field: 'file_path', use }
  return args.backup_root === undefined ? [target] : [target, { path: args.backup_root, field: 'backup_root', use: 'backups' }]
}

/** How a planned change keeps what it destroys. */
export interface Backup {
  /** For the change itself. */
  readonly keep: Keep
  /** The backup's id as the receipt tells it; undefined when nothing is kept. */
  idAfter(receipt: Receipt): string | undefined
}

/**
 * Plans the backup of a file or link before its change is staged (P-3, P-10). With `backup_root` it is staged there, in the same
 * commit, so that the change happens only together with its backup; the journal then keeps what undo needs, but no backup of its
 * own. Throws `not_directory` when the folder is something else, `invalid_argument` when it holds other things, and what
 * resolving it throws.
 */
export async function planBackup(context: ToolContext, args: Guarded, target: Resolved, operation: string): Promise<Backup> {
  const { backup_root: folder, backup_label: label } = args
  if (folder !== undefined) await claimFolder(context.view, folder)
  if (args.create_backup === false) return { keep: false, idAfter: () => undefined }
  const id = context.newId()
  if (folder === undefined) {
    const keep = label === undefined ? { id } : { id, label }
    return { keep, idAfter: (receipt) => receipt.paths.find(({ backupId }) => backupId === id)?.backupId ?? undefined }
  }
  await stageBackup(context, target, folder, { id, label, operation })
  return { keep: 'undo', idAfter: () => id }
}

/** What the receipt says of one path. */
export function receiptOf(receipt: Receipt, path: Path): PathReceipt | undefined {
  return receipt.paths.find((one) => one.path === path)
}

/**
 * Refuses a file whose own mode forbids writing, although a rename could replace it (settled detail 34). Throws
 * `permission_denied`.
 */
export async function requireWritable(view: View, target: Resolved): Promise<void> {
  const { access } = await view.stat(target.path, { access: true })
  if (access?.write === false) {
    throw new FilewrightError('permission_denied', `${target.given} is read-only; nothing was changed.`)
  }
}

/** `backup_id` as a member of a result, left out when there is none. */
export function backupMember(id: string | undefined): { readonly backup_id?: string } {
  return id === undefined ? {} : { backup_id: id }
}
