/** A request for approval as plain text, for surfaces that show no more than that. */

import { DIFF_IS_CUT } from '../past/show.ts'
import type { ApprovalRequest, PreviewedChange } from './request.ts'

/**
 * What would be done, by whom, and why it is asked; then every change with its diff. Nothing in it can deceive (previews are marked).
 * At most `longest` UTF-16 units of changes; what is left out is said.
 */
export function approvalText({ tool, subject, reason, preview }: ApprovalRequest, longest: number = Number.POSITIVE_INFINITY): string {
  const parts = [`${subject} asks to run ${tool}: ${reason}.`]
  if (preview.count === 0) parts.push('As the files are now, it changes none of them.')
  let room = longest
  let shown = 0
  for (const change of preview.changes) {
    const text = previewedChangeText(change)
    if (text.length > room) break
    parts.push(text)
    room -= text.length
    shown++
  }
  const rest = preview.count - shown
  if (rest > 0) parts.push(`NOT SHOWN: ${rest} of ${preview.count} changes.`)
  if (preview.changes.slice(0, shown).some(({ note }) => note === DIFF_IS_CUT)) parts.push('A diff is cut: not all of it is shown.')
  return parts.join('\n\n')
}

/** One change: what it is, what to beware of, its diff. */
export function previewedChangeText({ kind, path, to, from, diff, note, kept, warnings }: PreviewedChange): string {
  const moved = to === undefined ? '' : ` -> ${to}`
  const copied = from === undefined ? '' : ` from ${from}`
  const lines = [`${kind} ${path}${moved}${copied}`]
  if (!kept) lines.push('BEWARE: no backup is kept, so it cannot be undone.')
  for (const warning of warnings) lines.push(`BEWARE: ${warning}`)
  if (note !== null && to === undefined) lines.push(note)
  if (diff !== null && diff !== '') lines.push(diff.replace(/\n$/, ''))
  return lines.join('\n')
}
