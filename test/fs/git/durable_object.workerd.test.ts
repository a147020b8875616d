/** The git adapter on a repository inside a real Durable Object. Between closing and opening, the object is evicted. */
import { describe, it } from 'vitest'
import { createSqliteGitFiles } from '../../../src/fs/git/sqlite_files.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { durableObjectSql } from '../../../src/fs/sqlite/durable_object.ts'
import { initGitDirectory } from '../../../src/git/open.ts'
import { registerConformance } from '../../../src/testing/conformance.ts'
import { newObject } from '../sqlite/durable_object.workerd.ts'

registerConformance(
  {
    name: 'git in a Durable Object',
    persistent: true,
    create: () =>
      newObject(async (storage) => createGitFs({ git: await initGitDirectory(createSqliteGitFiles(durableObjectSql(storage))) })),
  },
  { describe, it },
  { runs: 10, files: 300, commits: 50, changes: 1000 },
)
