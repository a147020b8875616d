/** `get_file_info`: size, times, kind and permissions of a file or directory. */
import { z } from 'zod'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { reading } from './answer.ts'
import { filePath, requireEntry, resolveGiven } from './given_path.ts'

const input = z.strictObject({ path: filePath.describe('The file or directory. A link stands for what it leads to.') })

const UNKNOWN = 'unknown'

/** Tells what is known of an entry, one fact a line. */
export const getFileInfo: Tool = defineTool({
  name: 'get_file_info',
  title: 'Get File Info',
  description:
    'Tells the size, the times, the kind and the permissions of a file or directory without reading it. What the storage does not know is told as unknown. Only in the allowed directories.',
  ...reading,
  input,
  targets: pathTarget('read'),
  async run({ view }, { path }) {
    const { kind, size, createdMs, mtimeMs, mode } = requireEntry(await resolveGiven(view, path))
    const facts = {
      size: size ?? 0,
      created: timeText(createdMs),
      modified: timeText(mtimeMs),
      // No storage keeps it: reading would be writing.
      accessed: UNKNOWN,
      isDirectory: kind === 'directory',
      isFile: kind === 'file',
      permissions: mode === null ? UNKNOWN : mode.toString(8).padStart(3, '0').slice(-3),
    }
    const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
    return { result: { content: lines.join('\n') } }
  },
})

function timeText(ms: number | null): string {
  return ms === null ? UNKNOWN : String(new Date(ms))
}
