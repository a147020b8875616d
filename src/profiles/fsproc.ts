/** The `fsproc` profile: file tools over a project root that each call may name, answering with an envelope. */
import type { ErrorCode, FilewrightError } from '../core/errors.ts'
import { batchEdit, batchEditCheck } from '../tools/fsproc/batch_edit.ts'
import { batchRollback } from '../tools/fsproc/batch_rollback.ts'
import { editFile } from '../tools/fsproc/edit_file.ts'
import { fileBytes } from '../tools/fsproc/file_bytes.ts'
import { listDir } from '../tools/fsproc/list_dir.ts'
import { readFile } from '../tools/fsproc/read_file.ts'
import { runCommand } from '../tools/fsproc/run_command.ts'
import { searchFiles } from '../tools/fsproc/search_files.ts'
import { writeFile } from '../tools/fsproc/write_file.ts'
import { type JsonSchema, resultSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'
import { itself } from './plain.ts'
import type { BoundTool, Profile } from './profile.ts'

/** What is said before the message of an error, by its code. */
type Prefixes = { readonly [code in ErrorCode]?: string }

const NOT_FOUND: Prefixes = { not_found: 'file not found', is_directory: 'file not found', not_regular: 'file not found' }
const READ: Prefixes = { ...NOT_FOUND, not_directory: 'file not found', permission_denied: 'read failed', io_error: 'read failed' }
const WRITE: Prefixes = {
  is_directory: 'write failed',
  not_directory: 'write failed',
  not_regular: 'write failed',
  permission_denied: 'write failed',
  no_space: 'write failed',
  io_error: 'write failed',
}
const EDIT: Prefixes = { ...WRITE, ...NOT_FOUND, not_directory: 'file not found' }

/** The envelope (F-4). Its `text` is the text block that every answer has beside it. */
function bind(tool: Tool, prefixes: Prefixes): BoundTool {
  return {
    tool,
    outputSchema: () => envelopeSchema(tool),
    route: itself(tool),
    render: ({ result, error }) => {
      if (!error) return { result: { success: true, data: result }, text: tool.text(result) }
      const message = explain(error, prefixes)
      return { result: { success: false, error: message }, text: `Error: ${message}` }
    },
  }
}

function explain(error: FilewrightError, prefixes: Prefixes): string {
  if (error.code === 'outside_root') return `path escapes the root: ${error.message}`
  // What is wrong with the root of the call says so itself.
  const prefix = error.field === 'path' ? undefined : prefixes[error.code]
  return prefix === undefined ? error.message : `${prefix}: ${error.message}`
}

function envelopeSchema(tool: Tool): JsonSchema {
  const { $schema, ...data } = resultSchema(tool)
  return {
    $schema,
    type: 'object',
    properties: { success: { type: 'boolean' }, data, error: { type: 'string', description: 'What went wrong.' } },
    required: ['success'],
    oneOf: [
      { properties: { success: { const: true } }, required: ['data'], not: { required: ['error'] } },
      { properties: { success: { const: false } }, required: ['error'], not: { required: ['data'] } },
    ],
  }
}

/** Tools of contract section 2. */
export const fsproc: Profile = {
  name: 'fsproc',
  title: 'for callers of file and process tools, each with a root of its own',
  guarded: false,
  tools: [
    bind(readFile, READ),
    bind(writeFile, WRITE),
    bind(editFile, EDIT),
    bind(searchFiles, {}),
    bind(listDir, {}),
    bind(fileBytes, READ),
    bind(runCommand, {}),
    bind(batchEdit, {}),
    bind(batchEditCheck, {}),
    bind(batchRollback, {}),
  ],
}
