/** One change: what it did to each path, and the way back. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Side } from '../../src/core/change.ts'
import type { ChangePage } from '../../src/http/routes.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import { Diff } from './diff.tsx'
import { visible } from './visible.tsx'

/** What {@link ChangePanel} needs. */
export interface ChangePanelProps {
  readonly workspace: WorkspaceClient
  readonly sequence: number
  readonly head: number
  readonly open: (path: string) => void
}

/** Draws a change. */
export function ChangePanel({ workspace, sequence, head, open }: ChangePanelProps): VNode {
  const [page, setPage] = useState<ChangePage | null>(null)
  const [error, setError] = useState<string | null>(null)
  const attempt = (work: () => Promise<void>): void => {
    setError(null)
    void work().catch((cause) => setError(messageOf(cause)))
  }

  useEffect(() => {
    attempt(async () => setPage(await workspace.change(sequence, 0)))
  }, [workspace, sequence, head])

  const more = (): void =>
    attempt(async () => {
      if (!page || page.next === null) return
      const following = await workspace.change(sequence, page.next)
      setPage({ ...following, changes: [...page.changes, ...following.changes] })
    })
  const undo = (): void =>
    attempt(async () => {
      await workspace.undo(sequence)
    })

  if (!page) return <p class={error === null ? 'quiet' : 'problem'}>{error ?? 'Loading…'}</p>
  const { record, undone, changes, next } = page
  return (
    <article class="change-panel">
      <header>
        <h2>
          {record.tool} <span class="quiet">#{record.sequence}</span>
        </h2>
        <p>
          {record.note !== undefined && <>{visible(record.note)} · </>}
          {new Date(record.time).toLocaleString()} · {visible(record.subject)} · {record.count} {record.count === 1 ? 'path' : 'paths'}
        </p>
        <p class="quiet hash" title="The record's hash, chained to the record before">
          {record.hash}
        </p>
        {record.kind !== 'undo' && (
          <button type="button" disabled={undone} onClick={undo}>
            {undone ? 'Undone' : 'Undo this change'}
          </button>
        )}
      </header>
      {error !== null && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {changes.map((change, index) => (
        <section key={index} class="path">
          <h3>
            <button type="button" class="plain" disabled={change.after?.kind !== 'file'} onClick={() => open(change.to ?? change.path)}>
              {visible(change.to === undefined ? change.path : `${change.path} → ${change.to}`)}
            </button>
            <span class="quiet">
              {' '}
              {sideText(change.before)} → {sideText(change.after)}
            </span>
          </h3>
          {change.diff !== null && change.diff !== '' && <Diff diff={change.diff} />}
          {change.note !== null && <p class="quiet">{change.note}</p>}
        </section>
      ))}
      {next !== null && (
        <button type="button" onClick={more}>
          Show more of {record.count.toLocaleString()} paths
        </button>
      )}
    </article>
  )
}

function sideText(side: Side | null): string {
  if (!side) return 'nothing'
  if (side.kind === 'directory') return 'directory'
  if (side.kind === 'link') return `link to ${side.target}`
  return `${side.size.toLocaleString()} bytes, ${side.hash.slice(0, 8)}`
}
