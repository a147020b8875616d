/** The `builtin` profile: `builtin/file-*`, whose failures are exceptions by their names. */
import type { ErrorCode, FilewrightError } from '../core/errors.ts'
import { fileDelete } from '../tools/builtin/file_delete.ts'
import { fileEdit } from '../tools/builtin/file_edit.ts'
import { fileList } from '../tools/builtin/file_list.ts'
import { fileRead } from '../tools/builtin/file_read.ts'
import { fileSearch } from '../tools/builtin/file_search.ts'
import { fileWrite } from '../tools/builtin/file_write.ts'
import { type JsonSchema, resultSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'
import { itself } from './plain.ts'
import type { BoundTool, Profile } from './profile.ts'

/** The exception of a code; any other is a `ValueError` (B-3). */
const EXCEPTIONS: { readonly [code in ErrorCode]?: string } = {
  not_found: 'FileNotFoundError',
  is_directory: 'IsADirectoryError',
  not_directory: 'NotADirectoryError',
  permission_denied: 'PermissionError',
  protected_path: 'PermissionError',
  read_only: 'PermissionError',
  approval_required: 'PermissionError',
  invalid_utf8: 'UnicodeDecodeError',
  binary_file: 'UnicodeDecodeError',
}

function exceptionOf({ code, field, details }: FilewrightError): string {
  if (code === 'unsupported' && field === 'encoding') return 'LookupError'
  if (code === 'invalid_argument' && details?.encoding !== undefined) return 'UnicodeEncodeError'
  return EXCEPTIONS[code] ?? 'ValueError'
}

/** The tool's own result, or what was thrown (W-3). */
function bind(tool: Tool): BoundTool {
  return {
    tool,
    outputSchema: () => thrownOr(resultSchema(tool)),
    route: itself(tool),
    render: ({ result, error }) => {
      if (!error) return { result, text: tool.text(result) }
      const thrown = { error: error.message, error_type: exceptionOf(error) }
      return { result: thrown, text: `${thrown.error_type}: ${thrown.error}` }
    },
  }
}

function thrownOr({ $schema, properties, required }: JsonSchema): JsonSchema {
  const thrown = {
    error: { type: 'string', description: 'What went wrong; absent on success.' },
    error_type: { type: 'string', description: 'Name of the exception.' },
  }
  return {
    $schema,
    type: 'object',
    properties: { ...(properties as object), ...thrown },
    oneOf: [{ required: ['error', 'error_type'] }, { required, not: { required: ['error'] } }],
  }
}

/** Tools of contract section 4. */
export const builtin: Profile = {
  name: 'builtin',
  title: 'for programs that call builtin/file-*, with encodings and exceptions',
  guarded: false,
  tools: [fileRead, fileWrite, fileEdit, fileDelete, fileList, fileSearch].map(bind),
}
