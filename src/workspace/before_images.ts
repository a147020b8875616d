/** What files hold before a command runs, staged so that undo can bring back what it changes. */
import { isFilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem, Remembered } from '../core/file_system.ts'
import { nameOf, type Path, ROOT } from '../core/path.ts'
import { readBlocks } from '../core/read.ts'
import { createIgnoreRules, type IgnoreTest } from '../text/glob/ignore.ts'
import { createPacer } from '../text/pause.ts'

/** Most files, bytes of all and bytes of one that are staged; of what is beyond, only the journal may hold what it was. */
const MOST_FILES = 5000
const MOST_BYTES = 64 * 1024 * 1024
const LARGEST = 4 * 1024 * 1024

/** Looks at files before commands. */
export interface BeforeImages {
  /**
   * Everything that is there but what git ignores and its own files, each file with its content staged. What did not change since the
   * last look is not read again.
   */
  look(signal: AbortSignal): Promise<ReadonlyMap<Path, Remembered>>
}

export function createBeforeImages(fs: FileSystem): BeforeImages {
  let last: ReadonlyMap<Path, Remembered> = new Map()

  async function stage({ path, mode }: Entry): Promise<Remembered['side']> {
    const reader = await fs.open(path)
    try {
      return { kind: 'file', ...(await fs.stage(readBlocks(reader))), mode: mode ?? 0 }
    } finally {
      await reader.close()
    }
  }

  async function* wanted(signal: AbortSignal): AsyncGenerator<Entry> {
    const rules = await createIgnoreRules(fs).walk(ROOT)
    const filter = (dir: Path, children: Entry[]): Entry[] | Promise<Entry[]> => {
      const keep = (ignored: IgnoreTest): Entry[] => children.filter((entry) => nameOf(entry.path) !== '.git' && !ignored(entry))
      const test = rules.enter(dir, children)
      return test instanceof Promise ? test.then(keep) : keep(test)
    }
    for await (const page of fs.scan(ROOT, { filter, stat: true, target: true, signal })) yield* page
  }

  async function add(entry: Entry, found: Map<Path, Remembered>): Promise<void> {
    const { path, kind, version, mode, target } = entry
    if (version === null || kind === 'special') return
    const known = last.get(path)
    if (known?.version === version) found.set(path, known)
    else if (kind === 'directory') found.set(path, { version, side: { kind, mode: mode ?? 0 } })
    else if (kind === 'link') found.set(path, { version, side: { kind, target: target ?? (await fs.readLink(path)) } })
    else found.set(path, { version, side: await stage(entry) })
  }

  return {
    async look(signal) {
      const found = new Map<Path, Remembered>()
      const pacer = createPacer(signal)
      let [files, bytes] = [0, 0]
      for await (const entry of wanted(signal)) {
        if (entry.kind === 'file') {
          const size = entry.size ?? 0
          if (files === MOST_FILES || size > LARGEST || bytes + size > MOST_BYTES) continue
          files++
          bytes += size
        }
        try {
          await add(entry, found)
        } catch (error) {
          // It may not be read, or went away, or nothing can be staged here. The command is run all the same.
          if (!isFilewrightError(error)) throw error
        }
        if (pacer.isDue()) await pacer.pause()
      }
      last = found
      return found
    },
  }
}
