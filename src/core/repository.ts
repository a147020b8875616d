/** The repository that a workspace is of, as tools and surfaces see it: git's facts and git's acts, free of any file format. */
import type { Path } from './path.ts'
import type { JournalRecord, RecordDraft } from './record.ts'

/** The name of an object: 40 lower-case hex digits. */
export type Oid = string & { readonly __brand: 'Oid' }

/** What an entry of a tree is: a file, an executable one, a link, a submodule's commit, a directory. */
export type GitMode = '100644' | '100755' | '120000' | '160000' | '040000'

/** An entry of a tree, without its name. */
export interface GitEntry {
  readonly mode: GitMode
  readonly oid: Oid
}

/** Who, and when. */
export interface Signature {
  readonly name: string
  readonly email: string
  /** Milliseconds since 1970; git keeps whole seconds. */
  readonly timeMs: number
  /** Minutes east of UTC. */
  readonly offsetMinutes: number
}

/** One commit. */
export interface Commit {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Signature
  readonly committer: Signature
  /** Whole, with its last line end. */
  readonly message: string
}

/** What differs at one path between two trees. Directories are not told, what is in them is. */
export interface TreeChange {
  readonly path: Path
  /** Null where nothing was. */
  readonly before: GitEntry | null
  /** Null where nothing is. */
  readonly after: GitEntry | null
}

/** How a workspace stands. */
export interface RepositoryStatus {
  /** The workspace's own branch, as a short name. It exists from its first commit on. */
  readonly branch: string
  /** The commit that the workspace began with, or made last; null in a repository without commits. */
  readonly base: Oid | null
  /** What the branch is now: another commit than `base` when somebody else moved it. Null when there is no such branch. */
  readonly tip: Oid | null
  /** The other parent that the next commit will have, after a merge. */
  readonly merging: Oid | null
  /** What the next commit would change, by path. */
  readonly changes: readonly TreeChange[]
  /** Paths that a commit cannot hold, such as empty directories, and those that only differ in what git does not keep. */
  readonly beside: readonly Path[]
}

/** Which part of a repository is looked at. */
export interface PathFilter {
  /** Only what is at or below these paths; default everything. */
  readonly paths?: readonly Path[]
  readonly signal?: AbortSignal
}

/** Which commits are wanted: newest first by the committers' clocks, so parents after children where those are right. */
export interface LogQuery extends PathFilter {
  /** Where to begin; default the branch's own commit. */
  readonly from?: Oid
  /** Commits that these lead to are left out. */
  readonly except?: readonly Oid[]
  /** Default 50. */
  readonly limit?: number
  readonly skip?: number
  /** Of each commit, only the first parent is followed. */
  readonly firstParent?: boolean
}

/** A branch or a tag. */
export interface NamedCommit {
  /** Short: `main`, `v1.0`. */
  readonly name: string
  readonly oid: Oid
}

/** One branch. */
export interface Branch extends NamedCommit {
  /** It is the workspace's own. */
  readonly current: boolean
  /** A worktree has it checked out: it is never moved from here. */
  readonly checkedOut: boolean
}

/** A commit to be made. */
export interface CommitRequest {
  readonly message: string
  readonly author: Signature
  /** Default: the author. */
  readonly committer?: Signature
  /** Only what changed at or below these paths; default everything. */
  readonly paths?: readonly Path[]
  /** What it must come to, as `status` told it, in any order: when it is anything else by now, nothing is committed, and it is `conflict`. */
  readonly expect?: readonly TreeChange[]
  /** Also when nothing changed. */
  readonly allowEmpty?: boolean
}

/** A commit that was made, with the journal's record of it. */
export interface Committed {
  readonly commit: Commit
  readonly record: JournalRecord
}

/** One path that both sides changed. A side is null where it has nothing, the base also where it is a merge of several ones. */
export interface MergeConflict {
  /** Where the file lies after the merge: in the place of a directory, it is put beside it as `path~label`. */
  readonly path: Path
  /**
   * What kind: both changed the same lines; one changed what the other deleted; both added; one has a directory there; both changed
   * what has no lines (a link, too); they differ in mode or in what it is; both moved a submodule. But for `content` and `add/add`,
   * one whole version stays.
   */
  readonly kind: 'content' | 'modify/delete' | 'add/add' | 'directory/file' | 'binary' | 'mode' | 'submodule'
  readonly base: GitEntry | null
  readonly ours: GitEntry | null
  readonly theirs: GitEntry | null
}

/** One path that a merge changes on our side. */
export type MergedPath =
  | { readonly path: Path; readonly entry: GitEntry | null }
  /** Content that both sides contributed to, with markers where they conflict. */
  | { readonly path: Path; readonly mode: GitMode; readonly bytes: Uint8Array }

/** What a merge comes to. Nothing is written before the workspace stages it. */
export interface MergeResult {
  /** `up-to-date`: they have nothing new. `fast-forward`: we have nothing new, and no commit is needed. */
  readonly kind: 'up-to-date' | 'fast-forward' | 'merge'
  readonly theirs: Oid
  readonly changes: readonly MergedPath[]
  readonly conflicts: readonly MergeConflict[]
}

/**
 * The repository of a workspace. What it reads is the state at the time of the call. Acts move references by compare and set, append a
 * record to the journal, and throw `conflict` when somebody else was faster. A missing commit or name is `not_found`, a missing object
 * of a partial clone without its server `not_found` with `details` `{oid}`, a damaged one `corrupt`.
 */
export interface Repository {
  status(filter?: PathFilter): Promise<RepositoryStatus>
  log(query?: LogQuery): Promise<Commit[]>
  /** The commit that a text names: an oid or the first digits of one, a branch, a tag, `HEAD` (the base), with `~2` and `^` behind it. */
  resolve(revision: string): Promise<Oid>
  commit(oid: Oid): Promise<Commit>
  /** What differs between two commits; null stands for the empty tree, `workspace` for the files as they are. */
  diff(from: Oid | null, to: Oid | null | 'workspace', filter?: PathFilter): Promise<TreeChange[]>
  /** What is at a path in a commit. Null when nothing is. */
  entryAt(commit: Oid, path: Path): Promise<GitEntry | null>
  /** A blob's size and bytes; null bytes when it is larger than `maxBytes`. */
  blob(oid: Oid, maxBytes: number): Promise<{ readonly size: number; readonly bytes: Uint8Array | null }>
  /** Fetches blobs of a partial clone in batches, before they are asked for one by one. */
  prefetch(oids: readonly Oid[]): Promise<void>
  branches(): Promise<Branch[]>
  tags(): Promise<NamedCommit[]>
  /** The best common ancestor; null when there is none. */
  mergeBase(a: Oid, b: Oid): Promise<Oid | null>
  /** Three-way, against the workspace as it is. `labels` name the sides in markers. */
  merge(theirs: Oid, labels?: { readonly ours?: string; readonly theirs?: string }): Promise<MergeResult>

  /**
   * Commits what changed, to the workspace's own branch. Throws `conflict` when the branch is not at `base` any more, `unsupported`
   * when a worktree has it checked out, `no_match` when nothing changed.
   */
  makeCommit(request: CommitRequest, draft: RecordDraft): Promise<Committed>
  /** Throws `already_exists`, `invalid_name`. */
  createBranch(name: string, at: Oid, draft: RecordDraft): Promise<JournalRecord>
  /** Throws `not_found`, `unsupported` for the workspace's own and for one that is checked out, `conflict` when it is not at `at`. */
  deleteBranch(name: string, draft: RecordDraft, at?: Oid): Promise<JournalRecord>
  /** With a message it is a tag object. Throws `already_exists`, `invalid_name`. */
  createTag(
    name: string,
    at: Oid,
    draft: RecordDraft,
    annotation?: { readonly message: string; readonly tagger: Signature },
  ): Promise<JournalRecord>
  /** A workspace of its own that begins as this one is now, with its journal. Throws `already_exists`. */
  fork(name: string, draft: RecordDraft): Promise<JournalRecord>
  /** Names of the workspaces in this repository, sorted. */
  workspaces(): Promise<readonly string[]>
}

/** A repository as calls see it while they plan: for reading, nothing is moved through it. */
export type RepositoryReads = Pick<
  Repository,
  'status' | 'log' | 'resolve' | 'commit' | 'diff' | 'entryAt' | 'blob' | 'prefetch' | 'branches' | 'tags'
>
