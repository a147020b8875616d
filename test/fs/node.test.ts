/** The node adapter against the conformance suite: on directory handles, and on checked paths as where there are none. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { nodeSys } from '../../src/fs/node/syscalls.ts'
import { type NodeFsOptions, openNodeFsOn } from '../../src/fs/node.ts'
import { type ConformanceSubject, registerConformance } from '../../src/testing/index.ts'

function subject(name: string, options: Omit<NodeFsOptions, 'root'>, platform: NodeJS.Platform = process.platform): ConformanceSubject {
  return {
    name,
    persistent: true,
    create() {
      const root = mkdtempSync(join(tmpdir(), 'filewright-'))
      return {
        open: () => openNodeFsOn(nodeSys, { root, ...options }, platform),
        remove: () => rmSync(root, { recursive: true, force: true }),
      }
    },
  }
}

registerConformance(subject('node', { durability: 'process' }), { describe, it })

registerConformance(
  subject('node without handles', { durability: 'process' }, 'freebsd'),
  { describe, it },
  {
    ledger: [
      {
        adapter: 'node without handles',
        case: 'names: the longest name, the deepest path, the longest path',
        failure: 'too long for the file system',
        reason: 'Without handles a path is handed to the system whole, with that of the root before it.',
      },
    ],
  },
)
