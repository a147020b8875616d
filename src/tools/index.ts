/** Every tool, by its wire name. */
import { createBatch } from './batch_file_ops.ts'
import { deleteFile } from './delete_file.ts'
import { diffFile } from './diff_file.ts'
import { editFile } from './edit_file.ts'
import { fileInfo } from './file_info.ts'
import { fileTree } from './file_tree.ts'
import { listDirectory } from './list_directory.ts'
import type { ToolOf } from './operation_call.ts'
import type { OperationName } from './operations.ts'
import { searchFiles } from './search_files.ts'
import type { Tool } from './tool.ts'
import { viewFile } from './view_file.ts'
import { writeFile } from './write_file.ts'

/** The table of tools: profiles choose from it. */
export const TOOLS: {
  readonly view_file: Tool
  readonly write_file: Tool
  readonly edit_file: Tool
  readonly delete_file: Tool
  readonly diff_file: Tool
  readonly file_info: Tool
  readonly file_tree: Tool
  readonly list_directory: Tool
  readonly search_files: Tool
  readonly batch_file_ops: Tool
} = {
  view_file: viewFile,
  write_file: writeFile,
  edit_file: editFile,
  delete_file: deleteFile,
  diff_file: diffFile,
  file_info: fileInfo,
  file_tree: fileTree,
  list_directory: listDirectory,
  search_files: searchFiles,
  batch_file_ops: createBatch((operation) => toolOf(operation)),
}

/** The tool of an operation of the hub. */
export const toolOf: ToolOf = (operation) => (TOOLS as { readonly [name in OperationName]?: Tool })[operation] ?? TOOLS.file_info
