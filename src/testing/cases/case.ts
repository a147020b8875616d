/** What a case of the conformance suite is, and the two facts of a storage that cases adapt to. */
import type { FileSystem } from '../../core/file_system.ts'
import { check, fails, same } from '../assert.ts'
import { commit, link } from '../setup.ts'

/** How much the long cases do. */
export interface Sizes {
  /** Bytes of the large file. */
  readonly bigBytes: number
  /** Files of the wide directory. */
  readonly files: number
  /** Commits of the long journal. */
  readonly commits: number
  /** Changes of the large record. */
  readonly changes: number
}

/** What a case works with. */
export interface CaseContext {
  readonly sizes: Sizes
  /** Closes the storage and opens the same place again. */
  reopen(): Promise<FileSystem>
  /** Runs a body on another place, new and empty too. */
  withAnother(body: (other: FileSystem) => Promise<void>): Promise<void>
}

/** Cases by name; each gets a new, empty storage. */
export interface CaseTable {
  readonly [name: string]: (fs: FileSystem, context: CaseContext) => Promise<void>
}

/** A case about links. On a storage without them it checks that they are refused. */
export function withLinks(run: (fs: FileSystem, context: CaseContext) => Promise<void>): CaseTable[string] {
  return async (fs, context) => {
    if (fs.traits.symlinks) return run(fs, context)
    await fails(() => commit(fs, link('l', 'target')), 'unsupported', 'a link on a storage without links')
  }
}

/** Checks permission bits as far as the storage keeps them. */
export function sameMode(fs: FileSystem, actual: number | null, expected: number, what: string): void {
  const { modes } = fs.traits
  if (modes === 'none') return
  check(actual !== null, `${what}: no mode`)
  if (modes === 'posix') same(actual.toString(8), expected.toString(8), what)
  else same((actual & 0o111) !== 0, (expected & 0o111) !== 0, `${what}: executable`)
}
