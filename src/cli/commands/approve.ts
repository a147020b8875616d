/** `filewright approve`: what waits for a person, and the person's decision, on a terminal. */
import { createInterface } from 'node:readline'
import { FilewrightError } from '../../core/errors.ts'
import type { ApprovalRequest } from '../../workspace/approvals/request.ts'
import { approvalText } from '../../workspace/approvals/text.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Output, Streams } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { paintDiff, visible, visibleName } from '../terminal.ts'

/** Who is noted as the decider. */
const TERMINAL = 'terminal'

/** Lists the requests that wait. */
export async function listApprovals(settings: Settings, output: Output): Promise<void> {
  const approvals = await withWorkspace(settings, output, waitingRequests)
  output.answer({ approvals }, () => approvals.map((request) => requestLine(request, output)).join('\n') || 'No request waits.')
}

/**
 * Shows one request with its exact changes, asks, and stores the decision; `which` is an id or the beginning of one. With `deny` it is
 * refused without a question. Throws `permission_denied` where there is no terminal: a program could answer as well.
 */
export async function decideApproval(
  settings: Settings,
  output: Output,
  streams: Streams,
  which: string,
  { deny }: { readonly deny: boolean },
): Promise<void> {
  const { stdin } = streams
  if (stdin?.isTTY !== true || streams.stdout.isTTY !== true) {
    throw new FilewrightError(
      'permission_denied',
      'Only a person at a terminal decides: run `filewright approve` in a terminal of your own, without pipes, or open the page.',
    )
  }
  await withWorkspace(settings, output, async (workspace) => {
    const request = await requestNamed(workspace, which)
    // The one JSON document has standard output to itself.
    const screen = output.json ? streams.stderr : streams.stdout
    screen.write(`${paintDiff(visible(approvalText(request)), output.paint)}\n\nWaits until ${timeOf(request)}.\n`)
    const decision = deny ? 'deny' : await ask(stdin, screen)
    if (decision === null) {
      output.answer({ approval: request }, () => 'It is left waiting.')
      return
    }
    const approval = await workspace.approvals[decision](request.id, { by: TERMINAL })
    output.answer({ approval }, () => {
      if (decision === 'deny') return 'Denied.'
      return `Granted until ${timeOf(approval)}: when ${visibleName(request.subject)} sends the same call again, it runs, once.`
    })
  })
}

async function waitingRequests(workspace: Workspace): Promise<ApprovalRequest[]> {
  return (await workspace.approvals.list()).filter(({ status }) => status === 'pending')
}

async function requestNamed(workspace: Workspace, which: string): Promise<ApprovalRequest> {
  const waiting = await waitingRequests(workspace)
  const [request, ...others] = which === '' ? [] : waiting.filter(({ id }) => id.startsWith(which))
  if (request && others.length === 0) return request
  const problem = request ? `${others.length + 1} requests begin with ${which}` : `No request ${which} waits; it may have expired`
  throw new FilewrightError(request ? 'invalid_argument' : 'not_found', `${problem}: list them with \`filewright approve\`.`, {
    field: 'id',
  })
}

/** Null for anything but a clear answer, and for the end of input. */
function ask(stdin: NonNullable<Streams['stdin']>, screen: { write(text: string): unknown }): Promise<'grant' | 'deny' | null> {
  screen.write('Approve it? y: yes, once; d: deny; anything else leaves it waiting: ')
  const lines = createInterface({ input: stdin, terminal: false })
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      const answer = line.trim().toLowerCase()
      resolve(['y', 'yes'].includes(answer) ? 'grant' : ['d', 'deny'].includes(answer) ? 'deny' : null)
      lines.close()
    })
    lines.once('close', () => resolve(null))
  })
}

function requestLine(request: ApprovalRequest, { paint }: Output): string {
  const { id, subject, tool, preview } = request
  const more = preview.count > 1 ? ` and ${preview.count - 1} more` : ''
  return [
    paint.yellow(id),
    paint.dim(`until ${timeOf(request)}`),
    visibleName(subject),
    paint.bold(visibleName(tool)),
    `${visibleName(preview.changes[0]?.path ?? '')}${more}`,
  ].join('  ')
}

function timeOf({ expiresMs }: ApprovalRequest): string {
  return `${new Date(expiresMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
