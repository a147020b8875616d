/** Commits without end on a disk that is about to lose its power, and says what was acknowledged: `ROOT DURABILITY`. */
import { writeSync } from 'node:fs'
import { openNodeFs } from '../../../src/fs/node.ts'
import { commit, draft, hashOf, write } from '../../../src/testing/setup.ts'

const [, , root, durability] = process.argv as [string, string, string, 'power' | 'process']
const fs = await openNodeFs({ root, durability })
const body = (turn: number): string => `${turn}`.padStart(8, '0').repeat(8192)
await commit(fs, write(fs, 'a', body(0)), write(fs, 'b', body(0)))
for (let turn = 1; ; turn++) {
  // Two files that must always be equal, a new one each time, and one that goes.
  const changes = [
    write(fs, 'a', body(turn), hashOf(fs, body(turn - 1))),
    write(fs, 'b', body(turn), hashOf(fs, body(turn - 1))),
    write(fs, `n${turn}`, `${turn}`),
  ]
  await fs.commit(changes, draft({ id: `turn${turn}` }))
  writeSync(1, `${turn}\n`)
}
