/** What a batch tells that it changed, against the trees before and after it (contract P-157, P-158). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { parentOf } from '../../src/core/path.ts'
import { OPERATIONS } from '../../src/tools/operations.ts'
import type { WorkspaceDelta } from '../../src/tools/workspace_delta.ts'
import { type Fixture, workspaceWith } from './setup.ts'

const FILES = { a: 'A', b: 'B', 'd/x': 'X', 'd/y': 'Y' }

async function fixtureWith(): Promise<Fixture> {
  const trustPolicy = { version: 1, rules: [{ operations: Object.keys(OPERATIONS), paths: ['**'] }] } as const
  return workspaceWith(FILES, { settings: { approval: 'trusted', trustPolicy } })
}

async function batch({ call }: Fixture, operations: readonly object[]) {
  const config = { operations, atomic: false, stop_on_error: false }
  const { result } = await call('file_ops_hub', { operation: 'batch_file_ops', config })
  return result as unknown as {
    readonly result: { readonly results: readonly { readonly ok: boolean; readonly path: string; readonly result?: object }[] }
    readonly workspace_delta?: WorkspaceDelta
    readonly mutation_receipts?: readonly { readonly self_verified: boolean; readonly moved: boolean }[]
  }
}

const create = (path: string, content = 'new') => ({ operation: 'create_file', path, config: { content } })
const move = (path: string, destination_path: string) => ({ operation: 'move_file', path, config: { destination_path, overwrite: true } })
const copy = (path: string, destination_path: string) => ({ ...move(path, destination_path), operation: 'copy_file' })
const remove = (path: string) => ({ operation: 'delete_file', path })
const write = (path: string, content: string) => ({ operation: 'write_file', path, config: { content, force_overwrite: true } })

describe('the net change', () => {
  const none: WorkspaceDelta = { created: [], modified: [], deleted: [], moved: [] }
  const rows: readonly [string, readonly object[], Partial<WorkspaceDelta>][] = [
    ['a file made where another one was moved away', [move('a', 'c'), create('a')], { created: ['a'], moved: [{ from: 'a', to: 'c' }] }],
    ['what is moved and then deleted is gone from where it was', [move('a', 'c'), remove('c')], { deleted: ['a'] }],
    ['what a move replaces, and does not stay on', [move('a', 'b'), move('b', 'c')], { deleted: ['b'], moved: [{ from: 'a', to: 'c' }] }],
    ['what a move replaces', [move('a', 'b')], { modified: ['b'], moved: [{ from: 'a', to: 'b' }] }],
    ['a new directory that is moved takes along what is new in it', [create('n/x'), move('n', 'm')], { created: ['m/x', 'm'] }],
    [
      'a change below a directory that is moved later',
      [write('d/x', 'Z'), move('d', 'e')],
      { modified: ['e/x'], moved: [{ from: 'd', to: 'e' }] },
    ],
    [
      'a change below a directory that was moved',
      [move('d', 'e'), write('e/x', 'Z')],
      { modified: ['e/x'], moved: [{ from: 'd', to: 'e' }] },
    ],
    [
      'what is taken out of a directory that was moved',
      [move('d', 'e'), move('e/x', 'x'), remove('e/y')],
      {
        deleted: ['d/y'],
        moved: [
          { from: 'd', to: 'e' },
          { from: 'd/x', to: 'x' },
        ],
      },
    ],
    ['there and back', [move('a', 'c'), move('c', 'a')], {}],
  ]
  it.each(rows)('%s', async (_, operations, delta) => {
    const answer = await batch(await fixtureWith(), operations)
    expect(answer.workspace_delta).toEqual({ ...none, ...delta })
  })
})

describe('receipts', () => {
  const rows: readonly [string, readonly object[]][] = [
    ['a file made where another one was moved away', [move('a', 'c'), create('a')]],
    ['a new file that a copy replaces', [create('q'), copy('a', 'q')]],
    ['a new file that a move replaces', [create('q'), move('a', 'q')]],
  ]
  it.each(rows)('are verified by what the last change left: %s', async (_, operations) => {
    const { result, mutation_receipts: receipts } = await batch(await fixtureWith(), operations)
    expect(receipts).toMatchObject(operations.map(() => ({ self_verified: true })))
    expect(result.results.map(({ path }) => path)).toEqual(operations.map((one) => (one as { path: string }).path))
  })
})

const path = fc.constantFrom('a', 'b', 'c', 'd', 'd/x', 'd/y', 'e', 'e/x', 'n/z')
const operation = fc.oneof(
  fc.tuple(path, fc.constantFrom('1', '2')).map(([at, content]) => write(at, content)),
  fc.tuple(path, path).map(([from, to]) => move(from, to)),
  fc.tuple(path, path).map(([from, to]) => copy(from, to)),
  path.map(remove),
)

/** Every path, with the text of a file. */
async function treeOf({ paths, read }: Fixture): Promise<ReadonlyMap<string, string | null>> {
  const tree = new Map<string, string | null>()
  for (const at of await paths()) tree.set(at, await read(at).catch(() => null))
  return tree
}

/** Where a path was before, as the delta tells it; null for what is new. */
function originOf({ created, moved }: WorkspaceDelta, at: string): string | null {
  if (created.includes(at)) return null
  for (let above = at; above !== ''; above = parentOf(above as Path)) {
    const from = moved.find(({ to }) => to === above)?.from
    if (from !== undefined) return from + at.slice(above.length)
  }
  return at
}

it('whatever a batch does, its delta leads from the tree before to the tree after, and all of it is verified', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
      const fixture = await fixtureWith()
      const before = await treeOf(fixture)
      const { workspace_delta: delta = { created: [], modified: [], deleted: [], moved: [] }, mutation_receipts: receipts = [] } =
        await batch(fixture, operations)
      const after = await treeOf(fixture)
      expect(receipts.every(({ self_verified }) => self_verified)).toBe(true)
      const origins = new Map([...after.keys()].map((at) => [at, originOf(delta, at)]))
      const kept = new Set(origins.values())
      for (const [at, text] of after) {
        const origin = origins.get(at) ?? null
        const cameHere = delta.moved.some(({ to }) => to === at)
        const replaced = cameHere && before.has(at) && !kept.has(at) && before.get(at) !== text
        // What is new stands where nothing was, or where something was moved away.
        if (origin === null) expect([at, before.has(at) && !kept.has(at)]).toEqual([at, false])
        else {
          const differs = before.get(origin) !== text || replaced
          expect([at, before.has(origin) || before.has(at), delta.modified.includes(at)]).toEqual([at, true, differs])
        }
      }
      const lost = [...before.keys()].filter((at) => !kept.has(at) && !after.has(at))
      expect([...delta.deleted].sort()).toEqual(lost.sort())
    }),
    { numRuns: Number(process.env.FILEWRIGHT_DELTA_RUNS ?? 100) },
  )
})
