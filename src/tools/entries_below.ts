/** What is in a directory that is to go. */
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { Path } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import type { ToolContext } from './tool.ts'

/**
 * All that is in a directory, each directory before what is in it; `display` tells a path to the caller. Throws `protected_path` for one
 * that holds backups, `permission_denied` where something cannot be read, `too_large` for more than one commit takes.
 */
export async function entriesBelow(
  { view, signal }: ToolContext,
  { path, given }: Resolved,
  display: (path: Path) => string,
): Promise<Entry[]> {
  if (view.isHidden(path) || view.holdsHidden(path)) {
    throw new FilewrightError('protected_path', `${given} holds a folder of backups; nothing was deleted.`, { field: 'path' })
  }
  // The directory itself is one of the changes too.
  const most = view.traits.limits.changes - view.changes().length - 1
  const entered = new Set<Path>([path])
  const filter = (dir: Path, children: Entry[]): Entry[] => {
    entered.add(dir)
    return children
  }
  const entries: Entry[] = []
  for await (const page of view.scan(path, { stat: true, target: true, filter, signal })) {
    for (const entry of page) entries.push(entry)
    if (entries.length > most) {
      throw new FilewrightError('too_large', `${given} holds more than ${most} entries: delete its parts one by one.`)
    }
  }
  const closed = entries.find((entry) => entry.kind === 'directory' && !entered.has(entry.path))
  if (closed) throw new FilewrightError('permission_denied', `${display(closed.path)} cannot be read; nothing was deleted.`)
  return entries
}

/** An entry that was found and not named, as the target of a change; `given` is how it is told. */
export function foundTarget(given: string, entry: Entry): Resolved {
  return { given, path: entry.path, entry, missingParents: [], links: [], directory: false }
}
