/** Staging a patch, one file after another on one view: what an earlier operation did is what a later one finds. */
import { FilewrightError } from '../../core/errors.ts'
import type { Path } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import type { MatchPass } from '../../text/line_table.ts'
import type { PatchOperation } from '../../text/patch/envelope.ts'
import { type HunkPlan, planHunks } from '../../text/patch/hunks.ts'
import { encodeText, isBinary } from '../../text/utf8.ts'
import { requireLeadsInside, requireRemovable } from '../delete_file.ts'
import { requireWritable } from '../guarded.ts'
import { expectationOf } from '../stored_state.ts'
import type { ToolContext } from '../tool.ts'
import { samenessOf } from '../transfer.ts'
import { hunkError } from './misfit.ts'

/** One file of a patch, as the patch named it first, and what became of it. */
export interface PatchedFile {
  readonly path: string
  readonly action: 'added' | 'modified' | 'deleted' | 'unchanged'
  /** Where a moved file was. */
  readonly moved_from?: string
  /** The weakest comparison that a hunk needed; absent where there was none. */
  readonly match?: MatchPass
}

/**
 * Stages the operations. Answers each file once, by what all of them made of it. Throws what an operation meets: `not_found`,
 * `already_exists`, `is_directory`, `not_regular`, `binary_file`, `no_match`, `ambiguous_match`, `too_large`, `permission_denied`, and
 * what resolving and staging throw.
 */
export async function stagePatch({ view, signal }: ToolContext, operations: readonly PatchOperation[]): Promise<PatchedFile[]> {
  const ledger = createLedger()
  for (const operation of operations) {
    signal.throwIfAborted()
    if (operation.kind === 'add') await add(view, ledger, operation)
    else if (operation.kind === 'delete') await remove(view, ledger, operation.path)
    else await update(view, ledger, operation)
  }
  return ledger.files()
}

async function add(view: View, ledger: Ledger, { path, lines }: Extract<PatchOperation, { kind: 'add' }>): Promise<void> {
  const target = await view.resolve(path, { field: 'input' })
  if (target.entry) throw taken(path, 'update it, or delete it first')
  const content = await view.content(encodeText(lines.map((line) => `${line}\n`).join('')))
  view.write(target, content, { expect: 'absent' })
  ledger.write(target, { changed: true })
}

async function remove(view: View, ledger: Ledger, path: string): Promise<void> {
  const target = await view.resolve(path, { last: 'keep', field: 'input' })
  view.remove(target, { expect: await expectationOf(view, await requireRemovable(view, target)) })
  ledger.remove(target)
}

async function update(view: View, ledger: Ledger, operation: Extract<PatchOperation, { kind: 'update' }>): Promise<void> {
  const { path, to, hunks } = operation
  const source = await view.resolve(path, { last: to === null ? 'follow' : 'keep', field: 'input' })
  const plan = await planUpdate(view, source, hunks)
  const destination = to === null ? source : await freePlace(view, source, to)
  if (plan?.changed) await requireWritable(view, source)
  if (destination !== source) {
    view.move(source, destination, { expect: await expectationOf(view, source.entry as NonNullable<Resolved['entry']>) })
    ledger.move(source, destination)
  }
  if (plan?.changed) {
    const there = await view.resolve(view.display(destination.path), { last: 'keep', field: 'input' })
    view.write(there, await view.content(plan.bytes), { expect: { hash: plan.before } })
  }
  ledger.write(destination, { changed: plan?.changed ?? false, ...(plan && { match: plan.pass }) })
}

/** What the hunks make of a file; null when there are none. */
async function planUpdate(
  view: View,
  source: Resolved,
  hunks: Extract<PatchOperation, { kind: 'update' }>['hunks'],
): Promise<(HunkPlan & { readonly before: Awaited<ReturnType<View['readWhole']>>['hash'] }) | null> {
  const { entry, given } = source
  if (entry?.kind === 'link') {
    await requireLeadsInside(view, given, 'input')
    throw new FilewrightError('not_regular', `${given} is a link, and is not moved: update the file that it leads to.`, { field: 'input' })
  }
  if (entry?.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory.`, { field: 'input' })
  if (!entry || hunks.length > 0) {
    const { bytes, hash } = await view.readWhole(source)
    if (isBinary(bytes)) throw new FilewrightError('binary_file', `${given} is binary; only text can be patched.`, { field: 'input' })
    const plan = planHunks(bytes, hunks, view.traits.limits.textBytes)
    if (!plan.ok) throw hunkError(given, plan.misfit)
    return { ...plan, before: hash }
  }
  if (entry.kind !== 'file') throw new FilewrightError('not_regular', `${given} is not a regular file.`, { field: 'input' })
  return null
}

/** Where a file is moved: the place itself when it is there already, else one that is free. */
async function freePlace(view: View, source: Resolved, to: string): Promise<Resolved> {
  const destination = await view.resolve(to, { last: 'keep', field: 'input' })
  const sameness = samenessOf(view, source, destination)
  if (sameness === 'path') return source
  if (destination.directory) throw new FilewrightError('is_directory', `${to} names a directory: give the final name.`, { field: 'input' })
  // Where case does not count, a change of case finds the file itself.
  if (sameness === 'case') return { ...destination, entry: null }
  if (destination.entry) throw taken(to, 'delete it first, or move to another name')
  return destination
}

function taken(given: string, remedy: string): FilewrightError {
  return new FilewrightError('already_exists', `${given} exists: ${remedy}. Nothing was changed.`, { field: 'input' })
}

/** Keeps account of what the operations did to each file. */
interface Ledger {
  write(target: Resolved, how: { readonly changed: boolean; readonly match?: MatchPass }): void
  remove(target: Resolved): void
  move(source: Resolved, destination: Resolved): void
  files(): PatchedFile[]
}

interface Account {
  readonly given: string
  readonly before: boolean
  now: boolean
  changed: boolean
  match?: MatchPass
  /** The file that was moved here. */
  origin?: Account
  /** It was moved, and is where it went. */
  movedOn: boolean
}

function createLedger(): Ledger {
  const accounts = new Map<Path, Account>()

  function accountOf({ path, given, entry }: Resolved): Account {
    let account = accounts.get(path)
    if (!account) {
      const before = entry !== null
      account = { given, before, now: before, changed: false, movedOn: false }
      accounts.set(path, account)
    }
    return account
  }

  return {
    write(target, { changed, match }) {
      const account = accountOf(target)
      account.now = true
      account.changed ||= changed
      if (match !== undefined) account.match = match
    },
    remove(target) {
      const account = accountOf(target)
      account.now = false
      account.changed = true
      if (account.origin) account.origin.movedOn = false
      delete account.origin
    },
    move(source, destination) {
      const from = accountOf(source)
      const to = accountOf(destination)
      Object.assign(from, { now: false, movedOn: true })
      Object.assign(to, { now: true, changed: true, origin: from })
    },
    files: () => [...accounts.values()].flatMap((account) => told(account) ?? []),
  }
}

function told({ given, before, now, changed, match, origin, movedOn }: Account): PatchedFile | null {
  if (!now) return before && !movedOn ? { path: given, action: 'deleted' } : null
  const from = origin?.before ? { moved_from: origin.given } : {}
  const action = before || origin?.before ? (changed ? 'modified' : 'unchanged') : 'added'
  return { path: given, action, ...from, ...(match && { match }) }
}
