/** The `fileops` profile: the tools as they are, under their own names. */
import { TOOLS } from '../tools/index.ts'
import type { Tool } from '../tools/tool.ts'
import type { BoundTool, Profile } from './profile.ts'

/** Results are objects with `error` exactly when the call failed (contract P-1); the text is the tool's own, or the error. */
function bind(tool: Tool): BoundTool {
  return {
    name: tool.name,
    tool,
    render: ({ result, error }) => ({ result, text: error ? String(result.error) : tool.text(result) }),
  }
}

/** Tools of one name and one shape each (contract section 5), in the documented order. */
export const fileops: Profile = {
  name: 'fileops',
  title: 'File operations',
  tools: [
    TOOLS.view_file,
    TOOLS.write_file,
    TOOLS.edit_file,
    TOOLS.delete_file,
    TOOLS.diff_file,
    TOOLS.file_info,
    TOOLS.file_tree,
    TOOLS.list_directory,
    TOOLS.search_files,
  ].map(bind),
}
