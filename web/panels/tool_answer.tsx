/** The answer of a call: what it says, what it changed, what it waits for, and what to send instead. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ToolAnswer } from '../../src/http/routes.ts'
import type { ApprovalRequest } from '../../src/workspace/approvals/request.ts'
import type { Approvals } from './approvals_state.ts'
import { Diff } from './diff.tsx'
import { ResultView } from './result_view.tsx'
import { visible } from './visible.tsx'

/** What {@link ToolAnswerView} needs. */
export interface ToolAnswerProps {
  readonly answer: ToolAnswer
  readonly approvals: Approvals
  readonly openApprovals: (request: string) => void
  /** Sends the call of this answer again. */
  readonly sendAgain: () => void
  /** Puts a corrected call into the form. */
  readonly use: (call: { readonly [name: string]: unknown }) => void
  /** Whether the console is what the page shows. */
  readonly isShown: boolean
}

/** Members that are shown otherwise: in the text, as a diff, or as buttons. */
const SHOWN = new Set([
  'error',
  'diff',
  'content',
  'summary',
  'tree',
  'correct_call',
  'approval_id',
  'enabled_operations',
  'disabled_operations',
])

/** Draws an answer. */
export function ToolAnswerView({ answer, approvals, openApprovals, sendAgain, use, isShown }: ToolAnswerProps): VNode {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isShown) section.current?.scrollIntoView({ block: 'nearest' })
  }, [answer, isShown])
  const { result, text, error, approvalId } = answer
  const correct = isMembers(result.correct_call) ? result.correct_call : null
  const diff = diffOf(result)
  return (
    <section class="answer" aria-label="Answer" ref={section}>
      {approvalId !== null ? (
        <Waits
          text={text}
          request={approvals.requests.find(({ id }) => id === approvalId)}
          open={() => openApprovals(approvalId)}
          sendAgain={sendAgain}
        />
      ) : (
        <pre class={error ? 'problem' : ''} role="status">
          {visible(correct ? String(result.error) : text)}
        </pre>
      )}
      {correct && (
        <p class="note">
          A call that would succeed:{' '}
          <button type="button" onClick={() => use(correct)}>
            Use this call
          </button>
          <code class="call">{visible(JSON.stringify(correct))}</code>
        </p>
      )}
      {diff !== '' && <Diff diff={diff} />}
      <ResultView result={result} without={SHOWN} />
      <details>
        <summary>As JSON</summary>
        <pre>{visible(JSON.stringify(result, null, 2))}</pre>
      </details>
    </section>
  )
}

interface WaitsProps {
  readonly text: string
  readonly request: ApprovalRequest | undefined
  readonly open: () => void
  readonly sendAgain: () => void
}

/** What became of the request, by status. */
const STATES: { readonly [status in ApprovalRequest['status']]: string } = {
  pending: 'It waits for a person.',
  granted: 'It is approved: the same call runs now, once.',
  denied: 'It was denied: the same call is refused.',
  spent: 'The same call was sent already, and the approval is used up.',
  expired: 'The request has expired: send the call again to ask anew.',
}

function Waits({ text, request, open, sendAgain }: WaitsProps): VNode {
  const status = request?.status ?? 'expired'
  return (
    <div class="note waits">
      <p>{visible(text)}</p>
      <p role="status">
        <b>{STATES[status]}</b>
      </p>
      <p>
        {request && (
          <button type="button" class={status === 'pending' ? 'primary' : ''} onClick={open}>
            Open the request
          </button>
        )}{' '}
        {(status === 'granted' || status === 'expired') && (
          <button type="button" class={status === 'granted' ? 'primary' : ''} onClick={sendAgain}>
            Send again
          </button>
        )}
      </p>
    </div>
  )
}

function isMembers(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The diff of a result, or of the operation that the hub tells of. */
function diffOf({ diff, result }: { readonly [name: string]: unknown }): string {
  if (typeof diff === 'string') return diff
  return isMembers(result) ? diffOf(result) : ''
}
