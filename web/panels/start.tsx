/** The first screen: the server's workspaces, and the tab's own memory. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { WorkspaceEntry } from '../../src/http/routes.ts'
import type { Client, WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'

/** What {@link Start} needs. */
export interface StartProps {
  readonly server: Client | null
  readonly problem: string | null
  readonly openServerWorkspace: (workspace: WorkspaceClient) => void
  readonly openTabWorkspace: () => Promise<void>
}

/** Choose or make a workspace. */
export function Start({ server, problem, openServerWorkspace, openTabWorkspace }: StartProps): VNode {
  const [entries, setEntries] = useState<readonly WorkspaceEntry[] | null>(null)
  const [name, setName] = useState('')
  const [error, setError] = useState(problem)
  const attempt = (work: () => Promise<void>): void => void work().catch((cause) => setError(messageOf(cause)))
  const refresh = (): void => {
    if (server) attempt(async () => setEntries(await server.list()))
  }
  useEffect(refresh, [server])

  const create = (event: Event): void => {
    event.preventDefault()
    if (!server) return
    attempt(async () => openServerWorkspace(server.open(await server.create(name.trim() || 'Workspace'))))
  }
  const remove = (entry: WorkspaceEntry): void => {
    if (!server || !confirm(`Delete “${entry.name}” with its files and history, for good?`)) return
    attempt(async () => {
      await server.remove(entry.id)
      refresh()
    })
  }

  return (
    <main class="start">
      <header>
        <h1>Filewright</h1>
        <p>File tools for agents that prove what they changed, and can undo it.</p>
      </header>
      {error !== null && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <section aria-labelledby="on-server">
        <h2 id="on-server">On this server</h2>
        {server === null ? (
          <p class="quiet">There is no session: open the address that the server printed when it started.</p>
        ) : (
          <>
            {entries === null && <p class="quiet">Loading…</p>}
            {entries?.length === 0 && <p class="quiet">No workspaces yet. Name the first one.</p>}
            <ul class="workspaces">
              {entries?.map((entry) => (
                <li key={entry.id}>
                  <button type="button" class="open" onClick={() => openServerWorkspace(server.open(entry))}>
                    <strong>{entry.name}</strong>
                    <span class="quiet">since {new Date(entry.createdMs).toLocaleString()}</span>
                  </button>
                  <button type="button" class="plain" aria-label={`Delete ${entry.name}`} onClick={() => remove(entry)}>
                    Delete
                  </button>
                </li>
              ))}
            </ul>
            <form onSubmit={create}>
              <label>
                Name <input value={name} maxLength={100} placeholder="Workspace" onInput={(event) => setName(event.currentTarget.value)} />
              </label>
              <button type="submit" class="primary">
                Create workspace
              </button>
            </form>
          </>
        )}
      </section>
      <section aria-labelledby="in-tab">
        <h2 id="in-tab">In this tab</h2>
        <p>The same tools on the tab’s own memory: nothing leaves the browser, and nothing outlives the tab.</p>
        <button type="button" onClick={() => attempt(openTabWorkspace)}>
          Open a workspace in this tab
        </button>
      </section>
    </main>
  )
}
