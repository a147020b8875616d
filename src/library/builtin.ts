/**
 * `filewright/builtin`: the tools of the profile `builtin` as functions for a host's own registry. A failed call throws, as the
 * contract of these tools wants it, and a capture lists what was changed with the hashes from before and after.
 *
 * @example
 * ```ts
 * import { createMemoryFs, openWorkspace } from 'filewright'
 * import { ChangeSetCapture, registerFileToolsWithChangeset } from 'filewright/builtin'
 *
 * const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'builtin' })
 * const tools = new Map()
 * const capture = ChangeSetCapture('plan-1')
 * registerFileToolsWithChangeset(tools, capture, workspace)
 * await tools.get('builtin/file-write').execute({ path: 'notes.txt', content: 'one' })
 * console.log(capture.summary().create)
 * ```
 *
 * @module
 */
export {
  type CaptureOptions,
  type ChangeMetadata,
  type ChangeOperation,
  type ChangeSet,
  ChangeSetCapture,
  type ChangeSetEntry,
  type ChangeSetSummary,
} from './changeset.ts'
export {
  FileNotFoundError,
  FileToolError,
  IsADirectoryError,
  LookupError,
  NotADirectoryError,
  PermissionError,
  UnicodeDecodeError,
  UnicodeEncodeError,
  ValueError,
} from './file_errors.ts'
export {
  type FileTool,
  type FileToolRegistry,
  registerFileTools,
  registerFileTools as register_file_tools,
  registerFileToolsWithChangeset,
  registerFileToolsWithChangeset as register_file_tools_with_changeset,
} from './file_tools.ts'
