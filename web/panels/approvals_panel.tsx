/** The inbox: calls that wait for a person, and what was decided about others lately. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApprovalRequest } from '../../src/workspace/approvals/request.ts'
import type { Decision } from '../api/client.ts'
import type { Approvals } from './approvals_state.ts'
import { cardId, RequestCard } from './request_card.tsx'

/** What {@link ApprovalsPanel} needs. */
export interface ApprovalsPanelProps {
  readonly approvals: Approvals
  /** The request to open first; null for the one that waits longest. */
  readonly request: string | null
}

/**
 * Draws the inbox. One card is open at a time, and none opens by itself after a decision: a second click cannot hit the buttons of
 * a request that nobody looked at.
 */
export function ApprovalsPanel({ approvals, request }: ApprovalsPanelProps): VNode {
  const { requests, waiting, problem, refresh } = approvals
  const [open, setOpen] = useState(request ?? requests.find(({ status }) => status === 'pending')?.id ?? null)
  const [decided, setDecided] = useState<string | null>(null)

  // Decisions of another process are told by no event.
  useEffect(refresh, [refresh])
  useEffect(() => {
    if (request !== null) setOpen(request)
  }, [request])
  // The buttons are gone, and with them the focus.
  useEffect(() => {
    if (decided !== null) document.getElementById(cardId({ id: decided }))?.focus()
    setDecided(null)
  }, [decided])

  const decide = async (id: string, decision: Decision): Promise<void> => {
    await approvals.decide(id, decision)
    setDecided(id)
  }
  const card = (one: ApprovalRequest): VNode => (
    <li key={one.id}>
      <RequestCard
        request={one}
        isOpen={one.id === open}
        toggle={() => setOpen(one.id === open ? null : one.id)}
        decide={(decision) => void decide(one.id, decision)}
      />
    </li>
  )
  return (
    <article class="approvals">
      <header>
        <h2>Approvals</h2>
        <p class="quiet">An approval is for these very changes, and for one call. It is asked anew when a file moved on.</p>
      </header>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <h3>Waiting</h3>
      {waiting === 0 && <p class="quiet">Nothing waits. A call that needs a person appears here by itself.</p>}
      <ol>{requests.slice(0, waiting).map(card)}</ol>
      {requests.length > waiting && <h3>Lately</h3>}
      <ol>{requests.slice(waiting).map(card)}</ol>
    </article>
  )
}
