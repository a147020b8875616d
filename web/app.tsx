/** The page: first where workspaces are kept, then one of them. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { type Client, createClient, type WorkspaceClient } from './api/client.ts'
import { Start } from './panels/start.tsx'
import { WorkspacePage } from './panels/workspace_page.tsx'
import { openTab } from './tab/transport.ts'

/** What {@link App} needs. */
export interface AppProps {
  /** The server's workspaces; null without a session. */
  readonly server: Client | null
  /** Why there is no session, when something went wrong. */
  readonly problem: string | null
}

/** The whole page. */
export function App({ server, problem }: AppProps): VNode {
  const [tab, setTab] = useState<Client | null>(null)
  const [open, setOpen] = useState<{ workspace: WorkspaceClient; place: 'server' | 'tab' } | null>(null)

  async function openTabWorkspace(): Promise<void> {
    const client = tab ?? createClient(openTab())
    setTab(client)
    const entry = (await client.list())[0] ?? (await client.create('In this tab'))
    setOpen({ workspace: client.open(entry), place: 'tab' })
  }

  if (open) return <WorkspacePage key={open.workspace.entry.id} workspace={open.workspace} place={open.place} leave={() => setOpen(null)} />
  return (
    <Start
      server={server}
      problem={problem}
      openServerWorkspace={(workspace) => setOpen({ workspace, place: 'server' })}
      openTabWorkspace={openTabWorkspace}
    />
  )
}
