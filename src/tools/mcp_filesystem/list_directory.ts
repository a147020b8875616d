/** `list_directory`: the names in a directory, each with what it is. */
import { z } from 'zod'
import { nameOf } from '../../core/path.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { reading } from './answer.ts'
import { directoryPath, resolveDirectory } from './given_path.ts'

/** Most entries that are told. */
export const MOST_LISTED: number = 10_000

const input = z.strictObject({ path: directoryPath })

/** Lists a directory in the order of its names. */
export const listDirectory: Tool = defineTool({
  name: 'list_directory',
  title: 'List Directory',
  description: `Lists the names in a directory after [DIR] or [FILE]; a link counts as a file, whatever it leads to. At most ${MOST_LISTED}. Only in the allowed directories.`,
  ...reading,
  input,
  targets: pathTarget('read'),
  async run({ view }, { path }) {
    const { path: dir } = await resolveDirectory(view, path)
    const entries = await view.list(dir)
    const lines = entries.slice(0, MOST_LISTED).map((entry) => `${markOf(entry)} ${nameOf(entry.path)}`)
    if (entries.length > MOST_LISTED) lines.push(`… ${entries.length - MOST_LISTED} more entries`)
    return { result: { content: lines.join('\n') } }
  },
})

/** What stands before a name. */
export function markOf({ kind }: { readonly kind: string }): string {
  return kind === 'directory' ? '[DIR]' : '[FILE]'
}
