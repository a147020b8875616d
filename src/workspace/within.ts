/** Directories that a call must stay in, below the root: the roots of an MCP client narrow what the operator opened, never widen it. */
import type { Change, RecordedChange } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { History } from '../core/history.ts'
import { isWithin, type Path, parsePath, ROOT } from '../core/path.ts'
import type { JournalRecord } from '../core/record.ts'
import type { View } from '../core/view.ts'

/** Where a call may be. Directories above its places are there too, but show only what leads to them. */
export interface Bounds {
  /** Whether a path is one of the places, or below one. */
  holds(path: Path): boolean
  /** The view in which nothing else is there. What is named outside is `outside_root`. */
  confine(view: View): View
  /** The past without the changes of other paths. */
  confineHistory(history: History): History
  /** Refuses changes elsewhere, and of a place itself. Throws `outside_root`. */
  check(view: View, changes: readonly Change[]): void
  /** Refuses paths elsewhere. Throws `outside_root`. */
  requireHeld(view: View, told: readonly { readonly path: Path }[]): void
  /** Refuses to take back a record that changed other paths too: a part of it would count as all. Throws `outside_root`. */
  checkRecord(history: History, id: string): Promise<void>
}

/** The bounds of some places, canonical paths; null when they are the whole workspace. */
export function boundsOf(places: readonly Path[]): Bounds | null {
  if (places.includes(ROOT)) return null
  const holds = (path: Path): boolean => places.some((place) => isWithin(path, place))
  const shows = (path: Path): boolean => places.some((place) => isWithin(path, place) || isWithin(place, path))

  function refusal(view: View, given: string): FilewrightError {
    const listed = places.map((place) => view.display(place)).join(', ')
    const where = listed === '' ? 'shares no directory of this workspace' : `shares only ${listed}`
    return new FilewrightError('outside_root', `${given} is outside the roots of the client, which ${where}.`)
  }

  function requireShown(view: View, path: Path): void {
    if (!shows(path)) throw refusal(view, view.display(path))
  }

  return {
    holds,
    confine: (view) => ({
      ...view,
      places,
      async resolve(given, how) {
        try {
          const resolved = await view.resolve(given, how)
          if (!shows(resolved.path) || (!resolved.entry && !holds(resolved.path))) throw refusal(view, resolved.given)
          return resolved
        } catch (error) {
          // What stands elsewhere is not told by the way in which it fails either.
          if (isFilewrightError(error) && typeof given === 'string' && isElsewhere(view, given, shows))
            throw refusal(view, how?.as ?? given)
          throw error
        }
      },
      async stat(path, want) {
        requireShown(view, path)
        return view.stat(path, want)
      },
      async list(dir, want) {
        requireShown(view, dir)
        return kept(dir, await view.list(dir, want))
      },
      scan(dir, options = {}) {
        requireShown(view, dir)
        if (holds(dir)) return view.scan(dir, options)
        // The caller's filter sees all, since rules for what is below may stand beside it.
        const filter = async (at: Path, children: Entry[]): Promise<Entry[]> => kept(at, (await options.filter?.(at, children)) ?? children)
        return view.scan(dir, { ...options, filter })
      },
      async open(path) {
        requireShown(view, path)
        return view.open(path)
      },
      async readLink(path) {
        requireShown(view, path)
        return view.readLink(path)
      },
      async readEach(paths, options, visit) {
        for (const path of paths) requireShown(view, path)
        return view.readEach(paths, options, visit)
      },
    }),
    confineHistory: (history) => ({
      ...history,
      async *records() {
        for await (const page of history.records()) {
          yield page.map((record) => (record.changes ? { ...record, changes: record.changes.filter(isHeld) } : record))
        }
      },
      changes: async (record) => (await history.changes(record)).filter(isHeld),
    }),
    check(view, changes) {
      for (const change of changes) {
        const paths = change.kind === 'move' ? [change.path, change.to] : [change.path]
        const outside = paths.find((path) => !holds(path))
        if (outside !== undefined) throw refusal(view, view.display(outside))
        const takes = change.kind === 'remove' || change.kind === 'move'
        if (takes && places.includes(change.path)) {
          throw new FilewrightError(
            'outside_root',
            `${view.display(change.path)} is a root of the client: only what is in it can be changed.`,
          )
        }
      }
    },
    requireHeld(view, told) {
      const outside = told.find(({ path }) => !holds(path))
      if (outside) throw refusal(view, view.display(outside.path))
    },
    async checkRecord(history, id) {
      const record = await findRecord(history, id)
      if (!record || (await history.changes(record)).every(isHeld)) return
      throw new FilewrightError('outside_root', `Change ${record.sequence} changed files outside the roots of the client too: it stays.`)
    },
  }

  async function findRecord(history: History, id: string): Promise<JournalRecord | undefined> {
    for await (const page of history.records()) {
      const found = page.find((record) => record.id === id)
      if (found) return found
    }
    return undefined
  }

  function isHeld({ path, to }: RecordedChange): boolean {
    return holds(path) && (to === undefined || holds(to))
  }

  function kept(dir: Path, children: Entry[]): Entry[] {
    return holds(dir) ? children : children.filter(({ path }) => shows(path))
  }
}

/** By its names alone: `..` and links can lead back, and count as they resolve. */
function isElsewhere({ traits }: View, given: string, shows: (path: Path) => boolean): boolean {
  try {
    const { parts } = parsePath(given, traits)
    return !parts.includes('..') && !shows(parts.join('/') as Path)
  } catch {
    // It is refused for what it is.
    return false
  }
}
