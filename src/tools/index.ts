/** Every tool, by its wire name. */
import { deleteFile } from './delete_file.ts'
import type { Tool } from './tool.ts'

/** The table of tools: profiles choose from it. */
export const TOOLS: {
  readonly delete_file: Tool
} = {
  delete_file: deleteFile,
}
