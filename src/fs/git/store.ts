/** The reference that a workspace's state stands in: what others made of it is seen, and it is replaced by compare and set alone. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { createTurns } from '../../git/file_turns.ts'
import type { Refs, RefUpdate } from '../../git/refs.ts'
import { createCollecting } from './collecting.ts'
import { createSavings, type Savings } from './save.ts'
import { readState, type State, saveState } from './state.ts'

/** Where the states of workspaces stand. One name deeper than the branches `filewright/NAME`: git looks for `NAME` below `refs/` first. */
export const WORKSPACES = 'refs/filewright/workspaces/'
/** How often an act is begun anew because another process was faster. */
const TRIES = 20

/** What an act makes of a state. */
export type Changed = Partial<Pick<State, 'root' | 'standing' | 'kept' | 'journal' | 'isPlain'>>

/** Says what changes, with the objects that it takes. It has no other effect: it may run again on a newer state. */
export type Build<T> = (state: State, savings: Savings) => Promise<readonly [changed: Changed, result: T]>

/** The state of one workspace, now and next. */
export interface Store {
  /** The state as it is, with what other processes did. */
  latest(): Promise<State>
  /**
   * Does an act: alone among those of this process, and begun anew when another process was faster. Throws what `build` throws, and
   * `conflict` when others are faster again and again.
   */
  act<T>(build: Build<T>): Promise<T>
  /** Removes what nothing leads to any more, where no git program can. */
  collect(): Promise<void>
}

/** `first` makes the state of a workspace that is not there yet. */
export async function openStore(git: GitDirectory, name: string, now: () => number, first: () => Promise<State>): Promise<Store> {
  const { objects, refs, files } = git
  const ref = WORKSPACES + name
  const turns = createTurns()
  const collecting = createCollecting(git)
  const read = async (oid: Oid | null, earlier?: State): Promise<State> => (oid === null ? first() : readState(objects, oid, name, earlier))
  let current = await read(await refs.read(ref))
  /** Of the reference's file when `current` was what it said. Null when that must be looked up. */
  let stamp: string | null = null

  async function look(): Promise<State> {
    const before = await stampOf()
    const oid = await refs.read(ref)
    if (oid !== current.commit) current = await read(oid, current)
    stamp = before
    return current
  }

  /** References that git packed have no file of their own. */
  async function stampOf(): Promise<string> {
    return (await files.stamp(ref)) ?? `packed ${await files.stamp('packed-refs')}`
  }

  const latest: Store['latest'] = async () => (stamp !== null && (await stampOf()) === stamp ? current : look())

  /** Null when somebody else was faster. */
  async function attempt<T>(build: Build<T>): Promise<{ readonly result: T } | null> {
    const state = await latest()
    const savings = createSavings(objects)
    const [changed, result] = await build(state, savings)
    const next = await saveState(objects, savings, { ...state, isPlain: false, ...changed }, name, now())
    const added = savings.objects()
    await objects.write(added)
    collecting.wrote(added.length)
    // Whatever becomes of it, what the file says has to be looked up.
    stamp = null
    if (!(await replaceRef(refs, { name: ref, from: state.commit, to: next.commit }))) return null
    current = next
    return { result }
  }

  return {
    latest,
    collect: collecting.collect,
    act: (build) =>
      turns(ref, async () => {
        for (let tries = 0; tries < TRIES; tries++) {
          const done = await attempt(build)
          if (done) return done.result
        }
        throw new FilewrightError('conflict', 'Other processes change this workspace all the time; nothing was changed. Try again.')
      }),
  }
}

/**
 * Moves a reference; false when somebody else was faster. Throws `conflict` with `details` `{lock}` when it is locked all the time and
 * stands still: nobody is at it any more.
 */
export async function replaceRef(refs: Refs, update: RefUpdate): Promise<boolean> {
  try {
    return await refs.update(update)
  } catch (error) {
    if (!isFilewrightError(error, 'conflict')) throw error
    if (error.details?.lock !== undefined && (await refs.read(update.name)) === update.from) throw error
    return false
  }
}
