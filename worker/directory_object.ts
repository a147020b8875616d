/** The index of workspaces, and the one-time tokens that were used: one Durable Object for the whole server. */
import { DurableObject } from 'cloudflare:workers'
import type { WorkspaceEntry } from '../src/http/routes.ts'

/** Most workspaces of one server. */
const MOST_WORKSPACES = 10_000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS workspaces (id TEXT PRIMARY KEY, name TEXT NOT NULL, profile TEXT NOT NULL, created_ms INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS claims (id TEXT PRIMARY KEY) WITHOUT ROWID;
`

/** Answers are values, not errors: an error that crosses objects loses its code. */
export class DirectoryObject extends DurableObject {
  readonly #sql: SqlStorage

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.#sql = ctx.storage.sql
    this.#sql.exec(SCHEMA)
  }

  /** Oldest first. */
  list(): WorkspaceEntry[] {
    return this.#entries('SELECT id, name, profile, created_ms FROM workspaces ORDER BY created_ms, id')
  }

  /** Null when there is none. */
  get(id: string): WorkspaceEntry | null {
    return this.#entries('SELECT id, name, profile, created_ms FROM workspaces WHERE id = ?', id)[0] ?? null
  }

  /** False when there are too many. */
  add({ id, name, profile, createdMs }: WorkspaceEntry): boolean {
    const { count } = this.#sql.exec<{ count: number }>('SELECT count(*) AS count FROM workspaces').one()
    if (count >= MOST_WORKSPACES) return false
    this.#sql.exec('INSERT INTO workspaces (id, name, profile, created_ms) VALUES (?, ?, ?, ?)', id, name, profile, createdMs)
    return true
  }

  /** Null when there is none. */
  rename(id: string, name: string): WorkspaceEntry | null {
    this.#sql.exec('UPDATE workspaces SET name = ? WHERE id = ?', name, id)
    return this.get(id)
  }

  remove(id: string): void {
    this.#sql.exec('DELETE FROM workspaces WHERE id = ?', id)
  }

  /** Notes that a one-time token was used; false when it was used before. */
  claim(id: string): boolean {
    return this.#sql.exec('INSERT INTO claims (id) VALUES (?) ON CONFLICT DO NOTHING', id).rowsWritten > 0
  }

  #entries(query: string, ...values: string[]): WorkspaceEntry[] {
    const rows = this.#sql.exec<{ id: string; name: string; profile: string; created_ms: number }>(query, ...values)
    return [...rows].map(({ created_ms: createdMs, ...entry }) => ({ ...entry, createdMs }))
  }
}
