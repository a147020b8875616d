/** Another process of the lock tests: `count ROOT N` adds to a counter N times; `hold ROOT` commits once and then hangs. */
import { writeSync } from 'node:fs'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { commit, hashOf, readText, write } from '../../../src/testing/setup.ts'

const [, , role, root, times] = process.argv
const fs = await openNodeFs({ root: root as string, durability: 'process' })
if (role === 'count') {
  for (let done = 0; done < Number(times); ) {
    const text = await readText(fs, 'counter')
    try {
      await commit(fs, write(fs, 'counter', String(Number(text) + 1), hashOf(fs, text)))
      done++
    } catch (error) {
      if (!isFilewrightError(error, 'conflict')) throw error
    }
  }
  await fs.close()
} else {
  await commit(fs, write(fs, 'held', 'held'))
  writeSync(1, 'held\n')
  // Neither lets go nor answers.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
