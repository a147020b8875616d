/** Does one act on a workspace on disk, and dies at a given change of the disk: `node crash_child.ts DIR ACT CHANGE`. */
import { openNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { ACTS } from './crash_acts.ts'
import { dieAt } from './dying_disk.ts'
import type { GitWorkspace } from './place.ts'

const [dir, name, change] = process.argv.slice(2) as [string, string, string]
const act = ACTS[name]
if (!act) throw new Error(`There is no act ${name}.`)
const fs = await createGitFs({ git: await openNodeGitDirectory(dir, { durability: 'process' }) })
const disk = dieAt(change === 'never' ? null : Number(change))
await act(fs as GitWorkspace)
console.log(disk.count())
