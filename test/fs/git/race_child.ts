/** One of several processes that use a workspace: `node race_child.ts DIR NAME COUNT` writes files of its own and counts up in one that all share. */

import { isFilewrightError } from '../../../src/core/errors.ts'
import { openNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { at, commit, draft, hashOf, readText, write } from '../../../src/testing/setup.ts'
import { ADA, type GitWorkspace } from './place.ts'

const [dir, name, count] = process.argv.slice(2) as [string, string, string]
const fs = (await createGitFs({ git: await openNodeGitDirectory(dir, { durability: 'process', lockWaitMs: 20_000 }) })) as GitWorkspace

/** Tries again when another process was faster. */
async function insist<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action()
    } catch (error) {
      if (!isFilewrightError(error, 'conflict')) throw error
    }
  }
}

for (let turn = 0; turn < Number(count); turn++) {
  await commit(fs, write(fs, `${name} ${turn}`, `${turn}`))
  await insist(async () => {
    const { version } = await fs.stat(at('counter'))
    const value = await readText(fs, 'counter')
    if (version === null) throw new Error('A file has a version.')
    await commit(fs, write(fs, 'counter', `${Number(value) + 1}`, { version }))
  })
  await insist(async () => {
    const note = (await fs.notes.list('count/'))[0]?.value ?? null
    if (!(await fs.notes.swap('count/all', note, `${Number(note ?? 0) + 1}`)))
      throw Object.assign(new Error(), { name: 'FilewrightError', code: 'conflict' })
  })
  if (turn % 3 === 2) await insist(() => fs.repository.makeCommit({ message: `${name} ${turn}`, author: ADA, allowEmpty: true }, draft()))
}
console.log(hashOf(fs, name).hash)
await fs.close()
