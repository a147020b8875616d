/** A repository that no git program can clean is cleaned now and then, beside what else goes on. */
import { collectGarbage } from '../../git/collect_garbage.ts'
import type { GitDirectory } from '../../git/directory.ts'

/** Counts what is written. */
export interface Collecting {
  /** Begins a collection once enough was written; nobody waits for it. */
  wrote(objects: number): void
  /** Runs one now. A failure is no failure of the workspace: the next one tries again. */
  collect(): Promise<void>
}

/** New objects between two collections; more when more is kept, so that a collection costs each write the same. */
const LEAST = 2000

export function createCollecting(git: GitDirectory): Collecting {
  let [written, wanted] = [0, LEAST]
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    written = 0
    try {
      wanted = Math.max(LEAST, (await collectGarbage(git)).reachable)
    } catch {
      // Such as a repository that was closed meanwhile, or one that git has to clean.
      wanted *= 2
    }
    running = null
  }

  function collect(): Promise<void> {
    if (!git.files.needless) return Promise.resolve()
    running ??= run()
    return running
  }

  return {
    collect,
    wrote(objects) {
      written += objects
      if (written >= wanted) void collect()
    },
  }
}
