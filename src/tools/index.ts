/** Every tool, by its wire name. */
import { deleteFile } from './delete_file.ts'
import type { Tool } from './tool.ts'
import { viewFile } from './view_file.ts'

/** The table of tools: profiles choose from it. */
export const TOOLS: {
  readonly view_file: Tool
  readonly delete_file: Tool
} = {
  view_file: viewFile,
  delete_file: deleteFile,
}
