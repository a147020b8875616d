/** Which files a search reads: a walk that enters no directory in vain. */
import type { Entry, FileSystem } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import type { PathGlobs } from '../glob/glob.ts'
import type { IgnoreRules } from '../glob/ignore.ts'

/** Which files are wanted. Globs are relative to the start of the walk. */
export interface Selection {
  readonly ignore: IgnoreRules
  /** Names that begin with a dot. */
  readonly hidden: boolean
  /** Only these files; they are wanted even where they are ignored. Null: every file. */
  readonly include: PathGlobs | null
  readonly exclude: PathGlobs | null
  /** Lower-case file name extensions, without dot. Null: every file. */
  readonly extensions: ReadonlySet<string> | null
}

/** When a walk ends early. */
export interface WalkLimits {
  readonly signal: AbortSignal
  /** The time of `performance.now()` after which no further directory is entered. */
  readonly until?: number
}

/** The wanted files below a directory, in the order of their paths, in pages that may be empty. Links are not followed. */
export async function* walkFiles(
  source: Pick<FileSystem, 'scan'>,
  start: Path,
  selection: Selection,
  { signal, until = Number.POSITIVE_INFINITY }: WalkLimits,
): AsyncGenerator<readonly Entry[]> {
  const { hidden, include, exclude } = selection
  const walk = await selection.ignore.walk(start)
  const below = start === '' ? 0 : start.length + 1

  function keep(dir: Path, children: readonly Entry[], ignored: (entry: Entry) => boolean): Entry[] {
    const name = dir === '' ? 0 : dir.length + 1
    return children.filter((child) => {
      const { path, kind } = child
      if (kind !== 'file' && kind !== 'directory') return false
      if (!hidden && path.charCodeAt(name) === DOT) return false
      const directory = kind === 'directory'
      if (!include && !exclude) return (directory || isOfType(path, selection)) && !ignored(child)
      const relative = path.slice(below)
      if (exclude?.matches(relative, directory)) return false
      if (directory) return !ignored(child) || include?.leadsThrough(relative) === true
      return isOfType(path, selection) && (include ? include.covers(relative, false) : !ignored(child))
    })
  }

  const scan = source.scan(start, {
    signal,
    filter(dir, children) {
      if (performance.now() > until) return []
      const test = walk.enter(dir, children)
      return test instanceof Promise ? test.then((ignored) => keep(dir, children, ignored)) : keep(dir, children, test)
    },
  })
  for await (const page of scan) yield page.filter(({ kind }) => kind === 'file')
}

/** Whether a file that is named by itself is wanted: whatever the ignore rules say, and hidden or not. */
export function isSelected(path: Path, selection: Selection): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const { include, exclude } = selection
  return isOfType(path, selection) && !exclude?.matches(name, false) && (!include || include.covers(name, false))
}

const DOT = 46

function isOfType(path: Path, { extensions }: Selection): boolean {
  if (!extensions) return true
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') && extensions.has(path.slice(dot + 1).toLowerCase())
}
