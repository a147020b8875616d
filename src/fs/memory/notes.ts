/** The memory adapter's notes. */
import type { Notes } from '../../core/file_system.ts'
import { checkNote } from '../../core/notes.ts'
import { compareText } from '../../core/path.ts'

/** Notes in a map. `check` throws once the storage is closed. */
export function createNotes(check: () => void): Notes {
  const notes = new Map<string, string>()
  return {
    async list(prefix) {
      check()
      const found = [...notes].filter(([key]) => key.startsWith(prefix))
      return found.sort(([a], [b]) => compareText(a, b)).map(([key, value]) => ({ key, value }))
    },
    async swap(key, from, to) {
      check()
      checkNote(key, to)
      if ((notes.get(key) ?? null) !== from) return false
      if (to === null) notes.delete(key)
      else notes.set(key, to)
      return true
    },
  }
}
