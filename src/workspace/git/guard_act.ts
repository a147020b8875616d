/** The guards on acts: what a commit takes is judged as a change of it would be, and it takes nothing unseen. */
import { FilewrightError } from '../../core/errors.ts'
import { type Path, parentOf, ROOT } from '../../core/path.ts'
import type { Repository, TreeChange } from '../../core/repository.ts'
import type { View } from '../../core/view.ts'
import type { RepositoryAct } from '../../tools/tool.ts'
import type { Bounds } from '../within.ts'

/** Refuses what would reach beyond the directories that a call must stay in. Throws `outside_root`. */
export function boundAct(bounds: Bounds, view: View, act: RepositoryAct): void {
  if (act.kind === 'create-branch' || act.kind === 'create-tag') return
  if (act.kind === 'commit' && act.parents.length < 2) {
    bounds.requireHeld(view, act.changes)
    return
  }
  const what = act.kind === 'commit' ? 'a merge is of the whole workspace' : 'a branch is of the whole workspace'
  throw new FilewrightError('outside_root', `This is refused inside the roots of the client: ${what}.`)
}

/**
 * A file that became a directory, or the other way round, goes into a commit with what is above or below it or not at all: else the
 * commit would take what nobody cleared. Throws `conflict`.
 */
export async function requireWholeChanges(repository: Repository, view: View, act: RepositoryAct): Promise<void> {
  if (act.kind !== 'commit' || act.changes.length === 0) return
  const taken = new Set(act.changes.map(({ path }) => path))
  const { changes } = await repository.status()
  const left = new Set(changes.flatMap(({ path }) => (taken.has(path) ? [] : [path])))
  const torn = act.changes.find(({ path }) => hasAbove(left, path)) ?? changes.find(({ path }) => left.has(path) && hasAbove(taken, path))
  if (!torn) return
  const named = taken.has(torn.path) ? torn.path : (nearestAbove(taken, torn) as Path)
  throw new FilewrightError(
    'conflict',
    `${view.display(named)} was a file and is a directory, or was a directory and is a file: its change can only be committed together with all that is below it, of which this call leaves something out.`,
    { field: 'paths' },
  )
}

const hasAbove = (paths: ReadonlySet<Path>, path: Path): boolean => nearestAbove(paths, { path }) !== null

function nearestAbove(paths: ReadonlySet<Path>, { path }: Pick<TreeChange, 'path'>): Path | null {
  for (let at = parentOf(path); at !== ROOT; at = parentOf(at)) if (paths.has(at)) return at
  return null
}
