/** Commits and changes as git prints them. */
import type { Commit, Oid, Signature } from '../../core/repository.ts'
import { quoteName } from '../../text/diff/unified.ts'
import type { Output } from '../output.ts'
import { type Paint, visible, visibleName } from '../terminal.ts'

const SHORT = 7
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The first digits of a name. */
export function shortOid(oid: Oid): string {
  return oid.slice(0, SHORT)
}

/** The first paragraph of a message, as one line. */
export function subjectOf(message: string): string {
  return (
    message
      .trimStart()
      .split(/\n[ \t]*\n/, 1)[0]
      ?.trim()
      .replaceAll('\n', ' ') ?? ''
  )
}

/** `1234567 Subject`. */
export function commitLine({ oid, message }: Commit, paint: Paint, names = ''): string {
  return `${paint.yellow(shortOid(oid))} ${names}${visibleName(subjectOf(message))}`
}

/** A commit with its whole message, as `git log` prints it. */
export function commitText(commit: Commit, output: Output, names = ''): string {
  const { oid, parents, author, message } = commit
  const lines = [output.paint.yellow(`commit ${oid}`) + (names === '' ? '' : ` ${names.trimEnd()}`)]
  if (parents.length > 1) lines.push(`Merge: ${parents.map(shortOid).join(' ')}`)
  lines.push(`Author: ${visibleName(`${author.name} <${author.email}>`)}`, `Date:   ${dateText(author)}`, '')
  const body = message.replace(/\n+$/, '')
  // Text that goes to another program stays what it is.
  for (const line of (output.terminal ? visible(body) : body).split('\n')) lines.push(`    ${line}`)
  return `${lines.join('\n')}\n`
}

/** `Mon Nov 2 03:04:05 2026 +0100`, in the zone of whoever signed. */
export function dateText({ timeMs, offsetMinutes }: Signature): string {
  const at = new Date(timeMs + offsetMinutes * 60_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const zone = Math.abs(offsetMinutes)
  const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(zone / 60))}${two(zone % 60)}`
  return `${DAYS[at.getUTCDay()]} ${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()} ${time} ${at.getUTCFullYear()} ${offset}`
}

/** A name as git prints it: quoted where it holds what would break a line, or is no UTF-8. */
export function pathText(path: string): string {
  return visibleName(quoteName(path))
}

/** What a commit is, for programs: git's times in ISO 8601. */
export function commitJson({ oid, tree, parents, author, committer, message }: Commit): object {
  return { oid, tree, parents, author: signatureJson(author), committer: signatureJson(committer), message }
}

function signatureJson(signature: Signature): object {
  const { name, email, timeMs, offsetMinutes } = signature
  return { name, email, time: new Date(timeMs).toISOString(), offsetMinutes }
}
