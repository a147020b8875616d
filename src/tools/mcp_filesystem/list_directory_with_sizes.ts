/** `list_directory_with_sizes`: the names in a directory with the sizes of files, and the totals. */
import { z } from 'zod'
import { nameOf } from '../../core/path.ts'
import type { View } from '../../core/view.ts'
import { behindLink } from '../linked_entry.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { reading } from './answer.ts'
import { directoryPath, resolveDirectory } from './given_path.ts'
import { MOST_LISTED, markOf } from './list_directory.ts'

const input = z.strictObject({
  path: directoryPath,
  sortBy: z.enum(['name', 'size']).default('name').describe('By name, or the largest first.'),
})

/** Widths of the columns. */
const [NAME_WIDTH, SIZE_WIDTH] = [30, 10]

interface Row {
  readonly mark: string
  readonly name: string
  readonly isDirectory: boolean
  readonly size: number
}

/** Lists a directory with sizes. */
export const listDirectoryWithSizes: Tool = defineTool({
  name: 'list_directory_with_sizes',
  title: 'List Directory with Sizes',
  description: `Lists the names in a directory after [DIR] or [FILE], with the sizes of files and their sum. At most ${MOST_LISTED}. Only in the allowed directories.`,
  ...reading,
  input,
  targets: pathTarget('read'),
  async run({ view, signal }, { path, sortBy }) {
    const { path: dir } = await resolveDirectory(view, path)
    const rows = await rowsOf(view, dir, signal)
    const directories = rows.filter(({ isDirectory }) => isDirectory).length
    const total = rows.reduce((sum, { size }) => sum + size, 0)
    // A stable sort: files of one size stay in the order of their names.
    if (sortBy === 'size') rows.sort((a, b) => b.size - a.size)
    const lines = rows.slice(0, MOST_LISTED).map(lineOf)
    if (rows.length > MOST_LISTED) lines.push(`… ${rows.length - MOST_LISTED} more entries`)
    lines.push('', `Total: ${rows.length - directories} files, ${directories} directories`, `Combined size: ${sizeText(total)}`)
    return { result: { content: lines.join('\n') } }
  },
})

/** The entries in the order of their names. A link has the size of the file that it leads to, if that is inside. */
async function rowsOf(view: View, dir: Parameters<View['list']>[0], signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = []
  for (const entry of await view.list(dir, { stat: true })) {
    signal.throwIfAborted()
    const behind = await behindLink(view, entry)
    const size = behind?.kind === 'file' ? (behind.size ?? 0) : 0
    rows.push({ mark: markOf(entry), name: nameOf(entry.path), isDirectory: entry.kind === 'directory', size })
  }
  return rows
}

function lineOf({ mark, name, isDirectory, size }: Row): string {
  return `${mark} ${name.padEnd(NAME_WIDTH)} ${isDirectory ? '' : sizeText(size).padStart(SIZE_WIDTH)}`
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const

/** A size in the largest unit that it has one of. */
function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  let [size, unit] = [bytes / 1024, 0]
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024
  return `${size.toFixed(2)} ${UNITS[unit]}`
}
