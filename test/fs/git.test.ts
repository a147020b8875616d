/** The git adapter on repositories in memory and in SQLite: the conformance suite, and what it says of itself. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { createGitFs } from '../../src/fs/git.ts'
import { openNodeSql } from '../../src/fs/sqlite/node_sqlite.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { initGitDirectory } from '../../src/git/open.ts'
import { registerConformance } from '../../src/testing/conformance.ts'

// `CONFORMANCE_RUNS=20000` makes a long run of random commands.
const runs = Number(process.env.CONFORMANCE_RUNS) || 60

registerConformance(
  {
    name: 'git',
    persistent: false,
    create: () => ({ open: async () => createGitFs({ git: await initGitDirectory(createMemoryGitFiles()) }) }),
  },
  { describe, it },
  { runs },
)

registerConformance(
  {
    name: 'git in SQLite',
    persistent: true,
    create() {
      const dir = mkdtempSync(join(tmpdir(), 'filewright-'))
      return {
        async open() {
          const files = createSqliteGitFiles(openNodeSql(join(dir, 'repository.db')))
          return createGitFs({ git: await initGitDirectory(files) })
        },
        remove: () => rmSync(dir, { recursive: true }),
      }
    },
  },
  { describe, it },
)

it('says what it is', async () => {
  const fs = await createGitFs({ git: await initGitDirectory(createMemoryGitFiles()) })
  const { limits, ...traits } = fs.traits
  expect(traits).toEqual({
    adapter: 'git',
    root: '',
    aliases: [],
    symlinks: true,
    modes: 'posix',
    caseSensitive: true,
    confinement: 'virtual',
    durability: 'memory',
    atomic: true,
    shared: false,
  })
  expect(limits).toMatchObject({ fileBytes: 2 ** 30, textBytes: 2 ** 26, inlineBytes: 2 ** 20, changes: 100_000 })
})
