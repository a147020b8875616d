/** Batches that nobody thought of, interrupted at every operation. `FILEWRIGHT_CRASH_BATCHES=500` for a long run. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Change } from '../../../src/core/change.ts'
import { isFilewrightError } from '../../../src/core/errors.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { backUp, copy, hashOf, link, makeDirectory, move, plant, remove, write } from '../../../src/testing/setup.ts'
import { careful, onFolder, reopened, runWithFault, type States, statesOf } from './crash_points.ts'
import type { FaultMode } from './fault_sys.ts'
import { type Scenario, snapshot } from './scenarios.ts'

const BATCHES = Number(process.env.FILEWRIGHT_CRASH_BATCHES ?? 12)
const TREE = { a: 'a', b: 'b', d: null, 'd/a': 'da', 'd/b': 'db', 'd/e': null, l: { link: 'a' } } as const
const PATHS = ['a', 'b', 'c', 'd', 'd/a', 'd/b', 'd/c', 'd/e', 'd/e/a', 'e', 'e/a', 'l']
/** Contents that are met again, so that batches make what they remove, and the other way round. */
const BODIES = ['a', 'b', 'da', 'db', 'new']

type Wish = readonly [kind: Change['kind'], path: string, other: string, body: string, keep: boolean]

const wish: fc.Arbitrary<Wish> = fc.tuple(
  fc.constantFrom('write', 'remove', 'move', 'makeDirectory', 'link', 'copy', 'snapshot'),
  fc.constantFrom(...PATHS),
  fc.constantFrom(...PATHS),
  fc.constantFrom(...BODIES),
  fc.boolean(),
)

const mode = fc.constantFrom<FaultMode>('dead-before', 'dead-after', 'EIO')

/** What a path holds, as far as wishes are concerned: enough to make most batches possible. */
function changesOf(fs: FileSystem, wishes: readonly Wish[]): Change[] {
  const state = new Map<string, string | null | { link: string }>(Object.entries(TREE))
  const changes: Change[] = []
  for (const [kind, path, other, body, keep] of wishes) {
    const here = state.get(path)
    const expect = here === undefined ? 'absent' : here === null ? 'directory' : typeof here === 'string' ? hashOf(fs, here) : here
    const kept = keep ? {} : { keep: false as const }
    const parentOf = (of: string): string => of.slice(0, Math.max(0, of.lastIndexOf('/')))
    const hasParent = (of: string): boolean => parentOf(of) === '' || state.get(parentOf(of)) === null
    const below = [...state.keys()].filter((one) => one.startsWith(`${path}/`))
    if (!hasParent(path)) continue
    if (kind === 'write' && here !== null) {
      changes.push({ ...write(fs, path, body, expect), ...kept })
      state.set(path, body)
    } else if (kind === 'link' && here !== null) {
      changes.push({ ...link(path, body, expect), ...kept })
      state.set(path, { link: body })
    } else if (kind === 'copy' && typeof state.get(other) === 'string' && other !== path && here !== null) {
      const source = state.get(other) as string
      changes.push({ ...copy(other, path, hashOf(fs, source), expect), ...kept })
      state.set(path, source)
    } else if (kind === 'snapshot' && here !== undefined && here !== null) {
      changes.push(backUp(path, expect))
    } else if (kind === 'makeDirectory' && here === undefined) {
      changes.push(makeDirectory(path))
      state.set(path, null)
    } else if (kind === 'remove' && here !== undefined && below.length === 0) {
      changes.push({ ...remove(path, expect), ...kept } as Change)
      state.delete(path)
    } else if (kind === 'move' && here !== undefined && !state.has(other) && hasParent(other) && !other.startsWith(`${path}/`)) {
      changes.push(move(path, other, expect))
      for (const one of [path, ...below]) {
        state.set(other + one.slice(path.length), state.get(one) as never)
        state.delete(one)
      }
    }
  }
  return changes
}

it('any batch is old or new when the process dies or the disk fails at any operation', { timeout: 60_000 + BATCHES * 10_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 4, maxLength: 16 }), mode, async (wishes, fault) => {
      const scenario: Scenario = {
        name: 'random',
        prepare: async (fs) => void (await plant(fs, TREE)),
        changes: (fs) => changesOf(fs, wishes),
      }
      let states: States
      try {
        states = await statesOf(careful, scenario)
      } catch (error) {
        // A batch that is refused is no batch.
        if (isFilewrightError(error)) return fc.pre(false)
        throw error
      }
      for (let at = 1; at <= states.operations; at++) {
        await onFolder(scenario, async (root) => {
          const failure = await runWithFault(careful, scenario, root, fault, at)
          if (fault === 'EIO' && failure) expect({ at, unchanged: snapshot(root) === states.before }).toEqual({ at, unchanged: true })
          const found = await reopened(root, states)
          // A batch that comes back to where it began is old and new at once.
          const same = states.before === states.after
          expect({ at, torn: found.outcome === 'TORN', problems: found.problems }).toEqual({ at, torn: false, problems: [] })
          if (!same) expect({ at, recorded: found.recorded }).toEqual({ at, recorded: found.outcome === 'NEW' })
          if (!failure) expect({ at, recorded: found.recorded }).toEqual({ at, recorded: true })
        })
      }
    }),
    { numRuns: BATCHES },
  )
})
