/** `diff_file`: how a file differs from another one, or from a text. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Path } from '../core/path.ts'
import type { View } from '../core/view.ts'
import { unifiedDiff } from '../text/diff/unified.ts'
import { decodeStrict, encodeText, isBinary, isUtf8 } from '../text/utf8.ts'
import { checkedTogether, content, integer, text } from './arguments.ts'
import { defineTool, type Tool } from './tool.ts'

const input = checkedTogether(
  z.strictObject({
    file_path: text('The file to start from.'),
    compare_path: text('The file to compare with; or pass new_content.').optional(),
    new_content: content('The text to compare with; or pass compare_path.').optional(),
    context_lines: integer('Equal lines around each change.', { min: 0 }).default(3),
  }),
  requireOneSide,
)

type Arguments = z.output<typeof input>

const output = z.object({
  file_path: z.string(),
  compare_path: z.string().nullable(),
  diff: z.string().describe('Unified diff; empty when equal.'),
  has_changes: z.boolean(),
  added_lines: z.int(),
  removed_lines: z.int(),
  truncated: z.boolean().describe('The text of the diff was cut; the counts are of all of it.'),
})

/** Compares text byte by byte, in lines with their ends (P-95). */
export const diffFile: Tool = defineTool({
  name: 'diff_file',
  title: 'Diff file',
  description:
    'Returns the unified diff from a file to another file (compare_path) or to a text (new_content), with the counts of added and removed lines. Changes nothing. Binary files and files that are not UTF-8 are refused.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: ({ file_path, compare_path }) => [
    { path: file_path, field: 'file_path', use: 'read' },
    ...(compare_path === undefined ? [] : [{ path: compare_path, field: 'compare_path', use: 'read' } as const]),
  ],
  failed: () => ({
    file_path: '',
    compare_path: null,
    diff: '',
    has_changes: false,
    added_lines: 0,
    removed_lines: 0,
    truncated: false,
  }),
  async run({ view }, args) {
    const base = await readSide(view, args.file_path, 'file_path')
    const other = await otherSide(view, args, base)
    const options = { oldPath: base.path, newPath: other.path, context: args.context_lines }
    const { text, truncated, added, removed } = unifiedDiff(base.bytes, other.bytes, options)
    return {
      result: {
        file_path: view.display(base.path),
        compare_path: args.compare_path === undefined ? null : view.display(other.path),
        diff: text,
        has_changes: added + removed > 0,
        added_lines: added,
        removed_lines: removed,
        truncated,
      },
    }
  },
  text: ({ diff, has_changes, added_lines, removed_lines, truncated }) =>
    has_changes ? `${diff}[+${added_lines} -${removed_lines}${truncated ? '; the diff was cut' : ''}]` : 'No differences.',
})

interface Side {
  readonly path: Path
  readonly bytes: Uint8Array
}

/** An empty text counts as given. */
function requireOneSide<Args extends { readonly compare_path?: string | undefined; readonly new_content?: string | undefined }>(
  args: Args,
): Args {
  if ((args.compare_path === undefined) !== (args.new_content === undefined)) return args
  const missing = args.compare_path === undefined
  throw new FilewrightError(missing ? 'missing_argument' : 'invalid_argument', 'Pass exactly one of compare_path and new_content.', {
    field: 'compare_path',
  })
}

async function readSide(view: View, given: string, field: string): Promise<Side> {
  const target = await view.resolve(given, { field })
  const { bytes } = await view.readWhole(target)
  return requireText({ path: target.path, bytes }, given)
}

async function otherSide(view: View, args: Arguments, base: Side): Promise<Side> {
  if (args.compare_path !== undefined) return readSide(view, args.compare_path, 'compare_path')
  return requireText({ path: base.path, bytes: encodeText(args.new_content ?? '') }, 'new_content')
}

/** Throws `binary_file` or `invalid_utf8`, which names the first bad byte. */
function requireText(side: Side, given: string): Side {
  if (isBinary(side.bytes)) throw new FilewrightError('binary_file', `${given} is binary; only text can be compared.`)
  if (!isUtf8(side.bytes)) decodeStrict(side.bytes, given)
  return side
}
