/** Every tool, by its wire name. */
import { backupFile } from './backup_file.ts'
import { createBatch } from './batch_file_ops.ts'
import { copyFile } from './copy_file.ts'
import { createDirectory } from './create_directory.ts'
import { createFile } from './create_file.ts'
import { deleteFile } from './delete_file.ts'
import { diffFile } from './diff_file.ts'
import { editFile } from './edit_file.ts'
import { fileInfo } from './file_info.ts'
import { fileTree } from './file_tree.ts'
import { listBackups } from './list_backups.ts'
import { listDirectory } from './list_directory.ts'
import { moveFile } from './move_file.ts'
import type { ToolOf } from './operation_call.ts'
import { patchFile } from './patch_file.ts'
import { rollbackFile } from './rollback_file.ts'
import { searchFiles } from './search_files.ts'
import type { Tool } from './tool.ts'
import { validateFile } from './validate_file.ts'
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
  readonly backup_file: Tool
  readonly copy_file: Tool
  readonly create_directory: Tool
  readonly create_file: Tool
  readonly list_backups: Tool
  readonly move_file: Tool
  readonly patch_file: Tool
  readonly rollback_file: Tool
  readonly validate_file: Tool
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
  backup_file: backupFile,
  copy_file: copyFile,
  create_directory: createDirectory,
  create_file: createFile,
  list_backups: listBackups,
  move_file: moveFile,
  patch_file: patchFile,
  rollback_file: rollbackFile,
  validate_file: validateFile,
  batch_file_ops: createBatch((operation) => toolOf(operation)),
}

/** The tool of an operation of the hub. */
export const toolOf: ToolOf = (operation) => TOOLS[operation]
