/** One workspace: its tree, what is open, and its timeline. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { WorkspaceInfo } from '../../src/http/routes.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import { ApprovalsPanel } from './approvals_panel.tsx'
import { useApprovals } from './approvals_state.ts'
import { ChangePanel } from './change_panel.tsx'
import { FilePanel } from './file_panel.tsx'
import { ImportDialog } from './import_dialog.tsx'
import { Search } from './search.tsx'
import { Timeline } from './timeline.tsx'
import { ToolConsole } from './tool_console.tsx'
import { Tree } from './tree.tsx'

/** What stands in the middle. */
export type Shown =
  | { readonly kind: 'file'; readonly path: string; readonly line?: number }
  | { readonly kind: 'change'; readonly sequence: number }
  | { readonly kind: 'tools' }
  | { readonly kind: 'approvals'; readonly request: string | null }
  | { readonly kind: 'welcome' }

/** What {@link WorkspacePage} needs. */
export interface WorkspacePageProps {
  readonly workspace: WorkspaceClient
  readonly place: 'server' | 'tab'
  readonly leave: () => void
}

/** The panels of one workspace. */
export function WorkspacePage({ workspace, place, leave }: WorkspacePageProps): VNode {
  const [info, setInfo] = useState<WorkspaceInfo | null>(null)
  const [head, setHead] = useState(0)
  const [shown, setShown] = useState<Shown>({ kind: 'welcome' })
  const [side, setSide] = useState<'files' | 'search'>('files')
  const [importing, setImporting] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const approvals = useApprovals(workspace)

  useEffect(() => {
    const stop = new AbortController()
    workspace.info().then(
      (answer) => {
        setInfo(answer)
        setHead(answer.head)
      },
      (cause) => setError(messageOf(cause)),
    )
    const changed = (sequence: number): void => setHead((known) => Math.max(known, sequence))
    workspace.watch({ changed, approvalsChanged: approvals.refresh }, stop.signal)
    return () => stop.abort()
  }, [workspace, approvals.refresh])

  const { waiting } = approvals
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${workspace.entry.name} – Filewright`
    return () => {
      document.title = 'Filewright'
    }
  }, [waiting, workspace])

  const openFile = (path: string, line?: number): void =>
    setShown(line === undefined ? { kind: 'file', path } : { kind: 'file', path, line })
  const openApprovals = (request: string | null): void => setShown({ kind: 'approvals', request })

  return (
    <div class="workspace">
      <header class="bar">
        <button type="button" class="plain" onClick={leave} aria-label="All workspaces">
          ‹ Filewright
        </button>
        <h1>{workspace.entry.name}</h1>
        <nav aria-label="Workspace">
          <button type="button" onClick={() => setImporting(true)}>
            Import folder
          </button>
          <button type="button" aria-pressed={shown.kind === 'tools'} onClick={() => setShown({ kind: 'tools' })}>
            Tools
          </button>
          <button type="button" aria-pressed={shown.kind === 'approvals'} onClick={() => openApprovals(null)}>
            Approvals{waiting > 0 && <span class="badge">{waiting}</span>}
          </button>
          <span class="unseen" role="status">
            {waiting > 0 && `${waiting} ${waiting === 1 ? 'call waits' : 'calls wait'} for approval`}
          </span>
        </nav>
      </header>
      {error !== null && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <section class="side" aria-label="Files">
        <div class="tabs" role="tablist">
          <button type="button" role="tab" aria-selected={side === 'files'} onClick={() => setSide('files')}>
            Files
          </button>
          <button type="button" role="tab" aria-selected={side === 'search'} onClick={() => setSide('search')}>
            Search
          </button>
        </div>
        <div class="scroll" hidden={side !== 'files'}>
          <Tree workspace={workspace} head={head} selected={shown.kind === 'file' ? shown.path : null} open={openFile} />
        </div>
        <div class="scroll" hidden={side !== 'search'}>
          <Search workspace={workspace} open={openFile} />
        </div>
      </section>
      <main class="middle">
        {shown.kind === 'file' && (
          <FilePanel key={shown.path} workspace={workspace} path={shown.path} line={shown.line ?? null} head={head} />
        )}
        {shown.kind === 'change' && (
          <ChangePanel
            workspace={workspace}
            sequence={shown.sequence}
            head={head}
            open={openFile}
            approvals={approvals}
            openApprovals={openApprovals}
          />
        )}
        {info && (
          <ToolConsole
            workspace={workspace}
            tools={info.tools}
            approvals={approvals}
            openApprovals={openApprovals}
            isShown={shown.kind === 'tools'}
          />
        )}
        {shown.kind === 'approvals' && <ApprovalsPanel approvals={approvals} request={shown.request} />}
        {shown.kind === 'welcome' && <Welcome empty={head === 0} importFolder={() => setImporting(true)} />}
      </main>
      <section class="timeline" aria-label="Timeline">
        <Timeline
          workspace={workspace}
          head={head}
          selected={shown.kind === 'change' ? shown.sequence : null}
          show={(sequence) => setShown({ kind: 'change', sequence })}
        />
      </section>
      <footer class="bar facts">{info && <Facts info={info} place={place} />}</footer>
      {importing && <ImportDialog workspace={workspace} close={() => setImporting(false)} />}
    </div>
  )
}

function Welcome({ empty, importFolder }: { readonly empty: boolean; readonly importFolder: () => void }): VNode {
  return (
    <div class="welcome">
      <h2>{empty ? 'An empty workspace' : 'Choose a file, or a change'}</h2>
      <p>Every change stands in the timeline with its difference, and can be taken back.</p>
      {empty && (
        <button type="button" class="primary" onClick={importFolder}>
          Import a folder
        </button>
      )}
    </div>
  )
}

const PLACES = { server: 'on the server', tab: 'in this tab only' }
const SURVIVES = { power: 'a change survives a power cut', process: 'a change survives a crash', memory: 'nothing outlives the tab' }

function Facts({ info, place }: { readonly info: WorkspaceInfo; readonly place: 'server' | 'tab' }): VNode {
  const { traits, profile } = info
  return (
    <>
      <span>
        {traits.adapter}, {PLACES[place]}
      </span>
      <span>{SURVIVES[traits.durability]}</span>
      <span>{traits.atomic ? 'all or nothing' : 'one file at a time'}</span>
      <span>profile {profile}</span>
    </>
  )
}
