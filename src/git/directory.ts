/** A git directory: its files, objects, references and settings together. */
import type { Oid } from '../core/repository.ts'
import type { GitConfig } from './config.ts'
import type { GitFiles } from './files.ts'
import type { ObjectDatabase } from './objects.ts'
import type { GitPlatform } from './platform.ts'
import type { Refs } from './refs.ts'

/** An open repository, without any worktree. */
export interface GitDirectory {
  readonly files: GitFiles
  readonly platform: GitPlatform
  readonly objects: ObjectDatabase
  readonly refs: Refs
  /** As it is now; read again when the file changed. */
  config(): Promise<GitConfig>
  /** Commits whose parents are not here, in a shallow clone. */
  shallow(): Promise<ReadonlySet<Oid>>
  close(): Promise<void>
}
