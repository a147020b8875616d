/** The storages of a git directory on Node: memory, a folder, SQLite in memory and in a file. */
import { join } from 'node:path'
import { openNodeGitFiles } from '../../src/fs/git/node_files.ts'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { openNodeSql } from '../../src/fs/sqlite/node_sqlite.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { registerFiles } from './files_suite.ts'
import { tempDir } from './real_git.ts'

registerFiles({ name: 'memory', run: (body) => body(createMemoryGitFiles()) })

for (const durability of ['power', 'process'] as const) {
  registerFiles({
    name: `a folder, ${durability}`,
    async run(body) {
      const { dir, remove } = tempDir()
      const open = () => openNodeGitFiles(dir, { create: 'bare', durability })
      try {
        await body(open(), open)
      } finally {
        remove()
      }
    },
  })
}

for (const isShared of [false, true]) {
  registerFiles({
    name: isShared ? 'SQLite in a file, several connections' : 'SQLite in memory',
    async run(body) {
      const { dir, remove } = tempDir()
      const opened = [openNodeSql(isShared ? join(dir, 'db') : ':memory:')]
      const again = () => {
        if (isShared) opened.push(openNodeSql(join(dir, 'db')))
        return createSqliteGitFiles(opened.at(-1) as (typeof opened)[0])
      }
      try {
        await body(createSqliteGitFiles(opened[0] as (typeof opened)[0]), again)
      } finally {
        for (const sql of opened) sql.close()
        remove()
      }
    },
  })
}
