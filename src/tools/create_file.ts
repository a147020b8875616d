/** `create_file`: writes a file that must not be there yet. */
import { FilewrightError } from '../core/errors.ts'
import type { Tool } from './tool.ts'
import { writeFile } from './write_file.ts'

/** Writes a new file: as `write_file`, but whatever exists is `already_exists`, also when the call would force it (P-151). */
export const createFile: Tool = {
  ...writeFile,
  name: 'create_file',
  title: 'Create file',
  description:
    'Creates a file, with its parent directories. Fails when something is there already, whatever overwrite, force_overwrite or append say. With dry_run nothing is changed.',
  destructive: false,
  risk: () => 'small',
  async run(context, args) {
    const { file_path } = args as { readonly file_path: string }
    const target = await context.view.resolve(file_path, { field: 'file_path' })
    if (target.entry) {
      throw new FilewrightError('already_exists', `${file_path} exists, and create_file replaces nothing: choose another path.`, {
        field: 'file_path',
      })
    }
    return writeFile.run(context, args)
  },
}
