/** The `mcp-filesystem` profile: the tools of the MCP reference server, with its names, arguments and texts, without its losses. */

import { ROOT } from '../core/path.ts'
import { createDirectory } from '../tools/mcp_filesystem/create_directory.ts'
import { directoryTree } from '../tools/mcp_filesystem/directory_tree.ts'
import { editFile } from '../tools/mcp_filesystem/edit_file.ts'
import { failureText } from '../tools/mcp_filesystem/failure.ts'
import { getFileInfo } from '../tools/mcp_filesystem/get_file_info.ts'
import { listAllowedDirectories } from '../tools/mcp_filesystem/list_allowed_directories.ts'
import { listDirectory } from '../tools/mcp_filesystem/list_directory.ts'
import { listDirectoryWithSizes } from '../tools/mcp_filesystem/list_directory_with_sizes.ts'
import { moveFile } from '../tools/mcp_filesystem/move_file.ts'
import { readFile } from '../tools/mcp_filesystem/read_file.ts'
import { readMediaFile } from '../tools/mcp_filesystem/read_media_file.ts'
import { readMultipleFiles } from '../tools/mcp_filesystem/read_multiple_files.ts'
import { readTextFile } from '../tools/mcp_filesystem/read_text_file.ts'
import { searchFiles } from '../tools/mcp_filesystem/search_files.ts'
import { writeFile } from '../tools/mcp_filesystem/write_file.ts'
import type { Tool } from '../tools/tool.ts'
import { itself } from './plain.ts'
import type { Attachment, BoundTool, Finished, Profile, Rendered } from './profile.ts'

/** Each tool, and what the system calls the act that it comes down to. */
const TOOLS: readonly (readonly [tool: Tool, act: string])[] = [
  [readFile, 'open'],
  [readTextFile, 'open'],
  [readMediaFile, 'open'],
  [readMultipleFiles, 'open'],
  [writeFile, 'write'],
  [editFile, 'open'],
  [createDirectory, 'mkdir'],
  [listDirectory, 'scandir'],
  [listDirectoryWithSizes, 'scandir'],
  [directoryTree, 'scandir'],
  [moveFile, 'rename'],
  [searchFiles, 'scandir'],
  [getFileInfo, 'stat'],
  [listAllowedDirectories, 'stat'],
]

/** The text is the whole answer; no result is published beside it, so that nothing travels twice. */
function bind([tool, act]: (typeof TOOLS)[number]): BoundTool {
  return {
    tool,
    outputSchema: null,
    route: itself(tool),
    render: (finished) => (finished.error ? renderFailure(tool, act, finished) : renderSuccess(tool, finished)),
  }
}

function renderFailure(tool: Tool, act: string, { error, sent, display }: Finished): Rendered {
  const { path, source, destination } = (sent ?? {}) as { readonly [name: string]: unknown }
  const paths = [path, source, destination].filter((value) => typeof value === 'string')
  const text = failureText(error as NonNullable<typeof error>, { tool: tool.name, act, paths, root: display(ROOT) })
  return { result: { content: text }, text }
}

function renderSuccess(tool: Tool, { result }: Finished): Rendered {
  if (tool !== readMediaFile) return { result, text: tool.text(result) }
  const { type, mimeType, path, data } = result as unknown as Media
  const attachment: Attachment = type === 'file' ? { type, path, mimeType, data } : { type, mimeType, data }
  return { result, text: '', attachments: [attachment] }
}

/** What `read_media_file` gives. */
interface Media {
  readonly type: Exclude<Attachment['type'], 'link'>
  readonly path: string
  readonly mimeType: string
  readonly data: string
}

/** The reference server's tools, in its order. */
export const mcpFilesystem: Profile = {
  name: 'mcp-filesystem',
  title: 'in place of the MCP reference server for files',
  guarded: false,
  tools: TOOLS.map(bind),
}
