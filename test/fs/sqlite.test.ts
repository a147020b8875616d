/** The sqlite adapter on database files of Node's own SQLite. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { openNodeSqliteFs } from '../../src/fs/sqlite/node_sqlite.ts'
import { registerConformance } from '../../src/testing/conformance.ts'

registerConformance(
  {
    name: 'sqlite',
    persistent: true,
    create() {
      const dir = mkdtempSync(join(tmpdir(), 'filewright-'))
      return { open: () => openNodeSqliteFs(join(dir, 'workspace.db')), remove: () => rmSync(dir, { recursive: true }) }
    },
  },
  { describe, it },
)
