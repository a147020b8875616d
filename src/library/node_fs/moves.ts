/** The calls of `fs` that take something from its place, or put it in another. */
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { comparedPath, isWithin } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { expectationOf } from '../../tools/stored_state.ts'
import { samenessOf } from '../../tools/transfer.ts'
import type { Decided, Door } from './door.ts'
import { refusal } from './errors.ts'
import { exists, find, findPlace, findPresent, notEmpty, type Present, requireDirectory, requireFile } from './paths.ts'
import { requireInside, target } from './writes.ts'

/** A path whose last part is no name. */
const DOTS = /(^|\/)\.\.?\/*$/

/** A staging of several steps. */
type Steps = ((view: View) => void)[]

/** Removes a file, or a link itself. */
export function unlink(door: Door, path: string): Promise<void> {
  return door.act({
    targets: [target(path, 'change-entry')],
    args: { call: 'unlink', path },
    async decide(view) {
      const found = await findPresent(view, path, 'keep')
      if (found.entry.kind === 'directory') throw new FilewrightError('is_directory', `${path} is a directory.`)
      return decided([await removal(view, found)])
    },
  })
}

/** Removes an empty directory. */
export function rmdir(door: Door, path: string): Promise<void> {
  return door.act({
    targets: [target(path, 'change-entry')],
    args: { call: 'rmdir', path },
    async decide(view) {
      const found = await findPresent(view, path, 'keep')
      requireDirectory(found)
      requireBelowRoot(found)
      if (/(^|\/)\.\/*$/.test(path)) throw new FilewrightError('invalid_argument', `${path} is not the name of an entry.`)
      if (await holdsAnything(view, found)) throw notEmpty(path)
      return decided([await removal(view, found)])
    },
  })
}

/** Removes whatever is there; a directory only with `recursive`. With `force` there may be nothing. */
export function rm(
  door: Door,
  path: string,
  { recursive = false, force = false }: { recursive?: boolean; force?: boolean },
): Promise<void> {
  return door.act({
    targets: [target(path, 'change-entry')],
    args: { call: 'rm', path, recursive, force },
    async decide(view) {
      const { entry, ...place } = await find(view, path, 'keep')
      if (!entry && force) return { result: undefined }
      if (!entry) throw new FilewrightError('not_found', `${path} does not exist.`)
      const found = { ...place, entry }
      if (entry.kind === 'directory' && !recursive)
        throw refusal('is_directory', 'ERR_FS_EISDIR', `${path} is a directory: pass recursive.`)
      requireBelowRoot(found)
      const steps: Steps = []
      if (entry.kind === 'directory')
        for (const below of (await entriesBelow(view, found)).reverse()) steps.push(await removal(view, below))
      return decided([...steps, await removal(view, found)])
    },
  })
}

/** Moves a file, a link itself or a directory; what may be replaced is. */
export function rename(door: Door, from: string, to: string): Promise<void> {
  return door.act({
    targets: [target(from, 'change-entry'), target(to, 'change-entry', 'dest')],
    args: { call: 'rename', path: from, dest: to },
    async decide(view) {
      const source = await findPresent(view, from, 'keep')
      const goal = await findPlace(view, to, 'keep')
      requireBelowRoot(source)
      for (const path of [from, to]) if (DOTS.test(path)) throw refusal('invalid_argument', 'EBUSY', `${path} is not the name of an entry.`)
      const sameness = samenessOf(view, source, goal)
      if (sameness === 'path' || sameness === 'hard link') return { result: undefined }
      if (source.entry.kind === 'directory' && isWithin(comparedPath(goal.path, view.traits), comparedPath(source.path, view.traits))) {
        if (sameness === null) throw new FilewrightError('invalid_argument', `${to} is in ${from}.`)
      }
      if (source.entry.kind === 'link') await requireInside(view, goal, source.entry.target ?? (await view.readLink(source.path)))
      const steps: Steps = []
      // Where case does not count, a change of case finds the source itself in its new place.
      const replaced = sameness === 'case' ? null : goal.entry
      if (replaced) {
        await requireReplaceable(view, source, { ...goal, entry: replaced })
        steps.push(await removal(view, { ...goal, entry: replaced }))
      }
      const expect = await expectationOf(view, source.entry)
      const free: Resolved = { ...goal, entry: null, directory: false }
      if (!goal.entry && goal.directory && source.entry.kind !== 'directory')
        throw new FilewrightError('not_directory', `${to} is no directory.`)
      return decided([...steps, (staged) => staged.move(source, free, { expect })])
    },
  })
}

async function requireReplaceable(view: View, source: Present, goal: Present): Promise<void> {
  const [isTree, onTree] = [source.entry.kind === 'directory', goal.entry.kind === 'directory']
  if (isTree && !onTree) throw new FilewrightError('not_directory', `${goal.given} is no directory.`)
  if (!isTree && onTree) throw new FilewrightError('is_directory', `${goal.given} is a directory.`)
  requireBelowRoot(goal)
  if (onTree && (await holdsAnything(view, goal))) throw notEmpty(goal.given)
}

/** Copies what a file holds, and its mode. */
export function copyFile(door: Door, from: string, to: string, exclusive: boolean): Promise<void> {
  return door.act({
    targets: [target(from, 'read'), target(to, 'change', 'dest')],
    args: { call: 'copyFile', path: from, dest: to },
    async decide(view) {
      const source = await findPresent(view, from, 'follow')
      const goal = await findPlace(view, to, 'follow')
      if (goal.entry && exclusive) throw exists(to)
      if (goal.entry) requireFile({ ...goal, entry: goal.entry })
      requireFile(source)
      if (samenessOf(view, source, goal) !== null) return { result: undefined }
      const expect = goal.entry ? await expectationOf(view, goal.entry) : 'absent'
      const how = { expect, source: await expectationOf(view, source.entry), keep: 'undo' } as const
      return decided([(staged) => staged.copy(source, goal, how)])
    },
  })
}

function decided(steps: Steps): Decided<void> {
  return {
    result: undefined,
    stage(view) {
      for (const step of steps) step(view)
    },
  }
}

async function removal(view: View, found: Present): Promise<(staged: View) => void> {
  const expect = await expectationOf(view, found.entry)
  return (staged) => staged.remove(found, { expect, keep: 'undo' })
}

function requireBelowRoot({ path, given }: Resolved): void {
  if (path === '') throw refusal('invalid_argument', 'EPERM', `${given} is the root of the workspace.`)
}

/** Backups that a view does not show are there all the same. */
async function holdsAnything(view: View, { path }: Present): Promise<boolean> {
  return view.holdsHidden(path) || (await view.list(path)).length > 0
}

/** Everything below a directory, each directory before what is in it. */
async function entriesBelow(view: View, { path, given }: Present): Promise<Present[]> {
  if (view.isHidden(path) || view.holdsHidden(path)) throw new FilewrightError('protected_path', `${given} holds a folder of backups.`)
  const entries: Entry[] = []
  for await (const page of view.scan(path, { stat: true, target: true })) for (const entry of page) entries.push(entry)
  return entries.map((entry) => ({ given, path: entry.path, entry, missingParents: [], links: [], directory: false }))
}
