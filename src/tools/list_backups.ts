/** `list_backups`: the backups of a file, or of all files. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { checkedTogether, text } from './arguments.ts'
import { allBackups, backedUpPaths } from './backups.ts'
import { counted } from './counted.ts'
import { defineTool, type Tool } from './tool.ts'

/** Most backups of one answer. */
const MOST = 1000

const input = checkedTogether(
  z.strictObject({
    file_path: text('Only backups of this file; default: of all files.').optional(),
    path: text('The same as file_path.').optional(),
    backup_root: text('Folder in the workspace that holds the backups; default: the workspace store.').optional(),
  }),
  ({ file_path, path, backup_root }) => {
    if (file_path !== undefined && path !== undefined && path !== file_path) {
      throw new FilewrightError('invalid_argument', 'path and file_path are the same argument; give one of them.', { field: 'path' })
    }
    return { file_path: file_path ?? path, field: file_path === undefined ? 'path' : 'file_path', backup_root }
  },
)

const output = z.object({
  backups: z
    .array(
      z.object({
        backup_id: z.string(),
        file_path: z.string().describe('The path that the file had then.'),
        kind: z.enum(['file', 'symlink']),
        size_bytes: z.int(),
        sha256: z.string(),
        created_at: z.string(),
        label: z.string().nullable(),
        operation: z.string().describe('The tool that made it.'),
      }),
    )
    .describe('Newest first.'),
  truncated: z.boolean().describe(`There are more than the ${MOST} newest.`),
})

/** Lists backups (P-12). */
export const listBackups: Tool = defineTool({
  name: 'list_backups',
  title: 'List backups',
  description:
    'Lists the backups of a file by the path that it had then, or of all files, newest first. rollback_file restores one by its id; that fails when the operator has purged its content since.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: ({ file_path, field, backup_root }) => [
    ...(file_path === undefined ? [] : [{ path: file_path, field, use: 'read' } as const]),
    ...(backup_root === undefined ? [] : [{ path: backup_root, field: 'backup_root', use: 'read' } as const]),
  ],
  failed: () => ({ backups: [], truncated: false }),
  async run(context, args) {
    const { view } = context
    const paths = args.file_path === undefined ? null : (await backedUpPaths(view, args.file_path)).map(({ path }) => path)
    const backups: z.output<typeof output>['backups'] = []
    for await (const { id, path, kind, size, hash, createdAt, label, operation } of allBackups(context, args.backup_root)) {
      if (paths && !paths.includes(path)) continue
      if (backups.length === MOST) return { result: { backups, truncated: true } }
      const file = { backup_id: id, file_path: view.display(path), kind, size_bytes: size, sha256: hash }
      backups.push({ ...file, created_at: createdAt, label, operation })
    }
    return { result: { backups, truncated: false } }
  },
  text: ({ backups, truncated }) =>
    [
      `${truncated ? 'The newest ' : ''}${counted(backups.length, 'backup')}.`,
      ...backups.map(
        ({ backup_id, file_path, operation, label }) => `${backup_id} ${file_path} (${operation}${label === null ? '' : `: ${label}`})`,
      ),
    ].join('\n'),
})
