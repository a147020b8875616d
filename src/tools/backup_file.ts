/** `backup_file`: keeps what a file holds now under an id, to be restored later. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Resolved } from '../core/resolve.ts'
import { text } from './arguments.ts'
import { claimFolder, stageBackup } from './backup_folder.ts'
import { counted } from './counted.ts'
import { guardedShape } from './guarded.ts'
import { expectationOf } from './stored_state.ts'
import { defineTool, type Tool } from './tool.ts'
import { type Present, requireSource } from './transfer.ts'

const input = z.strictObject({
  file_path: text('The file, as a path in the workspace. Of a link, what it points to is backed up.'),
  label: guardedShape.backup_label,
  backup_root: guardedShape.backup_root,
})

const output = z.object({
  backup_id: z.string().describe('For rollback_file.'),
  backup_path: z.string().describe('The file that holds it, or its name in the workspace store.'),
  bytes_copied: z.int(),
  file_path: z.string(),
})

/** Makes a backup of one file (P-10 to P-14, P-140). */
export const backupFile: Tool = defineTool({
  name: 'backup_file',
  title: 'Back up file',
  description:
    'Keeps a copy of a file under an id, whatever happens to the file later; rollback_file restores it. Changes make their own backups by default, so this is for states worth a label. The copy goes to the workspace store, or to the folder backup_root.',
  kind: 'write',
  idempotent: false,
  destructive: false,
  input,
  output,
  targets: ({ file_path, backup_root }) => [
    { path: file_path, field: 'file_path', use: 'read' },
    ...(backup_root === undefined ? [] : [{ path: backup_root, field: 'backup_root', use: 'backups' } as const]),
  ],
  failed: () => ({ backup_id: '', backup_path: '', bytes_copied: 0, file_path: '' }),
  async run(context, args) {
    const { view } = context
    const target = requireFile(await view.resolve(args.file_path, { field: 'file_path' }))
    const { label, backup_root: folder } = args
    const id = context.newId()
    const base = { backup_id: id, bytes_copied: target.entry.size ?? 0, file_path: view.display(target.path) }
    if (folder === undefined) {
      const keep = label === undefined ? { id } : { id, label }
      view.snapshot(target, { expect: await expectationOf(view, target.entry), keep })
      const result = { ...base, backup_path: `backup:${id}` }
      return { result, complete: () => result }
    }
    await claimFolder(view, folder)
    const path = await stageBackup(context, target, folder, { id, label, operation: 'backup_file' })
    const result = { ...base, backup_path: view.display(path) }
    return { result, complete: () => result }
  },
  text: (result) => `Backed up ${result.file_path} (${counted(result.bytes_copied, 'byte')}) as ${result.backup_id}.`,
})

function requireFile(target: Resolved): Present {
  const source = requireSource(target, 'file_path')
  if (source.entry.kind !== 'directory') return source
  throw new FilewrightError('is_directory', `${target.given} is a directory; back up its files one by one.`, { field: 'file_path' })
}
