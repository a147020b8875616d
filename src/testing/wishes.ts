/** Random changes: what is wished for, and what that comes to on the tree as it is. */
import * as fc from 'fast-check'
import type { Change, Content, Expect, Version } from '../core/change.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import { isWithin, joinPath, type Path } from '../core/path.ts'
import { check } from './assert.ts'
import { copyModel, isFailure, type Model, type ModelNode, modelCommit, versionKey } from './model.ts'
import { at, utf8 } from './setup.ts'

/** A place in the tree: mostly one where the change at hand can succeed. */
export interface Spot {
  readonly where: 'fitting' | 'there' | 'new' | 'below' | 'anywhere'
  readonly pick: number
  readonly name: string
  readonly path: string
}

type ExpectWish = 'right' | 'version' | 'stale' | 'absent' | 'directory' | 'wrong hash' | 'wrong link'

/** A change in the making: where it is, and what it expects and brings, is decided when it is known what is there. */
export interface Wish {
  readonly kind: Change['kind']
  readonly spot: Spot
  /** Where a move goes, and where a copy comes from. */
  readonly to: Spot
  readonly body: number
  readonly mode: number | null
  readonly expect: ExpectWish
  /** What a copy expects of its source. */
  readonly source: ExpectWish
  readonly keep: 'default' | 'named' | 'none'
  readonly from: 'inline' | 'stage' | 'history' | 'nowhere'
}

/** What wishes are decided on, besides the model. */
export interface Known {
  readonly fs: FileSystem
  /** Versions that were read, by path. */
  readonly seen: ReadonlyMap<string, readonly Version[]>
  /** Contents that history holds. */
  readonly kept: ReadonlySet<Hash>
}

/** Contents that are written. */
export const BODIES: readonly Uint8Array[] = [
  utf8(''),
  utf8('x'),
  utf8('two\nlines\n'),
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
  new Uint8Array(70_000).fill(0x61),
]

/** Texts of links: some lead to what is there, some nowhere. */
const TARGETS: readonly string[] = ['a', '../b', '.', 'c/a', '../../nowhere']

/** One of the keys, as often as its weight says. */
function weighted<T extends string>(weights: { readonly [key in T]: number }): fc.Arbitrary<T> {
  const entries = Object.entries<number>(weights)
  return fc.oneof(...entries.map(([value, weight]) => ({ weight, arbitrary: fc.constant(value as T) })))
}

const name = fc.constantFrom('a', 'b', 'c', 'a.x')

export const spot: fc.Arbitrary<Spot> = fc.record({
  where: weighted<Spot['where']>({ fitting: 16, there: 1, new: 1, below: 2, anywhere: 1 }),
  pick: fc.nat(99),
  name,
  path: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
})

const expectWish = weighted<ExpectWish>({ right: 24, version: 4, stale: 2, absent: 1, directory: 1, 'wrong hash': 1, 'wrong link': 1 })

export const wish: fc.Arbitrary<Wish> = fc.record({
  kind: weighted<Wish['kind']>({ write: 6, makeDirectory: 4, move: 3, remove: 2, link: 1, copy: 3, snapshot: 1 }),
  spot,
  to: spot,
  body: fc.nat(BODIES.length - 1),
  mode: fc.constantFrom(null, null, 0o600, 0o755),
  expect: expectWish,
  source: expectWish,
  keep: weighted<Wish['keep']>({ default: 16, named: 3, none: 1 }),
  from: weighted<Wish['from']>({ inline: 16, stage: 4, history: 4, nowhere: 1 }),
})

/** Turns wishes into changes, each decided on the tree that the changes before it leave. */
export async function decide(model: Model, known: Known, wishes: readonly Wish[]): Promise<Change[]> {
  const trial = copyModel(model)
  const changes: Change[] = []
  for (const item of wishes) {
    const change = await decideOne(trial, known, item, changes.length === 0)
    if (change.kind === 'link' && !known.fs.traits.symlinks) continue
    // Where such a move goes wrong first is left open; a fixed case has the plain one.
    if (change.kind === 'move' && isWithin(change.to, change.path)) continue
    changes.push(change)
    if (isFailure(modelCommit(trial, [change], known.fs.traits))) break
  }
  return changes
}

async function decideOne(model: Model, known: Known, item: Wish, first: boolean): Promise<Change> {
  const { kind } = item
  const creates = kind === 'makeDirectory' || ((kind === 'write' || kind === 'link' || kind === 'copy') && item.spot.pick % 3 > 0)
  const path = placeOf(model, item.spot, creates ? 'new' : 'there')
  const mode = item.mode === null ? {} : { mode: item.mode }
  // Into a directory that nobody may enter, some storages let nobody.
  if (kind === 'makeDirectory') return { kind, path, ...(item.mode === null ? {} : { mode: item.mode | 0o100 }) }
  const expect = await decideExpect(model, known, item.expect, path, first)
  if (kind === 'move') return { kind, path, to: placeOf(model, item.to, 'new'), expect }
  const id = `20200101T000000000Z-${(known.kept.size + 1).toString(16).padStart(8, '0')}`
  const keep = item.keep === 'default' ? {} : { keep: item.keep === 'none' ? (false as const) : { id, label: 'named' } }
  if (kind === 'snapshot') return { kind, path, expect, keep: { id } }
  if (kind === 'remove') return { kind, path, expect, ...keep }
  if (kind === 'link') return { kind, path, target: TARGETS[item.body] ?? '.', expect, ...keep }
  if (kind === 'copy') {
    const from = placeOf(model, item.to, 'file')
    return { kind, path, from, source: await decideExpect(model, known, item.source, from, first), expect, ...mode, ...keep }
  }
  return { kind, path, content: await decideContent(known, item), expect, ...mode, ...keep }
}

/** The path that a spot means on this tree: something that is there, a name in a directory, a name below anything, or any path. */
export function placeOf(model: Model, { where, pick, name, path }: Spot, fitting: 'there' | 'new' | 'file'): Path {
  const what = where === 'fitting' ? fitting : where
  if (what === 'anywhere') return at(path)
  const fits = ([key, { kind }]: [string, ModelNode]): boolean => {
    if (what === 'new') return kind === 'directory'
    return what === 'file' ? kind === 'file' : key !== ''
  }
  const paths = [...model.nodes]
    .filter(fits)
    .map(([key]) => key)
    .sort()
  const chosen = paths[pick % Math.max(1, paths.length)]
  if (what === 'there' || what === 'file') return at(chosen ?? name)
  return joinPath(at(chosen ?? ''), name)
}

async function decideExpect(model: Model, known: Known, expect: ExpectWish, path: Path, first: boolean): Promise<Expect> {
  const node = model.nodes.get(path)
  if (expect === 'absent' || expect === 'directory') return expect
  if (expect === 'wrong hash') return { hash: known.fs.hasher.hash(utf8('never stored')) }
  if (expect === 'wrong link') return { link: 'never stored' }
  if (first && expect === 'version' && node) {
    const { version } = await known.fs.stat(path)
    check(version !== null, `${path} has a version`)
    model.versions.set(versionKey(path, version), node)
    return { version }
  }
  if (first && expect === 'stale') {
    const version = known.seen.get(path)?.find((seen) => !sameState(model.versions.get(versionKey(path, seen)), node))
    if (version) return { version }
  }
  if (!node) return 'absent'
  if (node.kind === 'directory') return 'directory'
  return node.kind === 'file' ? { hash: node.hash } : { link: node.target }
}

async function decideContent(known: Known, item: Wish): Promise<Content> {
  const { fs, kept } = known
  const bytes = item.from === 'nowhere' ? utf8('never stored') : (BODIES[item.body] as Uint8Array).slice()
  const content = { hash: fs.hasher.hash(bytes), size: bytes.length }
  if (item.from === 'nowhere' || (item.from === 'history' && kept.has(content.hash))) return content
  if (item.from !== 'stage') return { ...content, bytes }
  await fs.stage(bytes)
  bytes.fill(0)
  return content
}

/** Empties the arrays that changes brought, so that an adapter which goes on using them is found out. */
export function spoil(changes: readonly Change[]): void {
  for (const change of changes) if (change.kind === 'write') change.content.bytes?.fill(0)
}

function sameState(a: ModelNode | undefined, b: ModelNode | undefined): boolean {
  if (!a || !b || a.kind !== b.kind) return a === b
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  if (a.kind === 'file' && b.kind === 'file' && a.hash !== b.hash) return false
  return 'mode' in b && a.mode === b.mode
}
