/** `create_directory`: makes a directory, with its parents. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { text } from './arguments.ts'
import { allowancesOf, guardedShape } from './guarded.ts'
import { defineTool, type Tool } from './tool.ts'

const input = z.strictObject({
  directory_path: text('The directory, as a path in the workspace.'),
  dry_run: guardedShape.dry_run,
  allow_ignored: guardedShape.allow_ignored,
  allow_sensitive: guardedShape.allow_sensitive,
})

const output = z.object({
  directory_path: z.string(),
  created: z.boolean().describe('False when it was there already. In a dry run: would be created.'),
})

/** Makes a directory (P-151). */
export const createDirectory: Tool = defineTool({
  name: 'create_directory',
  title: 'Create directory',
  description: 'Makes a directory with its missing parents. A directory that is there stays as it is.',
  kind: 'write',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: (args) => [{ path: args.directory_path, field: 'directory_path', use: 'change' }],
  allowances: allowancesOf,
  failed: () => ({ directory_path: '', created: false }),
  async run({ view }, args) {
    const target = await view.resolve(args.directory_path, { field: 'directory_path' })
    const directory_path = view.display(target.path)
    if (target.entry && target.entry.kind !== 'directory') {
      throw new FilewrightError('not_directory', `${target.given} is there, and is no directory.`, { field: 'directory_path' })
    }
    if (target.entry) return { result: { directory_path, created: false } }
    view.makeDirectory(target)
    const result = { directory_path, created: true }
    return args.dry_run ? { result, dryRun: true } : { result, complete: () => result }
  },
  text: ({ directory_path, created }) => (created ? `Created ${directory_path}.` : `${directory_path} is there already.`),
})
