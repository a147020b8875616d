/** The `fileops` profile: the tools as they are. */
import { TOOLS } from '../tools/index.ts'
import { outputSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'
import { hub } from './hub.ts'
import { itself, plainRendering } from './plain.ts'
import type { BoundTool, Profile } from './profile.ts'

function bind(tool: Tool): BoundTool {
  return { tool, outputSchema: () => outputSchema(tool), route: itself(tool), render: (finished) => plainRendering(finished, tool) }
}

/** Tools of one name and one shape each (contract section 5), in the documented order. */
export const fileops: Profile = {
  name: 'fileops',
  title: 'for hosts that want a tool for each operation, or one hub for all',
  guarded: true,
  tools: [
    hub,
    ...[
      TOOLS.view_file,
      TOOLS.write_file,
      TOOLS.edit_file,
      TOOLS.patch_file,
      TOOLS.copy_file,
      TOOLS.move_file,
      TOOLS.delete_file,
      TOOLS.diff_file,
      TOOLS.validate_file,
      TOOLS.file_info,
      TOOLS.file_tree,
      TOOLS.list_directory,
      TOOLS.search_files,
      TOOLS.backup_file,
      TOOLS.rollback_file,
    ].map(bind),
  ],
}
