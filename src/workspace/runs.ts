/** Commands of a workspace: run beside its other work, and what they did to the files recorded at once. */
import { type FilewrightError, toFilewrightError } from '../core/errors.ts'
import type { Cause, FileSystem, Origin } from '../core/file_system.ts'
import type { JournalRecord } from '../core/record.ts'
import type { Runner, RunOutcome } from '../core/runner.ts'
import type { CommandPlan } from '../tools/tool.ts'
import { createBeforeImages } from './before_images.ts'
import type { Queue } from './queue.ts'

/** Longest command that a record tells in full, in characters. */
const LONGEST_NOTE = 200

/** What a command came to. */
export interface Ran {
  readonly outcome: RunOutcome | FilewrightError
  /** What changed while it ran; null when nothing did. */
  readonly record: JournalRecord | null
}

/** The commands of one workspace. */
export interface Runs {
  /**
   * Runs a planned command. Calls that change files go on meanwhile: only looking at the folder, before and after, takes its turn
   * among them. Throws what the first look throws; then nothing was run.
   */
  run(plan: Pick<CommandPlan<object>, 'command' | 'title'>, caller: Omit<Origin, 'note'>, signal: AbortSignal): Promise<Ran>
  /** Why other programs may be changing files right now; undefined while no command runs. */
  cause(): Cause | undefined
  /** Ends all commands, and waits until that is recorded. */
  close(): Promise<void>
}

/** What commands are run with. */
export interface RunsParts {
  readonly fs: FileSystem
  readonly queue: Queue
  readonly runner: Runner
  /** Told of records that are no command's. */
  announce(record: JournalRecord): void
  readonly onFailure?: ((error: unknown) => void) | undefined
}

export function createRuns({ fs, queue, runner, announce, onFailure }: RunsParts): Runs {
  const closing = new AbortController()
  const images = createBeforeImages(fs)
  const running = new Set<Cause>()
  const unfinished = new Set<Promise<unknown>>()

  /** This command's, with the names of those that run beside it: nobody can tell them apart by what they leave. */
  function named(own: Cause | undefined): Cause | undefined {
    const all = new Set([...(own ? [own] : []), ...running])
    const [first] = all
    if (!first) return undefined
    const note = `While this ran: ${[...all].map(({ origin }) => origin.note).join('; ')}`
    return { ...first, origin: { ...first.origin, note } }
  }

  async function run(plan: Pick<CommandPlan<object>, 'command' | 'title'>, origin: Origin, signal: AbortSignal): Promise<Ran> {
    // What others did until now is not this command's work, and what was called for before it is done before it.
    const others = await queue(async () => fs.observe?.(undefined, named(undefined)) ?? null)
    if (others) announce(others)
    const before = fs.observe ? await images.look(signal) : new Map()
    const cause = { origin, before }
    running.add(cause)
    try {
      signal.throwIfAborted()
      const outcome = await runner.run(plan.command, signal)
      return { outcome, record: await lookAgain(cause) }
    } catch (error) {
      const outcome = toFilewrightError(error)
      if (outcome.code === 'io_error') onFailure?.(error)
      // It may have got far before it failed or was ended.
      return { outcome, record: await lookAgain(cause) }
    } finally {
      running.delete(cause)
    }
  }

  /** The command has run, whatever becomes of this: what is overlooked now is recorded at the next look. */
  async function lookAgain(cause: Cause): Promise<JournalRecord | null> {
    try {
      return await queue(async () => fs.observe?.(undefined, named(cause)) ?? null)
    } catch (error) {
      onFailure?.(error)
      return null
    }
  }

  return {
    async run(plan, caller, signal) {
      const work = run(plan, { ...caller, note: shortened(plan.title) }, AbortSignal.any([signal, closing.signal]))
      unfinished.add(work)
      return work.finally(() => unfinished.delete(work))
    },
    cause: () => named(undefined),
    async close() {
      closing.abort()
      await Promise.allSettled(unfinished)
    },
  }
}

function shortened(title: string): string {
  const characters = Array.from(title)
  return characters.length > LONGEST_NOTE ? `${characters.slice(0, LONGEST_NOTE).join('')}…` : title
}
