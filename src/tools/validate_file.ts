/** `validate_file`: whether a file or a text is well-formed JSON or YAML, and where it is not. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import { formatByContent, formatByName, isRelaxedJson } from '../text/document/document_format.ts'
import { validateBytes } from '../text/document/validate.ts'
import { decodeLossy, encodeText } from '../text/utf8.ts'
import { checkedTogether, content, text } from './arguments.ts'
import { defineTool, type Tool } from './tool.ts'

/** Bytes that are looked at for the first character of a text. */
const HEAD = 65_536

const input = checkedTogether(
  z.strictObject({
    file_path: text('The file to check; or pass content.').optional(),
    content: content('The text to check; or pass file_path.').optional(),
    format: z
      .enum(['auto', 'json', 'yaml'])
      .describe('auto goes by the extension, else by the first character. json is strict, for .jsonc too.')
      .default('auto'),
  }),
  requireOne,
)

const output = z.object({
  valid: z.boolean(),
  format: z.enum(['json', 'yaml']),
  error_message: z.string().optional(),
  line: z.int().optional().describe('Of the first problem, from 1.'),
  column: z.int().optional().describe('In characters, from 1.'),
  summary: z.string(),
  file_path: z.string(),
})

type Result = z.output<typeof output>

/** Checks that a text is well-formed (P-100). A text that is not is an answer, not an error. */
export const validateFile: Tool = defineTool({
  name: 'validate_file',
  title: 'Validate file',
  description:
    'Checks whether a file, or the text in content, is well-formed JSON or YAML, and names the line and column of the first problem. Comments and trailing commas are accepted in .jsonc, tsconfig*.json, jsconfig*.json and .vscode/*.json. It knows no schemas. Nothing is changed.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: (args) => (args.file_path === undefined ? [] : [{ path: args.file_path, field: 'file_path', use: 'read' }]),
  failed: (): Result => ({ valid: false, format: 'json', summary: '', file_path: '' }),
  async run({ view }, args) {
    const target = args.file_path === undefined ? null : await view.resolve(args.file_path, { field: 'file_path' })
    const bytes = target ? (await view.readWhole(target)).bytes : encodeText(args.content ?? '')
    const format = args.format === 'auto' ? formatFor(bytes, target?.path ?? '') : args.format
    const relaxed = args.format === 'auto' && isRelaxedJson(target?.path ?? '')
    const { valid, message, line, column, notes } = await validateBytes(bytes, format, relaxed)
    const name = target?.given ?? 'The text'
    const kind = format === 'json' ? (relaxed ? 'JSON with comments' : 'JSON') : 'YAML'
    const summary = valid
      ? `${name} is valid ${kind}${notes.map((note) => `; ${note}`).join('')}.`
      : `${name} is not valid ${kind}: ${message}, at line ${line} column ${column}.`
    const result: Result = {
      valid,
      format,
      ...(message !== undefined && { error_message: message }),
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
      summary,
      file_path: target ? view.display(target.path) : '',
    }
    return { result }
  },
  text: (result) => result.summary,
})

/** By extension; where that tells neither of the two, by the first character. */
function formatFor(bytes: Uint8Array, path: string): 'json' | 'yaml' {
  const named = formatByName(path)
  return named === 'json' || named === 'yaml' ? named : formatByContent(decodeLossy(bytes.subarray(0, HEAD)).text)
}

function requireOne<Args extends { readonly file_path?: string | undefined; readonly content?: string | undefined }>(args: Args): Args {
  if (args.file_path === undefined && args.content === undefined) {
    throw new FilewrightError('missing_argument', 'file_path or content is required.', { field: 'file_path' })
  }
  if (args.file_path !== undefined && args.content !== undefined) {
    throw new FilewrightError('invalid_argument', 'Pass file_path or content, not both.', { field: 'content' })
  }
  return args
}
