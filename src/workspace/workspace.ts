/** The one door: parse, policy, run, commit, verify, receipt; and the journal with its undo. */
import type { Content, RecordedChange, Side } from '../core/change.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import type { OutsideReader } from '../core/outside.ts'
import type { Path } from '../core/path.ts'
import type { JournalRecord } from '../core/record.ts'
import type { Runner } from '../core/runner.ts'
import type { View } from '../core/view.ts'
import type { TrustPolicy } from '../policy/trust.ts'
import type { Attachment, BoundTool, Profile } from '../profiles/profile.ts'
import type { Tool } from '../tools/tool.ts'
import type { ApprovalDesk, ApprovalRequest, Approve } from './approvals/request.ts'
import type { WorkspaceGit } from './git/git.ts'
import type { Past } from './past/past.ts'

/** What the operator decides; never reachable from a call (contract W-4). */
export interface OperatorSettings {
  /** Refuse every change. */
  readonly readOnly?: boolean
  /** Tools that are neither listed nor run. */
  readonly disabled?: readonly string[]
  /**
   * When a person is asked (contract P-159, W-7). `off`: never, but for what the hub always asks about. `risky`: for what is not
   * small and reversible. `trusted`: as `risky`, but never for what {@link trustPolicy} covers. Default: `risky` for calls through
   * the hub, `off` for the individual tools; given, it holds for both.
   */
  readonly approval?: 'off' | 'risky' | 'trusted'
  /** What runs unasked in the mode `trusted`, which needs it. */
  readonly trustPolicy?: TrustPolicy
  /** Lifts the protection of `.git`. */
  readonly allowGitInternals?: boolean
  /** Refuse names that some other platform cannot hold. */
  readonly portableNames?: boolean
  /**
   * Who commits: named as the committer of all commits, and as the author of those whose call names nobody. Default: the subject of
   * the call, with an address that leads nowhere.
   */
  readonly author?: { readonly name: string; readonly email: string }
}

/** Options of {@link openWorkspace}. */
export interface WorkspaceOptions {
  readonly fs: FileSystem
  /** A profile's name, or several joined by `+`; default `native`, and where the storage has a repository `native+git`. */
  readonly profile?: string
  readonly settings?: OperatorSettings
  /** Who the journal names when a call does not say; default `local`. */
  readonly subject?: string
  /** Milliseconds since 1970; default the system's clock. */
  readonly now?: () => number
  /** Makes the ids of records and backups, whose text order is the order of creation; default: from the clock and chance. */
  readonly newId?: () => string
  /** Asked for calls that need a person's approval. Default: they wait until somebody decides with {@link Workspace.approvals}. */
  readonly approve?: Approve
  /** What runs commands. Default: none; tools that need one are not listed, and answer `unsupported`. */
  readonly runner?: Runner
  /** Lets `file_bytes` read files beyond the workspace. Default: it reads only what is inside, like every tool. */
  readonly unconfinedReads?: OutsideReader
  /** How long a request waits, and how long a decision holds, in milliseconds; default five minutes. */
  readonly approvalMs?: number
  /** Told what is behind a call's `io_error`, which the answer keeps to itself: it may name paths of the host. */
  readonly onFailure?: (error: unknown) => void
}

/** Options of one call. */
export interface CallOptions {
  readonly subject?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number | null) => void
  /** Asked instead of the workspace's own `approve`. */
  readonly approve?: Approve
  /**
   * The canonical paths that the call must stay in, asked for when it begins; null for the whole workspace, the default. Nothing else
   * is read, listed or changed. What it throws is the call's error.
   */
  readonly within?: () => Promise<readonly Path[] | null>
}

/** What a call did to one path, as the commit knew it under its lock. */
export interface CallChange {
  readonly kind: RecordedChange['kind']
  /** Absolute, in the workspace's own notation, as the answers of tools give it. Of a move, where the entry went. */
  readonly path: string
  /** Where a moved entry was, or what a copy was made of; null for all else. */
  readonly from: string | null
  /** Null where nothing was. */
  readonly before: Side | null
  /** Null where nothing is. */
  readonly after: Side | null
}

/** What a call came to. Never thrown: a refused or failed call is an answer with `error` (contract P-1, C-47). */
export interface CallResult {
  /** The structured result, as the profile renders it; in `fileops` it holds `error` (a text) exactly when the call failed. */
  readonly result: { readonly [key: string]: unknown }
  /** The text block: what a model should read, or a line or two. */
  readonly text: string
  /** What stands beside the text, as the profile gives it. */
  readonly attachments?: readonly Attachment[]
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly field?: string } | null
  /** Id of the journal record, when something changed. */
  readonly changeId: string | null
  /**
   * What the call did, in order; empty for reads and dry runs, and when nothing changed. But a file that a tool of `builtin` was to
   * write and that held the same already is here, with equal sides and without a record (contract B-72). What a command changed is
   * in its record alone: it can be any number of files. An act on the repository changes none.
   */
  readonly changes: readonly CallChange[]
  /** Id of the request that waits for a person, when the error is `approval_required` or `approval_stale`. */
  readonly approvalId: string | null
}

/** One path of a record, for showing. */
export interface ShownChange extends RecordedChange {
  /** Unified diff with git headers; null for binary, large or unkept content, whose note says which. */
  readonly diff: string | null
  readonly note: string | null
}

/** A record with its changes. */
export interface ShownRecord {
  readonly record: JournalRecord
  readonly changes: readonly ShownChange[]
  /** Whether a later record took it back. */
  readonly undone: boolean
}

/** What of a record is shown. */
export interface ShowOptions {
  /** Default true. */
  readonly diff?: boolean
  /** The first change to show, from 0; an import can hold thousands. */
  readonly offset?: number
  /** Most changes to show; default all. */
  readonly limit?: number
}

/** A record in a log. */
export interface LogEntry {
  readonly record: JournalRecord
  readonly undone: boolean
  /** The first paths it touched, for a line in a list. */
  readonly paths: readonly string[]
}

/** What workspace events tell. */
export type WorkspaceEvent =
  | { readonly type: 'change'; readonly record: JournalRecord }
  /** A request is new, or was decided or used up by this process. */
  | { readonly type: 'approval'; readonly request: ApprovalRequest }

/** One file of an import. `content` was staged with `Workspace.stage`. */
export interface ImportedFile {
  readonly path: string
  readonly content?: Content
  readonly mode?: number
  readonly mtimeMs?: number
  /** Instead of content: the text of a link. */
  readonly link?: string
  /** Instead of content: an (empty) directory. */
  readonly directory?: true
}

/** Options of an import. */
export interface ImportOptions {
  readonly subject?: string
  readonly note?: string
  /** Replace files that exist; default: they are `already_exists`. */
  readonly replace?: boolean
  /** The operator's own import, never a caller's: brings git's files and any link along. */
  readonly operator?: boolean
}

/** An open workspace. */
export interface Workspace extends Past {
  readonly fs: FileSystem
  readonly profile: Profile
  /** Only where the files are those of a git commit: merges and the like. */
  readonly git?: WorkspaceGit
  /** Calls that wait for a person. */
  readonly approvals: ApprovalDesk
  /** What a call would see now, for reading: neither the product's own store nor folders of backups are there. */
  view(): Promise<View>
  /** The tools that are listed, in the profile's order. */
  tools(): readonly BoundTool[]
  /** Runs one tool. Calls that change are queued; what they saw is checked again at the commit. */
  call(tool: string, args: unknown, options?: CallOptions): Promise<CallResult>
  /**
   * Runs a tool that no profile lists, such as a surface's own, through the same door: guards, queue, commit, receipt. One that goes
   * by the name of a tool that the operator disabled is refused like that.
   */
  run(tool: Tool, args: unknown, options?: CallOptions): Promise<CallResult>
  /** Newest first. */
  log(query?: { readonly before?: number; readonly limit?: number }): Promise<LogEntry[]>
  /** A record by id, sequence number (as text or number) or `last`. Throws `not_found`. */
  show(which: string | number, options?: ShowOptions): Promise<ShownRecord>
  /** Takes a record back. Throws `conflict` with the differing paths when the files moved on, `unsupported` when nothing was kept. */
  undo(which: string | number, options?: { readonly subject?: string }): Promise<JournalRecord>
  /** Takes the newest undo back. Throws `not_found` when there is none. */
  redo(options?: { readonly subject?: string }): Promise<JournalRecord>
  /** Checks the hash chain. Throws `corrupt` naming the first bad record. */
  verify(): Promise<{ readonly records: number; readonly head: Hash | null }>
  /** Stores content for a later `importFiles`. */
  stage(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Content>
  /** Brings files in as one change; parents are made. Existing files are replaced when `replace` is true, else `already_exists`. */
  importFiles(files: readonly ImportedFile[], options?: ImportOptions): Promise<JournalRecord>
  /** Calls the listener after every commit, and when a request for approval changes; returns how to stop. */
  subscribe(listener: (event: WorkspaceEvent) => void): () => void
  /**
   * Records what other programs did to the files since they were last looked at, as one record; null when there is nothing new, and
   * where no other program can. A commit does the same for the files that it changes. Throws `read_only`.
   */
  observe(): Promise<JournalRecord | null>
  /**
   * As {@link observe}, now and soon after each change by another program, until the signal; subscribers are told. Throws
   * `read_only`, `unsupported` where the storage cannot be watched, `io_error` where it is too large for that.
   */
  watch(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
