/** Random commands, run on a storage and on the model: results, errors and the whole tree are compared after each. */
import * as fc from 'fast-check'
import type { Change, Content, Expect, Side, Version } from '../core/change.ts'
import type { FileSystem, Reader } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import type { JournalRecord } from '../core/record.ts'
import { check, describeError, fails, same } from './assert.ts'
import { changesOf, inverseOf, verifyChain } from './history.ts'
import {
  copyModel,
  createModel,
  isFailure,
  type Model,
  type ModelNode,
  type ModelRecord,
  modelCommit,
  modelList,
  modelScan,
  modelStat,
  UNKNOWN_MODE,
} from './model.ts'
import { at, bytesOf, draft, listNames, readBytes, scanPaths, utf8 } from './setup.ts'
import { snapshot } from './snapshot.ts'
import { type ConformanceSubject, type OpenPlace, onNewPlace } from './subject.ts'

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
interface Real {
  fs: FileSystem
  readonly place: OpenPlace
  readonly persistent: boolean
  readonly pins: { readonly reader: Reader; readonly bytes: Uint8Array }[]
  readonly seen: Map<string, Version[]>
  readonly kept: Set<Hash>
  /** Records that can still be taken back, with the tree before each. */
  readonly done: { readonly record: JournalRecord; readonly before: Model }[]
  /** Commits that succeeded. */
  sequence: number
}

interface Command extends fc.AsyncCommand<Model, Real> {}

/** A change in the making: what it expects and brings is decided when it is known what is there. */
interface Wish {
  readonly kind: Change['kind']
  readonly path: string
  readonly to: string
  readonly body: number
  readonly mode: number | null
  readonly expect: 'right' | 'version' | 'stale' | 'absent' | 'directory' | 'wrong hash' | 'wrong link'
  readonly keep: 'default' | 'named' | 'none'
  readonly from: 'inline' | 'stage' | 'history' | 'nowhere'
}

const BODIES: readonly Uint8Array[] = [
  utf8(''),
  utf8('x'),
  utf8('two\nlines\n'),
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
  new Uint8Array(70_000).fill(0x61),
]

const name = fc.constantFrom('a', 'b', 'c', 'a.x')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom('write', 'write', 'write', 'makeDirectory', 'makeDirectory', 'move', 'remove', 'link'),
  path,
  to: path,
  body: fc.nat(BODIES.length - 1),
  mode: fc.constantFrom(null, null, 0o600, 0o755),
  expect: fc.constantFrom(
    'right',
    'right',
    'right',
    'right',
    'right',
    'version',
    'stale',
    'absent',
    'directory',
    'wrong hash',
    'wrong link',
  ),
  keep: fc.constantFrom('default', 'default', 'default', 'default', 'named', 'none'),
  from: fc.constantFrom('inline', 'inline', 'inline', 'stage', 'history', 'nowhere'),
})

/** Runs random commands. Throws what fast-check found, with the seed that replays it. */
export async function runCommands(subject: ConformanceSubject, { runs = 60, seed, path: replay }: CommandOptions): Promise<void> {
  const commands = fc.commands(
    [
      fc.array(wish, { minLength: 1, maxLength: 4 }).map(commitCommand),
      fc.array(wish, { minLength: 1, maxLength: 1 }).map(commitCommand),
      path.map(lookCommand),
      path.map(pinCommand),
      fc.constant(undoCommand()),
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

function lookCommand(place: string): Command {
  return {
    check: () => true,
    async run(model, { fs, seen }) {
      const node = modelStat(model, place)
      if (isFailure(node)) {
        for (const [what, look] of Object.entries({
          stat: () => fs.stat(at(place)),
          list: () => fs.list(at(place)),
          open: () => fs.open(at(place)),
          readLink: () => fs.readLink(at(place)),
        })) {
          await fails(look, node.code, `${what} of ${place}`)
        }
        return
      }
      const entry = await fs.stat(at(place))
      same([entry.kind, entry.target], [node.kind, node.kind === 'link' ? node.target : null], `stat of ${place}`)
      if (entry.version) seen.set(place, [...(seen.get(place) ?? []), entry.version])
      if (entry.version) model.versions.set(entry.version, node)
      if (node.kind === 'file') same(await readBytes(fs, place), node.bytes, `content of ${place}`)
      else await fails(() => fs.open(at(place)), node.kind === 'link' ? 'not_regular' : 'is_directory', `open of ${place}`)
      if (node.kind === 'directory') same(await listNames(fs, place), modelList(model, place), `list of ${place}`)
      else await fails(() => fs.list(at(place)), 'not_directory', `list of ${place}`)
      if (node.kind === 'link') same(await fs.readLink(at(place)), node.target, `readLink of ${place}`)
      else await fails(() => fs.readLink(at(place)), 'invalid_argument', `readLink of ${place}`)
    },
    toString: () => `look(${place})`,
  }
}

function pinCommand(place: string): Command {
  return {
    check: (model) => model.nodes.get(place)?.kind === 'file',
    async run(model, real) {
      const node = model.nodes.get(place)
      if (node?.kind === 'file') real.pins.push({ reader: await real.fs.open(at(place)), bytes: node.bytes })
    },
    toString: () => `pin(${place})`,
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
      for (const change of await changesOf(real.fs, record)) keepHash(real, change.before)
      model.nodes.clear()
      for (const [key, node] of last.before.nodes) model.nodes.set(key, node)
      await compare(model, real)
    },
    toString: () => 'undo',
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

/** Turns wishes into changes, each decided on the tree that the changes before it leave. */
async function decide(model: Model, real: Real, wishes: readonly Wish[]): Promise<Change[]> {
  const trial = copyModel(model)
  const changes: Change[] = []
  for (const item of wishes) {
    if (item.kind === 'link' && !real.fs.traits.symlinks) continue
    // Where such a move goes wrong first is left open; a fixed case has the plain one.
    if (item.kind === 'move' && `${item.to}/`.startsWith(`${item.path}/`)) continue
    const change = await decideOne(trial, real, item, changes.length === 0)
    changes.push(change)
    if (isFailure(modelCommit(trial, [change], real.fs.traits))) break
  }
  return changes
}

async function decideOne(model: Model, real: Real, item: Wish, first: boolean): Promise<Change> {
  const place = at(item.path)
  const mode = item.mode === null ? {} : { mode: item.mode }
  if (item.kind === 'makeDirectory') return { kind: 'makeDirectory', path: place, ...mode }
  const expect = await decideExpect(model, real, item, first)
  if (item.kind === 'move') return { kind: 'move', path: place, to: at(item.to), expect }
  const id = `20200101T000000000Z-${(real.kept.size + 1).toString(16).padStart(8, '0')}`
  const keep = item.keep === 'default' ? {} : { keep: item.keep === 'none' ? (false as const) : { id, label: 'named' } }
  if (item.kind === 'remove') return { kind: 'remove', path: place, expect, ...keep }
  if (item.kind === 'link') return { kind: 'link', path: place, target: `../t${item.body}`, expect, ...keep }
  return { kind: 'write', path: place, content: await decideContent(real, item), expect, ...mode, ...keep }
}

async function decideExpect(model: Model, real: Real, item: Wish, first: boolean): Promise<Expect> {
  const node = model.nodes.get(item.path)
  if (item.expect === 'absent' || item.expect === 'directory') return item.expect
  if (item.expect === 'wrong hash') return { hash: real.fs.hasher.hash(utf8('never stored')) }
  if (item.expect === 'wrong link') return { link: 'never stored' }
  if (first && item.expect === 'version' && node) {
    const { version } = await real.fs.stat(at(item.path))
    check(version !== null, `${item.path} has a version`)
    model.versions.set(version, node)
    return { version }
  }
  if (first && item.expect === 'stale') {
    const version = real.seen.get(item.path)?.find((seen) => !sameState(model.versions.get(seen), node))
    if (version) return { version }
  }
  if (!node) return 'absent'
  if (node.kind === 'directory') return 'directory'
  return node.kind === 'file' ? { hash: node.hash } : { link: node.target }
}

async function decideContent(real: Real, item: Wish): Promise<Content> {
  const { fs, kept } = real
  const bytes = item.from === 'nowhere' ? utf8('never stored') : (BODIES[item.body] as Uint8Array)
  const content = { hash: fs.hasher.hash(bytes), size: bytes.length }
  if (item.from === 'nowhere') return content
  if (item.from === 'stage') return { ...(await fs.stage(bytes)) }
  // A copy, emptied later, shows an adapter that goes on using the caller's array.
  return item.from === 'history' && kept.has(content.hash) ? content : { ...content, bytes: bytes.slice() }
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

function sameState(a: ModelNode | undefined, b: ModelNode | undefined): boolean {
  if (!a || !b || a.kind !== b.kind) return a === b
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  if (a.kind === 'file' && b.kind === 'file' && a.hash !== b.hash) return false
  return 'mode' in b && a.mode === b.mode
}

/** Looks at modes that the model could not know, so that they are known from then on. */
async function learnModes(model: Model, fs: FileSystem): Promise<void> {
  for (const [key, node] of [...model.nodes]) {
    if (key === '' || node.kind === 'link' || node.mode !== UNKNOWN_MODE) continue
    const { mode } = await fs.stat(at(key))
    if (mode !== null) model.nodes.set(key, { ...node, mode })
  }
}

/** Compares the whole tree, and the place in the journal. */
async function compare(model: Model, { fs, sequence }: Real): Promise<void> {
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
  return changes.map((change) => `${change.kind} ${change.path}${change.kind === 'move' ? ` to ${change.to}` : ''}`).join(', ')
}
