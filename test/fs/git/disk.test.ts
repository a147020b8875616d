/** The git adapter on a folder: the conformance suite, where git itself finds nothing wrong with what every case leaves behind. */
import { describe, it } from 'vitest'
import { initNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { registerConformance } from '../../../src/testing/conformance.ts'
import { fsck, tempDir } from '../../git/real_git.ts'

// What a write survives is the same code with one call more: `CONFORMANCE_DURABILITY=power` waits for the disk.
const durability = process.env.CONFORMANCE_DURABILITY === 'power' ? 'power' : 'process'

registerConformance(
  {
    name: 'git on disk',
    persistent: true,
    create() {
      const { dir, remove } = tempDir()
      return {
        open: async () => createGitFs({ git: await initNodeGitDirectory(dir, { durability }) }),
        remove() {
          try {
            fsck(dir)
          } finally {
            remove()
          }
        },
      }
    },
  },
  { describe, it },
)
