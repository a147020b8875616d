/** References: branches, tags, HEAD, and the product's own below `refs/filewright/`. */
import type { Oid, Signature } from '../core/repository.ts'

/** One reference. */
export interface Ref {
  /** Full: `refs/heads/main`. */
  readonly name: string
  readonly oid: Oid
  /** Of a tag object, what it stands for in the end, where that is known without reading. */
  readonly peeled?: Oid
  /** Of a symbolic one, the full name that it leads to in the end. */
  readonly leadsTo?: string
}

/** HEAD: on a branch (which may have no commit yet), or detached. */
export interface Head {
  /** Full: `refs/heads/main`. */
  readonly branch: string | null
  readonly oid: Oid | null
}

/** A change of one reference. */
export interface RefUpdate {
  readonly name: string
  /** What it must be; null: it must not exist. */
  readonly from: Oid | null
  /** What it becomes; null: it is removed. */
  readonly to: Oid | null
  /** A line for the reflog, which branches, remote branches and HEAD have. */
  readonly message?: string
  /** Who changes it, for the reflog; default: the product, now. */
  readonly by?: Signature
}

/** The references of a repository, as git stores them: loose files, `packed-refs`, symbolic ones. */
export interface Refs {
  /** Symbolic references are followed. Null when there is none. Throws `corrupt` for what is no reference. */
  read(name: string): Promise<Oid | null>
  /** The full name that a symbolic reference leads to in the end, which may not exist; any other name is the answer itself. */
  leadsTo(name: string): Promise<string>
  head(): Promise<Head>
  /** By a prefix such as `refs/heads/`, in the order of their names. What is broken or leads nowhere is left out, as git does. */
  list(prefix: string): Promise<Ref[]>
  /**
   * Compare and set: answers whether it was as expected and is changed. A symbolic reference stays, what it leads to is changed. Throws
   * `invalid_name` for what git refuses as a name, `conflict` when another program holds the lock, and for a new name that has the name
   * of another one as a directory (`refs/heads/a`, `refs/heads/a/b`).
   */
  update(update: RefUpdate): Promise<boolean>
  setSymbolic(name: string, target: string): Promise<void>
  /** Branches that the main worktree or a linked one has checked out, rebases or bisects, as full names. */
  checkedOut(): Promise<ReadonlySet<string>>
}
