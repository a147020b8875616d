/** Names that callers cannot type as they stand: letters composed otherwise, and other spaces than the one on the keyboard. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { nameOf, namesOf, type Path, parentOf } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { ResolveOptions, View } from '../../core/view.ts'

/** Any other name has no look-alike worth a listing. */
const HAS_LOOK_ALIKES = /[^\x21-\x7e]/

/** Equal for names that look the same: file managers write U+202F into names, and models send a plain space back. */
function looksOf(name: string): string {
  return name.normalize('NFC').replace(/\p{Zs}/gu, ' ')
}

/**
 * What a path leads to when each name that is missing stands for the one beside it that looks the same, if there is one; a name that
 * is there is never replaced. Throws `invalid_argument` where several look the same, and what resolving throws.
 */
export async function throughLookAlikes(view: View, resolved: Resolved, options: ResolveOptions): Promise<Resolved> {
  let at = resolved
  // Each round finds one name; links that lead to each other's look-alikes would never end.
  for (const _ of namesOf(resolved.path)) {
    if (at.entry) return at
    const missing = at.missingParents[0] ?? at.path
    const [alike, another] = await lookAlikesOf(view, missing)
    if (!alike) return at
    if (another) {
      throw new FilewrightError(
        'invalid_argument',
        `Ambiguous Unicode path component: ${nameOf(missing)}. Several names look like it: copy one from list_directory.`,
      )
    }
    const spelled = view.display(alike.path) + at.path.slice(missing.length) + (resolved.directory ? '/' : '')
    at = { ...(await view.resolve(spelled, options)), given: resolved.given }
  }
  return at
}

async function lookAlikesOf(view: View, missing: Path): Promise<Entry[]> {
  const name = nameOf(missing)
  if (!HAS_LOOK_ALIKES.test(name)) return []
  try {
    const looks = looksOf(name)
    return (await view.list(parentOf(missing))).filter(({ path }) => looksOf(nameOf(path)) === looks)
  } catch (error) {
    // A directory that cannot be listed says nothing about its names.
    if (isFilewrightError(error)) return []
    throw error
  }
}
