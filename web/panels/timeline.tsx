/** What was changed, newest first. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ChangeLine } from '../../src/http/routes.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import { actOf, placesOf } from './change_words.ts'
import { visible } from './visible.tsx'

/** What {@link Timeline} needs. */
export interface TimelineProps {
  readonly workspace: WorkspaceClient
  readonly head: number
  readonly selected: number | null
  readonly show: (sequence: number) => void
}

/** Draws the timeline, with undo of the newest change and redo. */
export function Timeline({ workspace, head, selected, show }: TimelineProps): VNode {
  const [lines, setLines] = useState<readonly ChangeLine[]>([])
  const [next, setNext] = useState<number | null>(null)
  const [message, setMessage] = useState<{ readonly text: string; readonly bad: boolean } | null>(null)
  const attempt = (work: () => Promise<void>): void => void work().catch((cause) => setMessage({ text: messageOf(cause), bad: true }))

  useEffect(() => {
    attempt(async () => {
      const page = await workspace.changes(null)
      setLines(page.changes)
      setNext(page.next)
    })
  }, [workspace, head])

  const more = (): void =>
    attempt(async () => {
      const page = await workspace.changes(next)
      setLines([...lines, ...page.changes])
      setNext(page.next)
    })
  const act = (work: () => Promise<{ readonly record: { readonly note?: string } }>): void =>
    attempt(async () => setMessage({ text: `${(await work()).record.note ?? 'Done'}.`, bad: false }))
  const verify = (): void =>
    attempt(async () => {
      const { records } = await workspace.verify()
      setMessage({ text: `The chain of ${records} records is sound.`, bad: false })
    })

  return (
    <>
      <div class="actions">
        <h2>Timeline</h2>
        <button type="button" disabled={lines.length === 0} onClick={() => act(() => workspace.undo('last'))}>
          Undo
        </button>
        <button type="button" disabled={lines.length === 0} onClick={() => act(() => workspace.redo())}>
          Redo
        </button>
        <button type="button" disabled={lines.length === 0} onClick={verify}>
          Verify
        </button>
      </div>
      {message && (
        <p class={message.bad ? 'problem' : 'note'} role="status">
          {message.text}
        </p>
      )}
      <ol class="scroll changes">
        {lines.map(({ record, undone, first }) => (
          <li key={record.id}>
            <button
              type="button"
              class={`change ${record.kind} ${undone ? 'undone' : ''}`}
              aria-current={record.sequence === selected}
              onClick={() => show(record.sequence)}
            >
              <span class="what">
                <b>{record.tool}</b> {visible(record.note ?? first.map(placesOf).join(', '))}
                {record.note === undefined && record.count > first.length && ` and ${record.count - first.length} more`}
              </span>
              <span class="quiet">
                #{record.sequence} · {new Date(record.time).toLocaleTimeString()} · {visible(record.subject)}
                {record.approval !== undefined && ' · approved'}
                {actOf(record) !== null && ` · ${actOf(record)}`}
                {undone && ' · undone'}
              </span>
            </button>
          </li>
        ))}
        {lines.length === 0 && <li class="quiet">Nothing was changed yet.</li>}
        {next !== null && (
          <li>
            <button type="button" class="plain" onClick={more}>
              Older changes
            </button>
          </li>
        )}
      </ol>
    </>
  )
}
