/** The memfs adapter: the conformance suite on a volume of memfs and on Node's own `fs`. */
import * as nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFsFromVolume, Volume } from 'memfs'
import { describe, it } from 'vitest'
import { createMemfsFs } from '../../src/fs/memfs.ts'
import { registerConformance } from '../../src/testing/index.ts'

// `CONFORMANCE_RUNS=20000` makes a long run of random commands.
const runs = Number(process.env.CONFORMANCE_RUNS) || 60

registerConformance(
  { name: 'memfs', persistent: false, create: () => ({ open: () => createMemfsFs(createFsFromVolume(new Volume())) }) },
  { describe, it },
  { runs },
)

registerConformance(
  {
    name: 'memfs on node:fs',
    persistent: false,
    create() {
      const root = nodeFs.mkdtempSync(join(tmpdir(), 'filewright-memfs-'))
      return { open: () => createMemfsFs(nodeFs, { root }), remove: () => nodeFs.rmSync(root, { recursive: true, force: true }) }
    },
  },
  { describe, it },
  { runs: Math.min(runs, 1000) },
)
