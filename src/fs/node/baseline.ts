/** What was there that the journal never saw: the difference between what is old and what is new. */
import type { Version } from '../../core/change.ts'
import type { Entry } from '../../core/file_system.ts'
import { nameOf, type Path, ROOT } from '../../core/path.ts'
import type { Root } from './handles.ts'
import { scanTree } from './scan.ts'

/** More entries than this are not remembered. */
const MOST = 200_000
/** Folders of version control change with every command that is given there: none of it is anybody's work. */
const SKIPPED = '.git'

/** What was there at a first look. */
export interface Baseline {
  /** The version that a path had; undefined when nothing was there. */
  get(path: Path): Version | undefined
  /** True when there was too much to remember: then anything can have been there. */
  readonly full: boolean
}

/** Whether an entry, and what is below it, is left out of everything that observes. */
export function isSkipped(path: Path): boolean {
  return nameOf(path) === SKIPPED
}

/** As `isSkipped`, for a path that may lie below one that is. */
export function isBelowSkipped(path: Path): boolean {
  return path === SKIPPED || path.startsWith(`${SKIPPED}/`) || path.endsWith(`/${SKIPPED}`) || path.includes(`/${SKIPPED}/`)
}

/** Everything below `start` but what is skipped. */
export function scanObserved(root: Root, start: Path): AsyncGenerator<Entry[]> {
  return scanTree(root, start, { stat: true, filter: (_, children) => children.filter(({ path }) => !isSkipped(path)) })
}

/** Looks at everything. */
export async function takeBaseline(root: Root): Promise<Baseline> {
  const versions = new Map<Path, Version>()
  let full = false
  for await (const page of scanObserved(root, ROOT)) {
    for (const { path, version } of page) if (version !== null) versions.set(path, version)
    if (versions.size <= MOST) continue
    full = true
    versions.clear()
    break
  }
  return { full, get: (path) => versions.get(path) }
}
