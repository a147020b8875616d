/** Going back to any record of a random past gives the tree of then, on every storage; taken back, the tree of now. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../../../src/workspace/open.ts'
import { commitWishes, wishes } from '../random_changes.ts'
import { STORAGES, treeOf } from '../storages.ts'

const RUNS = Number(process.env.PAST_RUNS ?? 40)

describe.each(STORAGES)('on %s', (name, open) => {
  it('the tree of any record comes back, and goes again', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(wishes, fc.nat(), async (groups, pick) => {
        const fs = await open()
        const workspace = await openWorkspace({ profile: 'fileops', fs })
        const trees: { [path: string]: string | null }[] = []
        for (const group of groups) {
          for (const wish of group) if (await commitWishes(fs, [wish])) trees.push(await treeOf(fs))
        }
        fc.pre(trees.length > 0)
        const which = 1 + (pick % trees.length)
        const { record } = await workspace.revertTo(which)
        expect(await treeOf(fs)).toEqual(trees[which - 1])
        if (record) {
          await workspace.undo('last')
          expect(await treeOf(fs)).toEqual(trees.at(-1))
        }
        await workspace.verify()
        await workspace.close()
      }),
      { numRuns: name === 'memory' ? 5 * RUNS : RUNS },
    )
  })
})
