/** `rollback_file`: puts back what a backup holds. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import { ID } from '../core/id.ts'
import { readAll } from '../core/read.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { boolean, text } from './arguments.ts'
import { allBackups, type BackedUp, backedUpPaths, type FoundBackup, makesBackup, onceHeld, verifiedSide } from './backups.ts'
import { requireLeadsInside } from './delete_file.ts'
import { readExisting } from './existing_file.ts'
import { guardedShape, receiptOf, requireWritable } from './guarded.ts'
import { expectationOf, linkText } from './stored_state.ts'
import { sidesDiff } from './text_diff.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const input = z.strictObject({
  file_path: text('The file to restore, as a path in the workspace.'),
  backup_id: text('Id of the backup, or last: the newest one of this file.').refine(
    (id) => id === 'last' || ID.test(id),
    'must be the id of a backup, or last',
  ),
  backup_root: text('Folder in the workspace that holds the backup; default: the workspace store.').optional(),
  allow_target_override: boolean('Restore a backup of another file here.').default(false),
  dry_run: guardedShape.dry_run,
})

type Arguments = z.output<typeof input>

const output = z.object({
  file_path: z.string(),
  backup_id: z.string(),
  diff: z.string().nullable().optional().describe('What the file loses and gets back; null when that is no text.'),
  restored: z.boolean().describe('The file holds what the backup does; in a dry run: it can be restored.'),
  dry_run: z.boolean(),
})

/** Restores a file or link from a backup (P-140). What is lost by it is kept for undo, and makes no backup. */
export const rollbackFile: Tool = defineTool({
  name: 'rollback_file',
  title: 'Roll back file',
  description:
    'Puts a file back as a backup holds it: content, permissions, and the file itself with its directories when it is gone. backup_id is an id that a change or backup_file returned, or last for the newest backup of this file. What the file holds now is lost: use dry_run to see the diff first. Makes no backup itself, but can be undone.',
  kind: 'write',
  idempotent: true,
  destructive: true,
  input,
  output,
  targets: (args) => [
    { path: args.file_path, field: 'file_path', use: args.allow_target_override ? 'change' : 'change-entry' },
    ...(args.backup_root === undefined ? [] : [{ path: args.backup_root, field: 'backup_root', use: 'read' } as const]),
  ],
  // A file's own backup holds what stood there with somebody's leave; another file's is a write like any other.
  unguarded: (args) => !args.allow_target_override,
  risk: () => 'always',
  failed: () => ({ file_path: '', backup_id: '', restored: false, dry_run: false }),
  async run(context, args) {
    const { view } = context
    const places = await backedUpPaths(view, args.file_path)
    const backup = await findBackup(context, args, places)
    const side = await readBackup(context, backup)
    const own = places.find(({ path }) => path === backup.path)
    if (!own && !args.allow_target_override) throw otherFile(args, view.display(backup.path))
    if (own && backup.data !== null && !args.allow_target_override && !(await onceHeld(context, own.path, side))) throw unproved(args)
    const target = own ?? places[1]
    const diff = await restore(context, { backup, side, target, isOwn: own !== undefined })
    const result = { file_path: view.display(target.path), backup_id: backup.id, diff, restored: true, dry_run: args.dry_run }
    if (args.dry_run) return { result, dryRun: true }
    return { result, complete: (receipt) => ({ ...result, restored: receiptOf(receipt, target.path)?.verified ?? false }) }
  },
  text: (result) => `${result.dry_run ? 'Would restore' : 'Restored'} ${result.file_path} from backup ${result.backup_id}.`,
})

async function findBackup(context: ToolContext, args: Arguments, places: readonly Resolved[]): Promise<FoundBackup> {
  if (args.backup_id === 'last' && args.backup_root === undefined) requireKept(context.view, args, places)
  for await (const backup of allBackups(context, args.backup_root)) {
    const fits = args.backup_id === 'last' ? places.some(({ path }) => path === backup.path) : backup.id === args.backup_id
    if (fits) return backup
  }
  const where = args.backup_root === undefined ? 'the workspace store' : args.backup_root
  const what = args.backup_id === 'last' ? `no backup of ${args.file_path}` : `no backup ${args.backup_id}`
  throw new FilewrightError('not_found', `There is ${what} in ${where}.`, { field: 'backup_id' })
}

/** The newest backup must not be one that an earlier operation of the same batch makes: it is not kept anywhere yet. */
function requireKept(view: View, args: Arguments, places: readonly Resolved[]): void {
  const staged = view.changes().some((change) => makesBackup(change) && places.some(({ path }) => path === change.path))
  if (!staged) return
  const message = `The newest backup of ${args.file_path} is made by this very batch: restore it in a call of its own, or give the id of an older one.`
  throw new FilewrightError('invalid_argument', message, { field: 'backup_id' })
}

async function readBackup(context: ToolContext, backup: FoundBackup): Promise<BackedUp> {
  try {
    return await verifiedSide(context, backup)
  } catch (error) {
    if (!isFilewrightError(error, 'not_found')) throw error
    throw new FilewrightError('not_found', `The content of backup ${backup.id} is not kept any more.`, { field: 'backup_id' })
  }
}

function otherFile(args: Arguments, path: string): FilewrightError {
  const message = `Backup ${args.backup_id} is of ${path}. Pass allow_target_override to restore it as ${args.file_path}.`
  return new FilewrightError('invalid_argument', message, { field: 'backup_id' })
}

function unproved(args: Arguments): FilewrightError {
  const message = `The journal does not show that ${args.file_path} ever held what backup ${args.backup_id} does. Pass allow_target_override to restore it all the same.`
  return new FilewrightError('invalid_argument', message, { field: 'backup_id' })
}

interface Restoring {
  readonly backup: FoundBackup
  readonly side: BackedUp
  readonly target: Resolved
  /** The backup is of the same path. */
  readonly isOwn: boolean
}

/** Stages what the backup holds; nothing when it is there already. Answers the diff. */
async function restore(context: ToolContext, restoring: Restoring): Promise<string | null> {
  const { target, side } = restoring
  if (side.kind === 'file' && target.entry?.kind !== 'link') return restoreFile(context, restoring, side)
  await restoreLink(context, restoring)
  return null
}

/** Puts a link in the place of whatever is there, or a file in the place of a link. */
async function restoreLink(context: ToolContext, restoring: Restoring): Promise<void> {
  const { view } = context
  const { target, side } = restoring
  const { entry } = target
  if (entry?.kind === 'link') {
    if (side.kind === 'link' && (await linkText(view, entry)) === side.target) return
  } else if (await readExisting(view, target)) await requireWritable(view, target)
  if (side.kind === 'file') return stageFile(context, restoring, side)
  view.link(target, side.target, { expect: entry ? await expectationOf(view, entry) : 'absent', keep: 'undo' })
  await requireLeadsInside(view, view.display(target.path))
}

async function restoreFile(context: ToolContext, restoring: Restoring, side: Extract<BackedUp, { kind: 'file' }>): Promise<string | null> {
  const { view } = context
  const { target } = restoring
  const current = await readExisting(view, target)
  if (current?.hash === side.hash) return current.bytes ? sidesDiff(current.bytes, current.bytes, target.path) : null
  if (current) await requireWritable(view, target)
  await stageFile(context, restoring, side)
  if (side.size > view.traits.limits.textBytes || (current && !current.bytes)) return null
  return sidesDiff(current?.bytes ?? null, await kept(context, restoring.backup), target.path)
}

/** The content goes from where it is kept to its place without passing through here. */
async function stageFile(
  { view }: ToolContext,
  { backup, target, isOwn }: Restoring,
  side: Extract<BackedUp, { kind: 'file' }>,
): Promise<void> {
  const { entry } = target
  // Another file that is there keeps its own permissions.
  const mode = isOwn || entry?.kind !== 'file' ? side.mode : (entry.mode ?? side.mode)
  const how = { expect: entry ? await expectationOf(view, entry) : 'absent', keep: 'undo', mode } as const
  if (backup.data === null) {
    view.write(target, { hash: side.hash, size: side.size }, how)
    return
  }
  const given = view.display(backup.data)
  const data = { given, path: backup.data, entry: await view.stat(backup.data), missingParents: [], links: [], directory: false }
  view.copy(data, target, { ...how, source: { hash: side.hash } })
}

async function kept({ view, history }: ToolContext, { data, hash, id }: FoundBackup): Promise<Uint8Array> {
  const reader = data === null ? await history.object(hash) : await view.open(data)
  try {
    return await readAll(reader, view.traits.limits.textBytes, id)
  } finally {
    await reader.close()
  }
}
