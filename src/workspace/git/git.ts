/** What a workspace of a repository can do beside calls: merges, another commit to stand on, forks. For operators and people, not for models. */
import type { JournalRecord } from '../../core/record.ts'
import type { MergeConflict, Oid } from '../../core/repository.ts'

/** Options of an act. */
export interface GitActOptions {
  readonly subject?: string
  /** Only tell what it would do. */
  readonly dryRun?: boolean
}

/** What came to the files from another commit, or would. */
export interface Brought {
  /** The commit. */
  readonly oid: Oid
  /** Paths that change, in order. */
  readonly paths: readonly string[]
  /** Null in a dry run, and when there was nothing to do. */
  readonly record: JournalRecord | null
}

/** What a merge came to, or would. */
export interface Merged extends Brought {
  /**
   * `up-to-date`: they have nothing new. `fast-forward`: we had nothing new, so the workspace stands on their commit now. `merge`: the
   * next commit has both as its parents.
   */
  readonly kind: 'up-to-date' | 'fast-forward' | 'merge'
  /** What both sides changed. Texts hold markers there; nothing keeps a call from editing them. */
  readonly conflicts: readonly MergeConflict[]
}

/** The repository's side of an open workspace. All of these are recorded; a merge and a switch can be undone like a call. */
export interface WorkspaceGit {
  /**
   * Merges another commit into the files, three-way, as one change that an undo takes back, with the merge itself. The commit that ends
   * it is made by `git_commit`. Throws `not_found` for the revision, `conflict` while another merge is under way, `unsupported` when a
   * submodule would change, `read_only`.
   */
  merge(revision: string, options?: GitActOptions): Promise<Merged>
  /** Forgets a merge that was not committed; the files stay as they are. Throws `not_found` when there is none, `read_only`. */
  abandonMerge(options?: Pick<GitActOptions, 'subject'>): Promise<JournalRecord>
  /**
   * Makes the files those of another commit, with what was changed and not committed on top, as one change that can be undone; the next
   * commit begins there. Throws `conflict` when a change would be lost, or a merge is under way, `unsupported` once the workspace has
   * commits of its own (merge, or begin another workspace), `not_found`, `read_only`.
   */
  switchTo(revision: string, options?: GitActOptions): Promise<Brought>
  /** Begins a workspace of its own in the same repository, as this one is now, with its journal. Throws `already_exists`, `read_only`. */
  fork(name: string, options?: Pick<GitActOptions, 'subject'>): Promise<JournalRecord>
}
