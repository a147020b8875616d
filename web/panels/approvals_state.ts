/** What waits for a person, as the page knows it: read again whenever the workspace says so, and expired when its time has come. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { ApprovalRequest } from '../../src/workspace/approvals/request.ts'
import type { Decision, WorkspaceClient } from '../api/client.ts'
import { ApiError, messageOf } from '../api/transport.ts'

/** The requests of one workspace. */
export interface Approvals {
  /** Those that wait, oldest first, so that a new one moves nothing; then those that were decided, newest first. */
  readonly requests: readonly ApprovalRequest[]
  /** How many wait. */
  readonly waiting: number
  /** What went wrong, and what to do about it. */
  readonly problem: string | null
  refresh(): void
  /** Never throws: a failure is the problem. */
  decide(id: string, decision: Decision): Promise<void>
}

/** Keeps the requests of a workspace. The page calls `refresh` when they may have changed. */
export function useApprovals(workspace: WorkspaceClient): Approvals {
  const [known, setKnown] = useState<readonly ApprovalRequest[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const now = useExpiry(known)

  const read = useCallback(async (): Promise<readonly ApprovalRequest[]> => {
    const requests = await workspace.approvals()
    setKnown(requests)
    return requests
  }, [workspace])
  const refresh = useCallback(() => void read().catch((cause) => setProblem(messageOf(cause))), [read])

  useEffect(refresh, [refresh])

  const decide = async (id: string, decision: Decision): Promise<void> => {
    setProblem(null)
    try {
      await workspace.decide(id, decision)
      await read()
    } catch (cause) {
      const requests = await read().catch(() => known)
      const request = requests.find((one) => one.id === id)
      setProblem(adviceOn(cause, request && agedRequest(request, Date.now())))
    }
  }

  const aged = known.map((request) => agedRequest(request, now))
  const waiting = aged.filter(({ status }) => status === 'pending')
  const requests = [...waiting.reverse(), ...aged.filter(({ status }) => status !== 'pending')]
  return { requests, waiting: waiting.length, problem, refresh, decide }
}

/** The request as it counts at a time. */
function agedRequest(request: ApprovalRequest, now: number): ApprovalRequest {
  return request.status === 'spent' || request.expiresMs > now ? request : { ...request, status: 'expired' }
}

/** Why nothing was decided, and what helps; `request` is what became of it. */
function adviceOn(cause: unknown, request: ApprovalRequest | undefined): string {
  const code = cause instanceof ApiError ? cause.problem.code : null
  if (code === 'not_found' || (code === 'conflict' && !request)) {
    return 'Nothing was decided: the call was sent again meanwhile, and would change other things now. Look at its new request, if there is one.'
  }
  if (code !== 'conflict' || !request) return messageOf(cause)
  if (request.status === 'expired') return 'Nothing was decided: the request has expired. Whoever asked must send the call again.'
  if (request.status === 'spent')
    return 'Nothing was decided: the call was approved already, and has run. Its change can be undone in the timeline.'
  return `Nothing was decided now: the request was ${request.status} already, by ${request.decidedBy ?? 'somebody else'}.`
}

/** A time after the last expiry that passed, told anew at the next one. */
function useExpiry(requests: readonly ApprovalRequest[]): number {
  const [now, setNow] = useState(Date.now)
  const next = Math.min(...requests.map(({ status, expiresMs }) => (status !== 'spent' && expiresMs > now ? expiresMs : Infinity)))
  useEffect(() => {
    if (next === Infinity) return
    const timer = setTimeout(() => setNow(Math.max(next, Date.now())), next - Date.now())
    return () => clearTimeout(timer)
  }, [next])
  return now
}
