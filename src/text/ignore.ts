/** Ignore rules (`.gitignore`, `.ignore`), one engine for guards, tree and search. Placeholder signature; see the owner of src/text. */
import type { Entry } from '../core/file_system.ts'
import type { Path } from '../core/path.ts'

/** Why a path is ignored, or is not: the pattern that decided and where it stands. */
export interface IgnoreVerdict {
  readonly ignored: boolean
  /** The deciding pattern as written; null when no pattern matched. */
  readonly pattern: string | null
  /** The file that holds it. */
  readonly source: Path | null
  /** Its line, from 1. */
  readonly line: number | null
}

/** The rules that hold in one view. */
export interface IgnoreRules {
  /** Judges one path, with the rules of every directory above it. */
  check(path: Path, isDirectory: boolean): Promise<IgnoreVerdict>
  /**
   * Judges the children of a directory that is itself not ignored, as `FileSystem.scan` lists them; answers at once when
   * the directory has no rule file of its own. Returns the children that are not ignored.
   */
  keep(dir: Path, children: Entry[]): Entry[] | Promise<Entry[]>
}
