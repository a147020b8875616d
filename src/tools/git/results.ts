/** What the git tools answer. */
import type { ChangeKind } from './repository_of.ts'

/** One path of a list of changes. Modes are git's, as text. */
export interface ListedChange {
  readonly path: string
  readonly kind: ChangeKind
  readonly old_mode?: string | undefined
  readonly mode?: string | undefined
}

/** One path of a diff, with its counts of lines. The note says what the diff does not. */
export interface DiffedPath {
  readonly path: string
  readonly kind: ChangeKind
  readonly added: number
  readonly removed: number
  readonly note?: string | undefined
}

/** Of `git_status`. */
export interface GitStatusResult {
  readonly branch: string
  readonly base: string | null
  readonly tip: string | null
  readonly moved: boolean
  readonly merging: string | null
  readonly total: number
  readonly changes: readonly ListedChange[]
  readonly next_offset?: number | undefined
  readonly ignored: number
  readonly beside: readonly string[]
  readonly beside_total: number
  readonly content: string
}

/** Of `git_diff`. */
export interface GitDiffResult {
  readonly from: string | null
  readonly to: string
  readonly total: number
  readonly changes: readonly DiffedPath[]
  readonly added: number
  readonly removed: number
  readonly cursor?: string | undefined
  readonly diff: string
  readonly content: string
}

/** One commit. Dates are ISO 8601 with the offset of their author. */
export interface ToldCommit {
  readonly oid: string
  readonly parents: readonly string[]
  readonly author: string
  readonly date: string
  readonly committer: string
  readonly commit_date: string
  readonly message: string
  readonly message_cut?: boolean | undefined
}

/** Of `git_log`. */
export interface GitLogResult {
  readonly commits: readonly ToldCommit[]
  readonly cursor?: string | undefined
  readonly changes?: readonly DiffedPath[] | undefined
  readonly total?: number | undefined
  readonly diff?: string | undefined
  readonly content: string
}

/** Of `git_commit`. */
export interface GitCommitResult {
  readonly commit: string | null
  readonly branch: string
  readonly parents: readonly string[]
  readonly total: number
  readonly changes: readonly Pick<ListedChange, 'path' | 'kind'>[]
  readonly left_out: readonly { readonly path: string; readonly reason: 'ignored' | 'sensitive' | 'not named' }[]
  readonly left_out_total: number
  readonly dry_run: boolean
  readonly change?: string | undefined
  readonly content: string
}

/** What `git_branch` does. */
export type BranchAction = 'list' | 'create' | 'delete' | 'list_tags' | 'create_tag'

/** Of `git_branch`. */
export interface GitBranchResult {
  readonly action: BranchAction
  readonly total?: number | undefined
  readonly branches?:
    | readonly { readonly name: string; readonly oid: string; readonly current: boolean; readonly checked_out: boolean }[]
    | undefined
  readonly tags?: readonly { readonly name: string; readonly oid: string }[] | undefined
  readonly next_offset?: number | undefined
  readonly name?: string | undefined
  readonly oid?: string | undefined
  readonly lost?: number | undefined
  readonly dry_run?: boolean | undefined
  readonly change?: string | undefined
  readonly content: string
}
