/** One change: what it did to each path, and the way back. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Side } from '../../src/core/change.ts'
import type { ChangePage, RecordSummary } from '../../src/http/routes.ts'
import type { ShownChange } from '../../src/workspace/workspace.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import type { Approvals } from './approvals_state.ts'
import { actOf, placesOf, verbOf } from './change_words.ts'
import { Diff } from './diff.tsx'
import { visible } from './visible.tsx'

/** What {@link ChangePanel} needs. */
export interface ChangePanelProps {
  readonly workspace: WorkspaceClient
  readonly sequence: number
  readonly head: number
  readonly open: (path: string) => void
  readonly approvals: Approvals
  readonly openApprovals: (request: string) => void
}

/** Draws a change. */
export function ChangePanel({ workspace, sequence, head, open, approvals, openApprovals }: ChangePanelProps): VNode {
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
          {new Date(record.time).toLocaleString()} · <bdi>{visible(record.subject)}</bdi>
          {record.count > 0 && ` · ${record.count} ${record.count === 1 ? 'path' : 'paths'}`}
          {actOf(record) !== null && ` · ${actOf(record)}`}
        </p>
        <Approval record={record} approvals={approvals} open={openApprovals} />
        <p class="quiet hash" title="The record's hash, chained to the record before">
          {record.hash}
        </p>
        {canBeUndone(page) && (
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
      {record.purged && (
        <section class="path">
          <h3>Contents that are gone</h3>
          <p class="quiet">Their hashes stay, so the chain can be verified as before.</p>
          <ul class="hash">
            {record.purged.map((hash) => (
              <li key={hash}>{hash}</li>
            ))}
          </ul>
        </section>
      )}
      {changes.map((change, index) => (
        <ChangedPath key={index} change={change} open={open} />
      ))}
      {next !== null && (
        <button type="button" onClick={more}>
          Show more of {record.count.toLocaleString()} paths
        </button>
      )}
    </article>
  )
}

/** A purge is for good, a commit stays, an undo is taken back by a redo, and a backup changes no file. */
function canBeUndone({ record, changes, next }: ChangePage): boolean {
  const onlyBackups = next === null && changes.every(({ kind }) => kind === 'snapshot')
  return record.kind !== 'undo' && record.kind !== 'purge' && record.kind !== 'git' && !onlyBackups
}

interface ApprovalProps {
  readonly record: RecordSummary
  readonly approvals: Approvals
  readonly open: (request: string) => void
}

function Approval({ record: { approval }, approvals, open }: ApprovalProps): VNode | null {
  if (approval === undefined) return null
  const request = approvals.requests.find(({ id }) => id === approval)
  return (
    <p class="approved">
      Approved{request?.decidedBy && ` by ${request.decidedBy}`}, request <span class="hash">{approval}</span>{' '}
      {request && (
        <button type="button" class="plain" onClick={() => open(approval)}>
          What was approved
        </button>
      )}
    </p>
  )
}

function ChangedPath({ change, open }: { readonly change: ShownChange; readonly open: (path: string) => void }): VNode {
  const { kind, path, to, before, after, backup, kept, diff, note } = change
  const isNewCopy = kind === 'copy' && before === null
  return (
    <section class={`path ${kind}`}>
      <h3>
        {verbOf(kind)}{' '}
        <button type="button" class="plain" disabled={after?.kind !== 'file'} onClick={() => open(to ?? path)}>
          <bdi>{visible(placesOf(change))}</bdi>
        </button>{' '}
        <span class="quiet">{kind === 'move' || kind === 'snapshot' ? sideText(after) : `${sideText(before)} → ${sideText(after)}`}</span>
      </h3>
      {note !== null && kind !== 'move' && <p class="quiet">{note}</p>}
      {backup && (
        <p class="quiet">
          Backup <span class="hash">{backup.id}</span>
          {backup.label !== undefined && <> “{visible(backup.label)}”</>}
        </p>
      )}
      {!kept && <p class="quiet">What was there was not kept.</p>}
      {diff !== null &&
        diff !== '' &&
        (isNewCopy ? (
          <details>
            <summary>What the copy holds</summary>
            <Diff diff={diff} />
          </details>
        ) : (
          <Diff diff={diff} />
        ))}
    </section>
  )
}

function sideText(side: Side | null): string {
  if (!side) return 'nothing'
  if (side.kind === 'directory') return 'directory'
  if (side.kind === 'link') return `link to ${side.target}`
  return `${side.size.toLocaleString()} bytes, ${side.hash.slice(0, 8)}`
}
