/** `read_file` of the `sessions` profile: the beginning of a file, or what is in a directory. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { nameOf } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { countLines, skipLines } from '../../text/lines.ts'
import { bomLength, decodeStrict, isBinary, isUtf8 } from '../../text/utf8.ts'
import { text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { shownPath } from './area.ts'
import { spoken, spokenText } from './spoken.ts'

/** Lines shown of a file (S-11), characters of a line (S-15), entries of a directory (S-12). */
const MAX_LINES = 200
const MAX_LINE_CHARS = 2000
const MAX_ENTRIES = 500

const input = z.object({ path: text('A file or directory, relative to the project root.') })

/** Reads anything in the project (S-10 to S-15). */
export const readFile: Tool = defineTool({
  name: 'read_file',
  title: 'Read file',
  description: `Reads a text file of the project, up to ${MAX_LINES} lines, or lists a directory.`,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output: spoken,
  targets: pathTarget('read'),
  failed: () => ({}),
  async run({ view }, { path }) {
    const target = await view.resolve(path)
    if (!target.entry) throw new FilewrightError('not_found', `path not found: ${shownPath(target)}`, { field: 'path' })
    return { result: { text: target.entry.kind === 'directory' ? await listing(view, target) : await beginning(view, target) } }
  },
  text: spokenText,
})

async function beginning(view: View, target: Resolved): Promise<string> {
  const shown = shownPath(target)
  const { bytes } = await view.readWhole(target)
  const refused = { field: 'path' }
  if (isBinary(bytes)) {
    const size = counted(bytes.length, 'byte')
    throw new FilewrightError('binary_file', `${shown} is a binary file (${size}) and cannot be shown as text.`, refused)
  }
  if (!isUtf8(bytes)) throw new FilewrightError('invalid_utf8', `${shown} is not valid UTF-8 and cannot be shown as text.`, refused)
  const body = bytes.subarray(bomLength(bytes))
  const lines = countLines(body)
  const header = `${shown} (${counted(lines, 'line')})`
  if (lines === 0) return header
  const content = cutLines(decodeStrict(lines > MAX_LINES ? body.subarray(0, skipLines(body, MAX_LINES)) : body, shown))
  if (lines <= MAX_LINES) return `${header}\n\n${content}`
  return `${header}\n\n${content}… [truncated: showing ${MAX_LINES} of ${lines} lines]`
}

/** Long lines without their ends. */
function cutLines(content: string): string {
  return content.replace(LONG_LINE, (line) => {
    const [, end = ''] = /(\r?)$/.exec(line) ?? []
    const chars = Array.from(line.slice(0, line.length - end.length))
    return chars.length <= MAX_LINE_CHARS ? line : `${chars.slice(0, MAX_LINE_CHARS).join('')}… [line truncated]${end}`
  })
}

const LONG_LINE = new RegExp(`[^\\n]{${MAX_LINE_CHARS + 1},}`, 'g')

async function listing(view: View, target: Resolved): Promise<string> {
  const entries = await view.list(target.path, { stat: true, target: true })
  const lines = entries.slice(0, MAX_ENTRIES).map(describe)
  if (entries.length === 0) lines.push('(empty)')
  if (entries.length > MAX_ENTRIES) lines.push(`… [${entries.length - MAX_ENTRIES} more]`)
  const count = entries.length === 1 ? '1 entry' : `${entries.length} entries`
  return [`${shownPath(target)}/ (${count})`, ...lines].join('\n')
}

function describe({ path, kind, size, target }: Entry): string {
  const name = nameOf(path)
  if (kind === 'directory') return `${name}/`
  if (kind === 'link') return `${name} -> ${target}`
  return size === null ? name : `${name} (${counted(size, 'byte')})`
}
