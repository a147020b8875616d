/** What a link in a listing stands for. */
import { isFilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { View } from '../core/view.ts'

/**
 * An entry as its reader sees it: a link inside the root as what it leads to; null when it leads outside, in a circle, or through
 * something that is no directory. A link to nothing stays itself.
 */
export async function behindLink(view: View, entry: Entry): Promise<Entry | null> {
  if (entry.kind !== 'link') return entry
  try {
    return (await view.resolve(view.display(entry.path))).entry ?? entry
  } catch (error) {
    if (isFilewrightError(error)) return null
    throw error
  }
}
