/** Notes: the check that every storage makes before it swaps one, and notes that are kept in memory. */
import { FilewrightError } from './errors.ts'
import { NOTE_BYTES, type Notes } from './file_system.ts'
import { compareText, utf8Length } from './path.ts'

/** Group and name. Neither begins with a dot, so that a storage may use them as names of files. */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/

/** Throws `invalid_argument` for what is no key, `too_large` for a value above {@link NOTE_BYTES}. */
export function checkNote(key: string, value: string | null): void {
  if (!KEY.test(key)) {
    throw new FilewrightError('invalid_argument', `A note's key is a group and a name, such as approval/7f; this is not: ${key}`, {
      field: 'key',
    })
  }
  const size = value === null ? 0 : utf8Length(value)
  if (size > NOTE_BYTES) throw new FilewrightError('too_large', `The note ${key} has ${size} bytes; the limit is ${NOTE_BYTES}.`)
}

/** Notes in a map, for storages that live in memory. `check` throws once the storage is closed. */
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
