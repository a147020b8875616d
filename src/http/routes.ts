/**
 * The HTTP interface as data: every route, what it takes and what it answers. Clients are written against this file.
 *
 * | method, path below `/v1` | takes | answers |
 * |---|---|---|
 * | POST `/session` | {@link SessionRequest} | 201 {@link SessionAnswer}; a token works once |
 * | POST `/agents` | {@link NewAgent} | 201 {@link AgentAnswer}: a token for an agent |
 * | GET `/workspaces` | | {@link WorkspaceList}, oldest first |
 * | POST `/workspaces` | {@link NewWorkspace} | 201 {@link WorkspaceEntry} |
 * | GET `/workspaces/:id` | | {@link WorkspaceEntry} |
 * | PATCH `/workspaces/:id` | {@link RenamedWorkspace} | {@link WorkspaceEntry} |
 * | DELETE `/workspaces/:id` | | 204; files and history are gone |
 * | GET `…/:id/info` | | {@link WorkspaceInfo} |
 * | POST `…/:id/tools/:tool` | the arguments | {@link ToolAnswer}; a failed call has its code's status and the same members |
 * | GET `…/:id/tree` | `path`, `after`, `limit` | {@link TreePage}: the children of one directory |
 * | GET, HEAD `…/:id/files/*path` | `Range`, `If-None-Match`, `If-Range` | the bytes; `ETag` is the SHA-256 in quotes |
 * | PUT `…/:id/files/*path` | bytes; `If-Match` or `If-None-Match: *`; `allow_ignored`, `allow_sensitive` | {@link FileAnswer}, 201 when it is new |
 * | DELETE `…/:id/files/*path` | `If-Match`; `allow_ignored`, `allow_sensitive` | {@link FileAnswer} |
 * | POST `…/:id/import/missing` | {@link HashList} | {@link MissingAnswer}: what must be sent |
 * | POST `…/:id/import/content` | frames (frames.ts) | {@link StoredAnswer} |
 * | POST `…/:id/import` | {@link ImportRequest} | 201 {@link RecordAnswer}: one change in the timeline |
 * | GET `…/:id/changes` | `before`, `limit` | {@link ChangesPage}, newest first |
 * | GET `…/:id/changes/:which` | `offset`, `limit`, `diff=false` | {@link ChangePage}; `which` is an id, a sequence number or `last` |
 * | POST `…/:id/changes/:which/undo` | | {@link RecordAnswer} |
 * | POST `…/:id/redo` | | {@link RecordAnswer} |
 * | POST `…/:id/verify` | | {@link VerifyAnswer} |
 * | `…/:id/git/…` | | the repository, where there is one: see git.ts |
 * | GET `…/:id/approvals` | | {@link ApprovalList}: what waits for a person, and recent requests; newest first |
 * | GET `…/:id/approvals/:request` | | {@link ApprovalAnswer} |
 * | POST `…/:id/approvals/:request/grant` | | {@link ApprovalAnswer}; the same call runs then, once |
 * | POST `…/:id/approvals/:request/deny` | | {@link ApprovalAnswer} |
 * | POST `…/:id/mcp` | an MCP message of either era | streamable HTTP without sessions: JSON, or a stream of events; other methods are 405 |
 * | GET `…/:id/events` | `Last-Event-ID` or `after` | a stream of server-sent events, see events.ts |
 * | GET `/git-proxy/HOST/PATH/info/refs?service=…` | git's headers, `Git-Authorization` | what the remote answers, see git_proxy.ts |
 * | POST `/git-proxy/HOST/PATH/git-upload-pack`, `…/git-receive-pack` | the same, and git's request | the same |
 *
 * Every request but `POST /session` carries `Authorization: Bearer TOKEN`: the operator's secret, a session's token, or an
 * agent's. Only a session may approve, there or in a form of MCP: it is a person's. An agent's token calls tools and reads;
 * everything else is 403 `permission_denied`: approvals, other agents, imports, undo, and making, renaming or removing
 * workspaces. Every failure is `application/problem+json` ({@link Problem}) with one of the product's codes; what MCP itself
 * refuses is an error of JSON-RPC. Times are milliseconds since 1970, sizes are bytes.
 */

import type { RecordedChange } from '../core/change.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { EntryKind } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import type { JournalRecord } from '../core/record.ts'
import type { Traits } from '../core/traits.ts'
import type { JsonSchema } from '../tools/json_schema.ts'
import type { ApprovalRequest } from '../workspace/approvals/request.ts'
import type { CallResult, ShownChange } from '../workspace/workspace.ts'

/** Limits of the HTTP interface; sent with {@link WorkspaceInfo}, so that clients need not know them. */
export interface HttpLimits {
  /** Longest JSON body of most routes. */
  readonly jsonBytes: number
  /** Longest JSON body of a tool call. Larger content goes by `files/` or an import. */
  readonly callBytes: number
  /** Longest body of `PUT files/` and `POST import/content`; so also the largest file that one request can bring. */
  readonly bodyBytes: number
  /** Most hashes in one {@link HashList}. */
  readonly hashes: number
  /** Most files in one {@link ImportManifest}. */
  readonly manifestFiles: number
}

/** The limits, the same on every host. */
export const HTTP_LIMITS: HttpLimits = {
  jsonBytes: 1024 * 1024,
  callBytes: 8 * 1024 * 1024,
  bodyBytes: 64 * 1024 * 1024,
  hashes: 5000,
  manifestFiles: 1000,
}

/** Any failure (RFC 9457). */
export interface Problem {
  readonly type: 'about:blank'
  /** The status in words. */
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  /** What went wrong, naming paths as the caller wrote them. */
  readonly detail: string
  /** The argument that is wrong. */
  readonly field?: string
  /** Facts as data, such as a current hash. */
  readonly details?: { readonly [key: string]: unknown }
}

/** The one-time token of the address that the server printed, from the address's fragment (`#token=…`). */
export interface SessionRequest {
  readonly token: string
}

/** The token of all later requests; it lasts until the server ends. Keep it in `sessionStorage`. */
export interface SessionAnswer {
  readonly token: string
}

/** A name is 1 to 64 letters, digits, `_` and `-`; the journal shows it as the author of the agent's changes. */
export interface NewAgent {
  readonly name: string
}

/** The token lasts as long as the server's secret. It is told once. */
export interface AgentAnswer {
  readonly name: string
  readonly token: string
}

/** One workspace of the index. */
export interface WorkspaceEntry {
  readonly id: string
  readonly name: string
  readonly profile: string
  readonly createdMs: number
}

export interface WorkspaceList {
  readonly workspaces: readonly WorkspaceEntry[]
}

/** A name has 1 to 100 characters. */
export interface NewWorkspace {
  readonly name: string
  /** Default `fileops`. */
  readonly profile?: string
}

export interface RenamedWorkspace {
  readonly name: string
}

/** What a workspace is and can do. */
export interface WorkspaceInfo {
  readonly profile: string
  readonly traits: Traits
  /** In the profile's order. */
  readonly tools: readonly ToolInfo[]
  readonly limits: HttpLimits
  /** Sequence of the newest record; 0 when there is none. */
  readonly head: number
}

/** A tool, with the schemas that forms are made of. */
export interface ToolInfo {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly kind: 'read' | 'write'
  readonly idempotent: boolean
  readonly destructive: boolean
  readonly input: JsonSchema
  /** Null when only the text of an answer is meant for clients. */
  readonly output: JsonSchema | null
}

/** What a call came to. A failed one is also a {@link Problem}. */
export type ToolAnswer = CallResult

/** One child of a directory. */
export interface TreeEntry {
  readonly name: string
  /** Relative to the root, without a leading slash. */
  readonly path: string
  readonly kind: EntryKind
  readonly size: number | null
  readonly mtimeMs: number | null
  readonly mode: number | null
  readonly hash: Hash | null
  /** Text of a link. */
  readonly target: string | null
}

/** Children in code-point order of their names. `path` defaults to the root, `limit` to 1,000, its maximum. */
export interface TreePage {
  readonly path: string
  readonly entries: readonly TreeEntry[]
  /** The `after` of the next page; null at the end. */
  readonly next: string | null
}

/** What a PUT or DELETE did. */
export interface FileAnswer {
  readonly path: string
  /** Null after a DELETE. */
  readonly hash: Hash | null
  /** Id of the record; null when the file held these bytes already. */
  readonly changeId: string | null
}

/** SHA-256 hashes, at most {@link HttpLimits.hashes}. */
export interface HashList {
  readonly hashes: readonly string[]
}

export interface MissingAnswer {
  readonly missing: readonly string[]
}

/** How many frames were stored, with how many bytes of content. */
export interface StoredAnswer {
  readonly stored: number
  readonly bytes: number
}

/** One file of an import: content by hash, or a link's text, or an (empty) directory. Parents are made. */
export interface ManifestFile {
  readonly path: string
  readonly hash?: string
  readonly link?: string
  readonly directory?: true
  readonly mode?: number
  readonly mtimeMs?: number
}

/** A part of an import's list of files, as JSON; it is sent as content like the files themselves. */
export interface ImportManifest {
  readonly files: readonly ManifestFile[]
}

/**
 * Finishes an import. An import has no state on the server but the content that was sent, so it can go on after any break:
 * 1. hash every file; write the list as manifests of at most {@link HttpLimits.manifestFiles} files;
 * 2. ask `import/missing` which hashes, of files and manifests, the workspace lacks;
 * 3. send those by `import/content`, several in one body of at most {@link HttpLimits.bodyBytes}; on a break, start again at 2;
 * 4. name the manifests here. Content that is missing is `not_found`, with `details.missing`.
 */
export interface ImportRequest {
  readonly manifests: readonly string[]
  readonly note?: string
  /** Replace files that exist; default: they are `already_exists`. */
  readonly replace?: boolean
}

/** A record without its changes. */
export type RecordSummary = Omit<JournalRecord, 'changes'>

export interface RecordAnswer {
  readonly record: RecordSummary
}

/** What a change is and where, without its sides. */
export type ChangeGist = Pick<RecordedChange, 'kind' | 'path' | 'to' | 'from'>

/** One line of the timeline. */
export interface ChangeLine {
  readonly record: RecordSummary
  readonly undone: boolean
  /** Its first changes, made directories last; none when it has so many that they are stored apart. */
  readonly first: readonly ChangeGist[]
}

/** `limit` defaults to 50, at most 200. */
export interface ChangesPage {
  readonly changes: readonly ChangeLine[]
  /** The `before` of the next page; null at the end. */
  readonly next: number | null
}

/** One record with a part of its changes, in order. `limit` defaults to 50, at most 200. */
export interface ChangePage {
  readonly record: RecordSummary
  readonly undone: boolean
  readonly changes: readonly ShownChange[]
  /** The `offset` of the next page; null at the end. */
  readonly next: number | null
}

/** The chain is sound. */
export interface VerifyAnswer {
  readonly records: number
  readonly head: Hash | null
}

/** Ask for it again after every `ready` and `approval` event. */
export interface ApprovalList {
  readonly approvals: readonly ApprovalRequest[]
}

export interface ApprovalAnswer {
  readonly approval: ApprovalRequest
}

/** The data of an `approval` event: a request is new, or was decided or used up. */
export type ApprovalLine = Omit<ApprovalRequest, 'preview' | 'previewHash'>
