/** Git's configuration file, as far as a repository without a worktree needs it. */

/** One file's settings. Sections and names are case-insensitive, subsections are not. */
export interface GitConfig {
  /** The last value of `remote.origin.url`; undefined when there is none. */
  get(key: string): string | undefined
  /** All values, first to last. */
  getAll(key: string): readonly string[]
  /** Names of the subsections of a section: remotes, branches. */
  subsections(section: string): readonly string[]
}
