/**
 * The events of a workspace as a stream (`text/event-stream`), told from the journal, so that a client misses none:
 * - `ready`, once, with `{"sequence": n}`: where the stream begins
 * - `change`, for each later record, as a `ChangeLine`
 * - `approval`, when a request for approval is new, decided or used up, as an `ApprovalLine`. Requests are in no journal: what
 *   happened while a client was cut off, or in another process, it finds in the list, which it asks for after `ready`
 * The `id` of each is the sequence of the last record; a client that was cut off sends its last one as `Last-Event-ID`, or as `after`.
 */
import type { JournalRecord } from '../core/record.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { approvalLine } from './approvals.ts'
import { changeLine } from './changes.ts'
import type { ApprovalLine } from './routes.ts'

/** Longest silence on the stream, in milliseconds: a comment keeps the connection open. */
const HEARTBEAT_MS = 15_000
/** Most records read at once. */
const PAGE = 100

/** The stream from after record `after` on; null starts at the newest one. It ends when the client goes, and then calls `ended` once. */
export async function eventStream(
  workspace: Workspace,
  after: number | null,
  signal: AbortSignal,
  ended: () => void,
): Promise<ReadableStream<Uint8Array>> {
  const newest = (await workspace.fs.records({ limit: 1 }))[0]?.sequence ?? 0
  // A number that this journal never reached is of another journal.
  let told = after === null || after > newest ? newest : after
  let wake = (): void => {}
  let open = true
  // The newest state of each request: a slow reader costs no more than there are requests.
  const approvals = new Map<string, ApprovalLine>()
  const unsubscribe = workspace.subscribe((told) => {
    if (told.type === 'approval') approvals.set(told.request.id, approvalLine(told.request))
    wake()
  })
  const end = (): void => {
    if (!open) return
    open = false
    unsubscribe()
    wake()
    ended()
  }
  signal.addEventListener('abort', end, { once: true })
  const encoder = new TextEncoder()

  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: 2000\n${event('ready', told, { sequence: told })}`))
    },
    // Asked for the next piece only when the last one was taken: a slow reader costs no memory.
    async pull(controller) {
      const changed = Promise.withResolvers<void>()
      wake = changed.resolve
      let records = await recordsAfter(workspace, told)
      if (records.length === 0 && approvals.size === 0) {
        await beforeHeartbeat(changed.promise)
        if (!open) return
        records = await recordsAfter(workspace, told)
      }
      const text = records.map((record) => event('change', record.sequence, changeLine({ record, undone: false })))
      told = records.at(-1)?.sequence ?? told
      for (const line of approvals.values()) text.push(event('approval', told, line))
      approvals.clear()
      controller.enqueue(encoder.encode(text.join('') || ': still here\n\n'))
    },
    cancel: end,
  })
}

/** The next records after a sequence, oldest first. */
async function recordsAfter({ fs }: Workspace, sequence: number): Promise<JournalRecord[]> {
  // Sequences have no gaps, so the page that ends PAGE records on holds the next ones.
  const page = await fs.records({ before: sequence + PAGE + 1, limit: PAGE })
  return page.filter((record) => record.sequence > sequence).reverse()
}

function event(type: 'ready' | 'change' | 'approval', id: number, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

async function beforeHeartbeat(changed: Promise<void>): Promise<void> {
  const beat = Promise.withResolvers<void>()
  const timer = setTimeout(beat.resolve, HEARTBEAT_MS)
  await Promise.race([changed, beat.promise])
  clearTimeout(timer)
}
