/** One request for approval: who asks for what, the exact changes, and the decision below them. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApprovalPreview, ApprovalRequest, PreviewedChange } from '../../src/workspace/approvals/request.ts'
import type { Decision } from '../api/client.ts'
import { placesOf, sizesOf, verbOf } from './change_words.ts'
import { Diff, PlainDiff } from './diff.tsx'
import { marked, visible } from './visible.tsx'

/** What {@link RequestCard} needs. */
export interface RequestCardProps {
  readonly request: ApprovalRequest
  readonly isOpen: boolean
  readonly toggle: () => void
  readonly decide: (decision: Decision) => void
}

/** Most lines of all diffs that are drawn with numbers and colors: a caller must not be able to hold up the page. */
const MOST_ROWS = 3000

/** The id of the element that opens a card. */
export function cardId({ id }: Pick<ApprovalRequest, 'id'>): string {
  return `request-${id}`
}

/** Draws a request. Only an open card has buttons: nothing can be approved that is not seen. */
export function RequestCard({ request, isOpen, toggle, decide }: RequestCardProps): VNode {
  const { id, tool, subject, status, reason, preview, createdMs } = request
  const first = preview.changes[0]
  const DiffView = linesOf(preview) > MOST_ROWS ? PlainDiff : ExactDiff
  return (
    <article class={`request ${status}`}>
      <h3>
        <button type="button" class="plain" id={cardId({ id })} aria-expanded={isOpen} aria-controls={`changes-${id}`} onClick={toggle}>
          <b>{tool}</b> <bdi>{first ? marked(placesOf(first)) : ''}</bdi>
          {preview.count > 1 && ` and ${preview.count - 1} more`}
        </button>
        {!(isOpen && status === 'pending') && <State key={status} request={request} />}
      </h3>
      {isOpen && (
        <div id={`changes-${id}`} class="asked">
          <p>
            <b>
              <bdi>{visible(subject)}</bdi>
            </b>{' '}
            asks to run <b>{tool}</b>, because {reason}. <span class="quiet">Since {new Date(createdMs).toLocaleTimeString()}.</span>
          </p>
          {preview.changes.map((change, index) => (
            <PreviewedPath key={index} change={change} DiffView={DiffView} />
          ))}
          {preview.truncated && (
            <p class="problem">
              Not everything is shown:{' '}
              {preview.count > preview.changes.length
                ? `${preview.count - preview.changes.length} of ${preview.count} changes are left out.`
                : 'a difference is cut.'}{' '}
              Approve it only if you know the rest.
            </p>
          )}
          <Decide request={request} decide={decide} />
        </div>
      )}
    </article>
  )
}

function linesOf({ changes }: ApprovalPreview): number {
  return changes.reduce((sum, { diff }) => sum + (diff === null ? 0 : diff.split('\n').length), 0)
}

const ExactDiff = ({ diff }: { readonly diff: string }): VNode => <Diff diff={diff} exact />

interface PreviewedPathProps {
  readonly change: PreviewedChange
  readonly DiffView: (props: { readonly diff: string }) => VNode
}

function PreviewedPath({ change, DiffView }: PreviewedPathProps): VNode {
  const { kind, diff, note, bytesBefore, bytesAfter, kept, warnings } = change
  // What is new destroys nothing that a backup could hold.
  const isLost = !kept && (kind === 'remove' || bytesBefore !== null)
  return (
    <section class="path">
      <h4>
        {verbOf(kind)} <bdi>{marked(placesOf(change))}</bdi> <span class="quiet">{sizesOf(bytesBefore, bytesAfter)}</span>
      </h4>
      {isLost && <p class="problem">No backup is kept: this cannot be undone.</p>}
      {warnings.map((warning) => (
        <p key={warning} class="problem">
          {warning}
        </p>
      ))}
      {note !== null && kind !== 'move' && <p class="quiet">{marked(note)}</p>}
      {diff !== null && diff !== '' && <DiffView diff={diff} />}
    </section>
  )
}

type DecideProps = Pick<RequestCardProps, 'request' | 'decide'>

function Decide({ request, decide }: DecideProps): VNode {
  const { status, digest } = request
  return (
    <footer class="decide">
      {status === 'pending' && (
        <>
          <button type="button" class="primary" onClick={() => decide('grant')}>
            Approve once
          </button>
          <button type="button" onClick={() => decide('deny')}>
            Deny
          </button>
        </>
      )}
      {status === 'granted' && (
        <button type="button" onClick={() => decide('deny')}>
          Take the approval back
        </button>
      )}
      {status === 'pending' ? <State key={status} request={request} /> : <span class="state">{NEXT[status]}</span>}
      <span class="quiet hash" title={`What is decided about: call, changes, subject and policy have the digest ${digest}`}>
        {digest.slice(0, 12)}
      </span>
    </footer>
  )
}

/** What comes next, by status. */
const NEXT: { readonly [status in Exclude<ApprovalRequest['status'], 'pending'>]: string } = {
  granted: 'The same call runs when it is sent again, once.',
  denied: 'The same call is refused while this holds.',
  spent: 'The call was sent again, and the approval is used up.',
  expired: 'It counts for nothing any more: the call must be sent again to ask anew.',
}

/** The status with its time, which runs here alone: a second costs one line, however long the differences are. */
function State({ request }: { readonly request: ApprovalRequest }): VNode {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="state" role="timer">
      {stateOf(request, now)}
    </span>
  )
}

function stateOf({ status, expiresMs, decidedBy, decidedMs }: ApprovalRequest, now: number): string {
  const left = timeLeft(expiresMs - now)
  const by = decidedBy === null ? '' : ` by ${decidedBy}`
  const at = decidedMs === null ? '' : ` at ${new Date(decidedMs).toLocaleTimeString()}`
  if (status === 'pending') return `expires in ${left}`
  if (status === 'granted') return `approved${by}, for ${left} more`
  if (status === 'denied') return `denied${by}, for ${left} more`
  if (status === 'spent') return `approved${by}${at}, and used`
  return `expired at ${new Date(expiresMs).toLocaleTimeString()}`
}

function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
