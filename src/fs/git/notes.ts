/** The notes of a workspace in git: a reference of their own, so that they and commits never wait for each other. */
import { FilewrightError } from '../../core/errors.ts'
import type { Notes } from '../../core/file_system.ts'
import { checkNote } from '../../core/notes.ts'
import { compareText } from '../../core/path.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { createTurns } from '../../git/file_turns.ts'
import { createFanOut, type FanOut } from './fan_out.ts'
import { createSavings } from './save.ts'
import { replaceRef } from './store.ts'

/** Where the notes of workspaces stand: each reference leads to a tree of groups. */
const NOTES = 'refs/filewright/notes/'
const TRIES = 20

/** `check` throws once the storage is closed. */
export function createNotes({ objects, refs }: GitDirectory, workspace: string, check: () => void): Notes {
  const name = NOTES + workspace
  const turns = createTurns()
  const read = async (): Promise<{ readonly at: Oid | null; readonly notes: FanOut }> => {
    const at = await refs.read(name)
    return { at, notes: createFanOut(objects, at) }
  }
  const textOf = async (oid: Oid): Promise<string> => {
    return JSON.parse(new TextDecoder().decode(await objects.readAs(oid, 'blob'))) as string
  }
  const swap: Notes['swap'] = async (key, from, to) => {
    const [group, note] = key.split('/') as [string, string]
    for (let tries = 0; tries < TRIES; tries++) {
      const { at, notes } = await read()
      const held = await notes.get(group, note)
      if ((held === null ? null : await textOf(held)) !== from) return false
      if (from === to) return true
      const savings = createSavings(objects)
      // As JSON, which holds texts that UTF-8 does not.
      const oid = to === null ? null : savings.add('blob', new TextEncoder().encode(JSON.stringify(to)))
      const { tree } = await notes.with(savings, [{ group, name: note, oid }])
      await objects.write(savings.objects())
      if (await replaceRef(refs, { name, from: at, to: tree })) return true
    }
    throw new FilewrightError('conflict', 'Other processes change the notes all the time. Try again.')
  }
  return {
    async list(prefix) {
      check()
      const { notes } = await read()
      const found: { key: string; value: string }[] = []
      for (const group of await notes.groups()) {
        for (const [note, oid] of await notes.group(group)) {
          const key = `${group}/${note}`
          if (key.startsWith(prefix)) found.push({ key, value: await textOf(oid) })
        }
      }
      return found.sort((a, b) => compareText(a.key, b.key))
    },
    async swap(key, from, to) {
      check()
      checkNote(key, to)
      return turns(name, () => swap(key, from, to))
    },
  }
}
