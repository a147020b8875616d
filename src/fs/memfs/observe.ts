/** Noticing what other code did to the volume: a comparison of what is there with what the journal last saw. */
import type { RecordedChange, Version } from '../../core/change.ts'
import { toFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { externalChange } from '../../core/known.ts'
import { isWithin, nameOf, namesOf, type Path, ROOT } from '../../core/path.ts'
import { entryOf } from './entries.ts'
import { createForecast } from './forecast.ts'
import { inOrder, type PlanParts } from './plan.ts'
import { entriesOf } from './scan.ts'
import { createStates } from './states.ts'
import { createLook, type Look } from './volume.ts'

/** Folders of version control change with every command that is given there: none of it is anybody's work. */
const SKIPPED = '.git'
/** Codes of what concerns one path at one moment. */
const PASSING: ReadonlySet<string> = new Set(['not_found', 'not_directory', 'permission_denied', 'is_directory', 'not_regular', 'conflict'])

/** Looks at what others did. */
export interface Observer {
  /**
   * What happened at these paths and below them, or everywhere, in an order that can be taken back. What the journal never saw
   * counts as having been there before anybody looked: it is told when it came after the first look at everything, or when it is
   * asked for by its path. `.git` is left out.
   */
  observe(paths?: readonly Path[]): RecordedChange[]
}

export function createObserver(parts: PlanParts): Observer {
  const { volume, known, contents } = parts
  /** What was there at the first look at everything. */
  let first: ReadonlyMap<Path, Version | null> | null = null

  const look = (starts: readonly Path[]): Map<Path, Version | null> => {
    const found = new Map<Path, Version | null>()
    const eye = createLook(volume)
    for (const start of starts) for (const { path, version } of below(parts, eye, start)) found.set(path, version)
    return found
  }
  /** Whether what the journal never saw is to be told. */
  const isNews = (path: Path, version: Version | null, isAsked: boolean): boolean => {
    const was = first?.get(path)
    // Of a directory that was there, only what is in it can have changed.
    if (was !== undefined) return was !== version && version?.startsWith('d:') !== true
    return isAsked || first !== null
  }
  const changeAt = (path: Path, version: Version | null, isAsked: boolean): RecordedChange | null => {
    const before = known.get(path)
    if (before === undefined && (version === null || !isNews(path, version, isAsked))) return null
    try {
      const after = createStates(parts).sideOf(createForecast(volume).peek(path))
      if (before !== undefined) return externalChange(path, before, after, before?.kind !== 'file' || contents.isKept(before.hash))
      // Undo would remove it: only what was not there at the first look may be.
      return externalChange(path, null, after, first !== null && !first.has(path))
    } catch (error) {
      if (PASSING.has(toFilewrightError(error).code)) return null
      throw error
    }
  }
  return {
    observe(paths) {
      const starts = paths ?? [ROOT]
      if (!paths) first ??= look([ROOT])
      const here = look(starts)
      for (const path of known.paths()) {
        if (!here.has(path) && !isBelowSkipped(path) && starts.some((start) => isWithin(path, start))) here.set(path, null)
      }
      here.delete(ROOT)
      return inOrder([...here].map(([path, version]) => changeAt(path, version, paths !== undefined)).filter((change) => change !== null))
    },
  }
}

/** What is at a path, and everything below it but what is skipped. */
function* below({ volume, marks }: PlanParts, look: Look, start: Path): Generator<Pick<Entry, 'path' | 'version'>> {
  const queue = [start]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (isBelowSkipped(path)) continue
    try {
      const stats = look.peek(path)
      if (!stats) continue
      if (path === start) yield entryOf(volume, marks, path, stats, { stat: true })
      if (!stats.isDirectory()) continue
      for (const entry of entriesOf(volume, marks, look, path, { stat: true }, 'name')) {
        if (nameOf(entry.path) === SKIPPED) continue
        yield entry
        if (entry.kind === 'directory') queue.push(entry.path)
      }
    } catch (error) {
      if (!PASSING.has(toFilewrightError(error).code)) throw error
    }
  }
}

function isBelowSkipped(path: Path): boolean {
  return namesOf(path).includes(SKIPPED)
}
