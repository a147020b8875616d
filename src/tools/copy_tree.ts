/** Copying a directory with all that is in it: what is there is gathered first, then staged entry by entry. */
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { joinPath, type Path, relativePath } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import { createPacer } from '../text/pause.ts'
import { requireLeadsInside } from './delete_file.ts'
import { expectationOf, linkText } from './stored_state.ts'
import type { ToolContext } from './tool.ts'
import type { Present } from './transfer.ts'

/** Entries between two reports of progress. */
const STEP = 256

/**
 * Stages a copy of a directory (P-72): empty directories, dotfiles and links too, links as links; folders of backups stay out.
 * Answers how many bytes the files hold. Throws `not_regular` for special files, `outside_root` for links that lead outside, from
 * here or from there, `permission_denied` for what cannot be read, `too_large` for more than one commit can hold.
 */
export async function copyTree(context: ToolContext, source: Present, target: Resolved): Promise<number> {
  const { view, signal } = context
  const entries = await gather(context, source, target.missingParents.length + 1)
  const pacer = createPacer(signal)
  const links: Entry[] = []
  const placeOf = (path: Path): Path => joinPath(target.path, relativePath(path, source.path))
  let bytes = 0
  view.makeDirectory(target, modeOf(source.entry))
  for (const [done, entry] of entries.entries()) {
    if (done % STEP === 0) context.progress(done, entries.length)
    if (pacer.isDue()) await pacer.pause()
    const from = at(view.display(entry.path), entry.path, entry)
    const to = at(view.display(placeOf(entry.path)), placeOf(entry.path), null)
    switch (entry.kind) {
      case 'directory':
        view.makeDirectory(to, modeOf(entry))
        break
      case 'file':
        view.copy(from, to, { expect: 'absent', source: await expectationOf(view, entry) })
        bytes += entry.size ?? 0
        break
      case 'link':
        view.link(to, await linkText(view, entry), { expect: 'absent' })
        links.push(entry)
        break
      default:
        throw new FilewrightError('not_regular', `${from.given} is neither a file, a directory nor a link; nothing was copied.`)
    }
  }
  // Once all is staged, what leads to another part of the tree leads there.
  for (const { path } of links) {
    await requireLeadsInside(view, view.display(path), 'source_path')
    await requireLeadsInside(view, view.display(placeOf(path)), 'destination_path')
  }
  return bytes
}

async function gather({ view, signal }: ToolContext, source: Present, others: number): Promise<Entry[]> {
  const most = view.traits.limits.changes - view.changes().length - others
  const read = new Set<Path>()
  const filter = (dir: Path, children: Entry[]): Entry[] => {
    read.add(dir)
    return children
  }
  const entries: Entry[] = []
  for await (const page of view.scan(source.path, { stat: true, target: true, filter, signal })) {
    for (const entry of page) entries.push(entry)
    if (entries.length > most) {
      throw new FilewrightError('too_large', `${source.given} holds more than the ${most} entries of one call: copy its parts one by one.`)
    }
  }
  for (const { kind, path } of entries) {
    if (kind !== 'directory' || read.has(path)) continue
    throw new FilewrightError('permission_denied', `${view.display(path)} cannot be read; nothing was copied.`)
  }
  return entries
}

function at(given: string, path: Path, entry: Entry | null): Resolved {
  return { given, path, entry, missingParents: [], links: [], directory: false }
}

function modeOf({ mode }: Entry): { readonly mode?: number } {
  return mode === null ? {} : { mode }
}
