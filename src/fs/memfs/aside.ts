/** Where a commit puts what it replaces until it is done: a folder at the root, which is there only while a commit runs. */
import type { Path } from '../../core/path.ts'
import { direntsOf, type Volume } from './volume.ts'

const PREFIX = '.filewright-'

/** The folder of one commit, made when it is first needed. */
export interface Aside {
  readonly name: string
  /** A free name in it, as the `fs` takes it. */
  place(): string
  /** Takes the folder away with all that is in it. What fails is tried again by later commits, and hidden until then. */
  close(): void
  /** Leaves it to be found: what is in it is nowhere else. */
  abandon(): void
}

export function createAside(volume: Volume): Aside {
  const name = `${PREFIX}${crypto.randomUUID()}`
  const folder = volume.at(name as Path)
  let count = 0
  return {
    name,
    place() {
      if (count === 0) {
        volume.fs.mkdirSync(folder, { mode: 0o700 })
        volume.hidden.add(name)
      }
      return `${folder}/${count++}`
    },
    close() {
      for (const left of volume.hidden) clearAway(volume, left)
    },
    abandon: () => void volume.hidden.delete(name),
  }
}

function clearAway({ fs, at, hidden }: Volume, name: string): void {
  const folder = at(name as Path)
  try {
    for (const file of direntsOf(fs, folder)) fs.unlinkSync(`${folder}/${file.name}`)
    fs.rmdirSync(folder)
    hidden.delete(name)
  } catch {
    // The change itself is done, or taken back.
  }
}
