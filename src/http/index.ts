/**
 * `filewright/http`: workspaces over HTTP, as Hono apps for any runtime. `routes.ts` is the interface as data; its types are here
 * for clients.
 *
 * @module
 */
export { createHostApp, createHttpApp, type HttpAppOptions, type WorkspaceHost } from './app.ts'
export { type CredentialOptions, makeOneTimeToken } from './credentials.ts'
export { GIT_HOSTS, type GitProxyOptions } from './git_proxy.ts'
export type { GuardOptions } from './guard.ts'
export type { AnswerMcp, McpCaller } from './mcp.ts'
export { createMcpApp, type McpAppOptions } from './mcp_app.ts'
export { HttpError } from './problem.ts'
export {
  type AgentAnswer,
  type ApprovalAnswer,
  type ApprovalLine,
  type ApprovalList,
  type ChangeGist,
  type ChangeLine,
  type ChangePage,
  type ChangesPage,
  type FileAnswer,
  type HashList,
  HTTP_LIMITS,
  type HttpLimits,
  type ImportManifest,
  type ImportRequest,
  type ManifestFile,
  type MissingAnswer,
  type NewAgent,
  type NewWorkspace,
  type Problem,
  type RecordAnswer,
  type RecordSummary,
  type RenamedWorkspace,
  type SessionAnswer,
  type SessionRequest,
  type StoredAnswer,
  type ToolAnswer,
  type ToolInfo,
  type TreeEntry,
  type TreePage,
  type VerifyAnswer,
  type WorkspaceEntry,
  type WorkspaceInfo,
  type WorkspaceList,
} from './routes.ts'
export { withinTime } from './time_limit.ts'
export { createWorkspaceApp, type WorkspaceAppOptions } from './workspace_app.ts'
