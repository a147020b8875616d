/** Random commands, run on a storage and on the model: results, errors and the whole tree are compared after each. */
import * as fc from 'fast-check'
import type { Change, Side, Version } from '../core/change.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { FileSystem, Reader } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import type { Path } from '../core/path.ts'
import type { JournalRecord } from '../core/record.ts'
import { check, describeError, fails, same } from './assert.ts'
import { changesOf, inverseOf, verifyChain } from './history.ts'
import {
  copyModel,
  createModel,
  isFailure,
  type Model,
  type ModelRecord,
  modelCommit,
  modelList,
  modelScan,
  modelStat,
  UNKNOWN_MODE,
  versionKey,
} from './model.ts'
import { at, bytesOf, draft, keptContents, listNames, readBytes, scanPaths } from './setup.ts'
import { snapshot } from './snapshot.ts'
import { type ConformanceSubject, type OpenPlace, onNewPlace } from './subject.ts'
import { BODIES, decide, type Known, placeOf, type Spot, spoil, spot, type Wish, wish } from './wishes.ts'

/** How many random sequences are run. */
export interface CommandOptions {
  /** Random command sequences; default 60. */
  readonly runs?: number
  /** Replays the sequences of a failure. */
  readonly seed?: number
  /** Together with `seed`: replays one sequence. */
  readonly path?: string
}

/** The storage under test, and what is remembered about it from command to command. */
interface Real extends Known {
  /** Changes when the place is opened again. */
  fs: FileSystem
  readonly seen: Map<string, Version[]>
  readonly kept: Set<Hash>
  readonly place: OpenPlace
  readonly persistent: boolean
  readonly pins: { readonly reader: Reader; readonly bytes: Uint8Array }[]
  /** Records that can still be taken back, with the tree before each. */
  readonly done: { readonly record: JournalRecord; readonly before: Model }[]
  /** Commits that succeeded. */
  sequence: number
}

interface Command extends fc.AsyncCommand<Model, Real> {}

/** Runs random commands. Throws what fast-check found, with the seed that replays it. */
export async function runCommands(subject: ConformanceSubject, { runs = 60, seed, path: replay }: CommandOptions): Promise<void> {
  const commands = fc.commands(
    [
      fc.array(wish, { minLength: 1, maxLength: 4 }).map(commitCommand),
      fc.array(wish, { minLength: 1, maxLength: 8 }).map(commitCommand),
      fc.array(wish, { minLength: 1, maxLength: 2 }).map(commitCommand),
      fc.array(wish, { minLength: 1, maxLength: 1 }).map(commitCommand),
      spot.map(lookCommand),
      spot.map(pinCommand),
      fc.constant(undoCommand()),
      fc.nat(99).map(forgetCommand),
      fc.constant(reopenCommand()),
    ],
    { size: 'max', maxCommands: 40 },
  )
  const property = fc.asyncProperty(commands, (sequence) =>
    onNewPlace(subject, async (place) => {
      const real: Real = {
        fs: place.fs,
        place,
        persistent: subject.persistent,
        pins: [],
        seen: new Map(),
        kept: new Set(),
        done: [],
        sequence: 0,
      }
      const model = createModel()
      for (const bytes of BODIES) model.contents.set(place.fs.hasher.hash(bytes), bytes)
      await fc.asyncModelRun(() => ({ model, real }), sequence)
      await checkPins(real)
      await verifyChain(real.fs)
    }),
  )
  await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }), ...(replay === undefined ? {} : { path: replay }) })
}

function commitCommand(wishes: readonly Wish[]): Command {
  return {
    check: () => true,
    async run(model, real) {
      const changes = await decide(model, real, wishes)
      if (changes.length === 0) return
      const before = copyModel(model)
      const expected = modelCommit(model, changes, real.fs.traits)
      if (isFailure(expected)) {
        const error = await fails(() => real.fs.commit(changes, draft()), expected.code, describe(changes))
        if (expected.code === 'conflict') {
          same(error.details?.path, expected.path, 'the path of a conflict')
          sameSide(error.details?.current as Side | null, expected.current ?? null, 'the current side of a conflict')
        }
      } else {
        const record = await real.fs.commit(changes, draft()).catch((error: unknown) => {
          throw new Error(`${describe(changes)}: failed with ${describeError(error)}`, { cause: error })
        })
        real.sequence++
        spoil(changes)
        await sameRecord(real, record, expected)
        await learnModes(model, real.fs)
        if (expected.every(({ kept }) => kept)) real.done.push({ record, before })
        else real.done.length = 0
      }
      await compare(model, real)
    },
    toString: () => `commit(${JSON.stringify(wishes)})`,
  }
}

function lookCommand(where: Spot): Command {
  return {
    check: () => true,
    async run(model, { fs, seen }) {
      const place = placeOf(model, where, 'there')
      const node = modelStat(model, place)
      if (isFailure(node)) return looksFail(fs, place, node.code)
      const entry = await fs.stat(place)
      same([entry.kind, entry.target], [node.kind, node.kind === 'link' ? node.target : null], `stat of ${place}`)
      check(entry.version !== null, `${place} has a version`)
      seen.set(place, [...(seen.get(place) ?? []), entry.version])
      model.versions.set(versionKey(place, entry.version), node)
      if (node.kind === 'file') same(await readBytes(fs, place), node.bytes, `content of ${place}`)
      else await fails(() => fs.open(place), node.kind === 'link' ? 'not_regular' : 'is_directory', `open of ${place}`)
      if (node.kind === 'directory') same(await listNames(fs, place), modelList(model, place), `list of ${place}`)
      else await fails(() => fs.list(place), 'not_directory', `list of ${place}`)
      if (node.kind === 'link') same(await fs.readLink(place), node.target, `readLink of ${place}`)
      else await fails(() => fs.readLink(place), 'invalid_argument', `readLink of ${place}`)
    },
    toString: () => `look(${JSON.stringify(where)})`,
  }
}

async function looksFail(fs: FileSystem, place: Path, code: ErrorCode): Promise<void> {
  await fails(() => fs.stat(place), code, `stat of ${place}`)
  await fails(() => fs.list(place), code, `list of ${place}`)
  await fails(() => fs.open(place), code, `open of ${place}`)
  await fails(() => fs.readLink(place), code, `readLink of ${place}`)
}

function pinCommand(where: Spot): Command {
  return {
    check: () => true,
    async run(model, real) {
      const place = placeOf(model, where, 'there')
      const node = model.nodes.get(place)
      if (node?.kind === 'file') real.pins.push({ reader: await real.fs.open(place), bytes: node.bytes })
    },
    toString: () => `pin(${JSON.stringify(where)})`,
  }
}

function undoCommand(): Command {
  return {
    check: () => true,
    async run(model, real) {
      const last = real.done.pop()
      if (!last) return
      const changes = inverseOf(await changesOf(real.fs, last.record))
      const record = await real.fs.commit(changes, draft({ kind: 'undo', target: last.record.id }))
      real.sequence++
      for (const { backup, before } of await changesOf(real.fs, record)) if (backup) keepHash(real, before)
      model.nodes.clear()
      for (const [key, node] of last.before.nodes) model.nodes.set(key, node)
      await compare(model, real)
    },
    toString: () => 'undo',
  }
}

/** Drops one content from history. What is taken back later must not need it. */
function forgetCommand(pick: number): Command {
  return {
    check: () => true,
    async run(model, real) {
      const { fs, kept, done } = real
      const hash = [...kept].sort()[pick % Math.max(1, kept.size)]
      if (hash === undefined) return
      await fs.forget([hash])
      kept.delete(hash)
      done.length = 0
      await compare(model, real)
    },
    toString: () => `forget(${pick})`,
  }
}

function reopenCommand(): Command {
  return {
    check: () => true,
    async run(model, real) {
      if (!real.persistent) return
      await checkPins(real)
      real.fs = await real.place.reopen()
      await compare(model, real)
    },
    toString: () => 'reopen',
  }
}

async function sameRecord(real: Real, record: JournalRecord, expected: readonly ModelRecord[]): Promise<void> {
  const changes = await changesOf(real.fs, record)
  same([record.count, changes.length], [expected.length, expected.length], 'the count of a record')
  for (const [index, { before, after, backed, ...facts }] of expected.entries()) {
    const { before: wasBefore, after: wasAfter, backup, ...others } = changes[index] as NonNullable<(typeof changes)[number]>
    same(others, facts, 'a recorded change')
    sameSide(wasBefore, before, `before ${facts.kind} of ${facts.path}`)
    sameSide(wasAfter, after, `after ${facts.kind} of ${facts.path}`)
    if (before?.kind !== 'directory') same(backup !== undefined, backed, `a backup of ${facts.path}`)
    if (backed) keepHash(real, before)
  }
}

function keepHash({ kept }: Real, side: Side | null): void {
  if (side?.kind === 'file') kept.add(side.hash)
}

function sameSide(actual: Side | null, expected: Side | null, what: string): void {
  const known = expected && 'mode' in expected && expected.mode === UNKNOWN_MODE && actual && 'mode' in actual
  same(known ? { ...actual, mode: UNKNOWN_MODE } : actual, expected, what)
}

/** Looks at modes that the model could not know, so that they are known from then on. */
async function learnModes(model: Model, fs: FileSystem): Promise<void> {
  for (const [key, node] of [...model.nodes]) {
    if (key === '' || node.kind === 'link' || node.mode !== UNKNOWN_MODE) continue
    const { mode } = await fs.stat(at(key))
    if (mode !== null) model.nodes.set(key, { ...node, mode })
  }
}

/** Compares the whole tree, the place in the journal, and what history holds. */
async function compare(model: Model, { fs, sequence, kept }: Real): Promise<void> {
  const held = (await keptContents(fs)).map(({ hash }) => hash)
  same(held, [...kept].sort(), 'what history holds')
  same((await fs.records({ limit: 1 }))[0]?.sequence ?? 0, sequence, 'the sequence number of the last record')
  same(await scanPaths(fs, ''), modelScan(model), 'scan')
  const expected = [...model.nodes]
    .filter(([key]) => key !== '')
    .map(([key, node]) => {
      const content = node.kind === 'file' ? `${node.bytes.length} ${node.hash}` : node.kind === 'link' ? node.target : ''
      const mode = node.kind === 'link' || node.mode === UNKNOWN_MODE ? '' : node.mode.toString(8)
      return [key, [node.kind, content, mode].join(' ')]
    })
  same(await snapshot(fs), Object.fromEntries(expected), 'the tree')
}

async function checkPins({ pins }: Real): Promise<void> {
  for (const { reader, bytes } of pins.splice(0)) same(await bytesOf(reader), bytes, 'what a reader has pinned')
}

function describe(changes: readonly Change[]): string {
  const other = (change: Change): string =>
    change.kind === 'move' ? ` to ${change.to}` : change.kind === 'copy' ? ` from ${change.from}` : ''
  return changes.map((change) => `${change.kind} ${change.path}${other(change)}`).join(', ')
}
