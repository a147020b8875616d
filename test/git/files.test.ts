/** The storages of a git directory on Node: memory, a folder, SQLite in memory and in a file. */
import { join } from 'node:path'
import { openNodeGitFiles } from '../../src/fs/git/node_files.ts'
import { createSqliteGitFiles } from '../../src/fs/git/sqlite_files.ts'
import { openNodeSql } from '../../src/fs/sqlite/node_sqlite.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { registerFiles } from './files_suite.ts'
import { tempDir } from './real_git.ts'

registerFiles({ name: 'memory', create: async () => ({ files: createMemoryGitFiles() }) })

for (const durability of ['power', 'process'] as const) {
  registerFiles({
    name: `a folder, ${durability}`,
    async create() {
      const { dir, remove } = tempDir()
      const files = openNodeGitFiles(dir, { create: 'bare', durability })
      return { files, again: () => openNodeGitFiles(dir, { create: 'bare', durability }), remove }
    },
  })
}

registerFiles({
  name: 'SQLite in memory',
  async create() {
    const sql = openNodeSql(':memory:')
    return { files: createSqliteGitFiles(sql), again: () => createSqliteGitFiles(sql), remove: () => sql.close() }
  },
})

registerFiles({
  name: 'SQLite in a file, two connections',
  async create() {
    const { dir, remove } = tempDir()
    const opened = [openNodeSql(join(dir, 'db'))]
    const files = createSqliteGitFiles(opened[0] as (typeof opened)[0])
    return {
      files,
      again() {
        const sql = openNodeSql(join(dir, 'db'))
        opened.push(sql)
        return createSqliteGitFiles(sql)
      },
      remove() {
        for (const sql of opened) sql.close()
        remove()
      },
    }
  },
})
