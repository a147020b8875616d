/** Node's own SQLite, loaded when it is needed. */

/** Loads it. Node 22 warns on standard error that its SQLite may change, which tells the users of this command nothing. */
export async function loadNodeSqlite(): Promise<typeof import('../fs/sqlite/node_sqlite.ts')> {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emitWarning, process, [warning, ...rest])
  }
  return import('../fs/sqlite/node_sqlite.ts').finally(() => {
    process.emitWarning = emitWarning
  })
}
