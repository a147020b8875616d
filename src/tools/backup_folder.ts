/** Folders of the workspace that hold backups: `<id>.data` is what was kept, and `<id>.json` tells of it (P-10, P-12). */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import { ID } from '../core/id.ts'
import { compareText, joinPath, nameOf, namesOf, type Path } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { hashOf, linkText } from './stored_state.ts'
import type { ToolContext } from './tool.ts'

/** Largest description that is read, in bytes. */
const MOST_BYTES = 64 * 1024

const FIELD = 'backup_root'
const IN_FOLDER = /^[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}\.(data|json)$/

/** What `<id>.json` tells. */
export interface BackupDescription {
  readonly id: string
  readonly original_path: string
  /** The same, from the root. */
  readonly relative_path: string
  readonly kind: 'file' | 'symlink'
  readonly size: number
  readonly sha256: string
  readonly mode: number | null
  readonly created_at: string
  readonly label: string | null
  readonly operation: string
}

const description: z.ZodType<BackupDescription> = z.object({
  id: z.string().regex(ID),
  original_path: z.string(),
  relative_path: z.string().refine((path) => namesOf(path as Path).every((name) => name !== '' && name !== '.' && name !== '..')),
  kind: z.enum(['file', 'symlink']),
  size: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  mode: z.int().nullable(),
  created_at: z.string(),
  label: z.string().nullable(),
  operation: z.string(),
})

/** Whether a name is one that a backup has in its folder. */
export function isBackupName(name: string): boolean {
  return IN_FOLDER.test(name)
}

/** What is told of a new backup. */
export interface NewBackup {
  readonly id: string
  readonly label: string | undefined
  readonly operation: string
}

/** A folder of backups as a call named it, whether it is there or not. Throws `not_directory`, `invalid_argument` for the root. */
export async function resolveFolder(view: View, given: string): Promise<Resolved> {
  const folder = await view.resolve(given, { field: FIELD, hidden: true })
  if (folder.entry && folder.entry.kind !== 'directory') {
    throw new FilewrightError('not_directory', `${FIELD} ${given} is not a directory; nothing was changed.`, { field: FIELD })
  }
  if (folder.path === '') {
    throw new FilewrightError('invalid_argument', `${FIELD} must be a folder in the workspace, not its root.`, { field: FIELD })
  }
  return folder
}

/**
 * Takes a folder for new backups: from then on it is invisible to all other tools, so it must hold nothing else. Throws
 * `invalid_argument` when it does, and as {@link resolveFolder}.
 */
export async function claimFolder(view: View, given: string): Promise<Resolved> {
  const folder = await resolveFolder(view, given)
  if (view.isHidden(folder.path)) return folder
  const stranger = folder.entry && (await view.list(folder.path)).find(({ path }) => !isBackupName(nameOf(path)))
  if (stranger) {
    throw new FilewrightError('invalid_argument', `${FIELD} ${given} holds other things than backups; name a folder of its own.`, {
      field: FIELD,
    })
  }
  view.hide(folder.path)
  return folder
}

/** Stages a backup of a file or link in a claimed folder; answers where its content goes. A file's bytes are not read for it. */
export async function stageBackup(context: ToolContext, target: Resolved, given: string, backup: NewBackup): Promise<Path> {
  const { view } = context
  const entry = target.entry as Entry
  const data = await placeFor(view, given, `${backup.id}.data`)
  const facts = entry.kind === 'link' ? await stageLink(view, entry, data) : await stageFile(view, target, data)
  const told: BackupDescription = {
    id: backup.id,
    original_path: view.display(target.path),
    relative_path: target.path,
    kind: entry.kind === 'link' ? 'symlink' : 'file',
    ...facts,
    mode: entry.mode,
    created_at: new Date(context.now()).toISOString(),
    label: backup.label ?? null,
    operation: backup.operation,
  }
  const json = await placeFor(view, given, `${backup.id}.json`)
  view.write(json, await view.content(new TextEncoder().encode(`${JSON.stringify(told, null, 2)}\n`)), { expect: 'absent' })
  return data.path
}

function placeFor(view: View, given: string, name: string): Promise<Resolved> {
  return view.resolve(`${given}/${name}`, { field: FIELD, hidden: true })
}

async function stageFile(view: View, target: Resolved, data: Resolved): Promise<{ readonly size: number; readonly sha256: Hash }> {
  const entry = target.entry as Entry
  const hash = await hashOf(view, entry)
  view.copy(target, data, { expect: 'absent', source: { hash } })
  return { size: entry.size ?? 0, sha256: hash }
}

async function stageLink(view: View, entry: Entry, data: Resolved): Promise<{ readonly size: number; readonly sha256: Hash }> {
  const content = await view.content(new TextEncoder().encode(await linkText(view, entry)))
  view.write(data, content, { expect: 'absent' })
  return { size: content.size, sha256: content.hash }
}

/** What the backups of a folder tell of themselves, newest first. What cannot be read is left out; without a folder there are none. */
export async function readDescriptions(context: ToolContext, folder: Resolved): Promise<BackupDescription[]> {
  if (!folder.entry) return []
  const { view, signal } = context
  const names = (await view.list(folder.path))
    .map(({ path }) => nameOf(path))
    .filter((name) => name.endsWith('.json') && isBackupName(name))
  const found: BackupDescription[] = []
  await view.readEach(
    names.map((name) => joinPath(folder.path, name)),
    { maxBytes: MOST_BYTES, signal },
    (path, bytes) => {
      const told = bytes && parseDescription(bytes)
      if (told && nameOf(path) === `${told.id}.json`) found.push(told)
      return undefined
    },
  )
  // Ids of one process follow its time; of several, the time of creation decides (P-11).
  return found.sort((a, b) => compareText(b.created_at, a.created_at) || compareText(b.id, a.id))
}

function parseDescription(bytes: Uint8Array): BackupDescription | null {
  try {
    return description.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return null
  }
}
