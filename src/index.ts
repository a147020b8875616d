/**
 * `filewright`: file tools for AI agents that prove what they changed, on any storage, and can undo it.
 *
 * A workspace is a set of tools over a storage, with a journal. A call plans changes, commits them all or not at all, reads back
 * what is stored, and answers with what happened. A failed call is an answer with `error`; it is never thrown.
 *
 * @example
 * ```ts
 * import { createMemoryFs, openWorkspace } from 'filewright'
 *
 * const workspace = await openWorkspace({ fs: createMemoryFs() })
 * await workspace.call('write', { path: 'notes.txt', content: 'one\ntwo\n' })
 * const { text } = await workspace.call('read', { path: 'notes.txt' })
 * console.log(text)
 * await workspace.undo('last')
 * ```
 *
 * Other storages are `filewright/fs/node` (a folder on disk), `filewright/fs/memfs` (any `fs` object), `filewright/fs/sqlite` and
 * `filewright/fs/git` (a commit of a repository);
 * `filewright/mcp` and `filewright/http` serve a workspace; `filewright/definitions` tells its tools to model interfaces,
 * `filewright/builtin` to a program's own registry, and `filewright/node-fs` is an `fs` for libraries; `filewright/testing` is for tests.
 *
 * @module
 */
export type { Change, Content, Expect, Keep, RecordedChange, Side, Version } from './core/change.ts'
export {
  ERRORS,
  type ErrorCode,
  type ErrorMeaning,
  type ErrorParts,
  FilewrightError,
  isFilewrightError,
  type RetryClass,
} from './core/errors.ts'
export type {
  Cause,
  Entry,
  EntryKind,
  FileSystem,
  FileVisitor,
  MaybePromise,
  Origin,
  ReadEachOptions,
  Reader,
  Remembered,
  ScanOptions,
  Want,
} from './core/file_system.ts'
export { type Hash, type Hasher, type HashStream, platformHasher } from './core/hash.ts'
export type { OutsideFile, OutsideReader } from './core/outside.ts'
export type { Path } from './core/path.ts'
export type { Basis, ChainHead, JournalRecord, RecordDraft, RecordQuery } from './core/record.ts'
export type {
  Branch,
  Commit,
  CommitRequest,
  Committed,
  GitEntry,
  GitMode,
  LogQuery,
  MergeConflict,
  MergedPath,
  MergeResult,
  NamedCommit,
  Oid,
  PathFilter,
  Repository,
  RepositoryReads,
  RepositoryStatus,
  Signature,
  TreeChange,
} from './core/repository.ts'
export type { RunEnd, Runner, RunOutcome, RunOutput, RunRequest } from './core/runner.ts'
export type { Limits, Traits } from './core/traits.ts'
export { VERSION } from './core/version.ts'
export { createMemoryFs, type MemoryFsOptions } from './fs/memory.ts'
export { parseTrustPolicy, type TrustPolicy, type TrustRule } from './policy/trust.ts'
export { inputSchema, type JsonSchema, outputSchema } from './tools/json_schema.ts'
export type { Tool } from './tools/tool.ts'
export type {
  ApprovalDesk,
  ApprovalPreview,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalVerdict,
  Approve,
  PreviewedChange,
} from './workspace/approvals/request.ts'
export { approvalText } from './workspace/approvals/text.ts'
export type { Brought, GitActOptions, Merged, WorkspaceGit } from './workspace/git/git.ts'
export { openWorkspace } from './workspace/open.ts'
export type { Collected, Retention } from './workspace/past/collect.ts'
export type { Past, Purged, ReplayOptions, Reverted } from './workspace/past/past.ts'
export type { PatchPart } from './workspace/past/patch.ts'
export type { PurgeOptions, PurgeTarget } from './workspace/past/purge.ts'
export type { RecordRange } from './workspace/past/range.ts'
export type { Replayed } from './workspace/past/replay.ts'
export type { Restored } from './workspace/past/restore.ts'
export type {
  CallChange,
  CallOptions,
  CallResult,
  ImportedFile,
  ImportOptions,
  LogEntry,
  OperatorSettings,
  ShownChange,
  ShownRecord,
  Workspace,
  WorkspaceEvent,
  WorkspaceOptions,
} from './workspace/workspace.ts'
