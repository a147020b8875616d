/** Git's record of what a reference was. */
import { bytesOfText } from '../core/name_bytes.ts'
import type { Oid, Signature } from '../core/repository.ts'
import type { GitConfig } from './config.ts'

const NOTHING = '0'.repeat(40)
const PRODUCT = { name: 'filewright', email: 'filewright@localhost' }

/** Whether the changes of a reference are recorded although there is no record yet: `core.logAllRefUpdates`. */
export function logsChanges(config: GitConfig, name: string): boolean {
  if (config.get('core.logallrefupdates')?.toLowerCase() === 'always') return true
  const isOn = config.boolean('core.logallrefupdates') ?? config.boolean('core.bare') !== true
  return isOn && (name === 'HEAD' || /^refs\/(?:heads|remotes|notes)\//.test(name))
}

/** One line, as git writes it. Without `by` it is the product that changed it, at `now`. */
export function reflogLine(from: Oid | null, to: Oid | null, by: Signature | null, message: string, now: number): Uint8Array {
  const { name, email } = by ?? PRODUCT
  const minutes = by?.offsetMinutes ?? 0
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}${two(Math.abs(minutes) % 60)}`
  const who = `${plain(name)} <${plain(email)}> ${Math.floor((by?.timeMs ?? now) / 1000)} ${zone}`
  const text = message.trim().replace(/\s+/g, ' ')
  return bytesOfText(`${from ?? NOTHING} ${to ?? NOTHING} ${who}${text === '' ? '' : `\t${text}`}\n`)
}

function two(number: number): string {
  return String(Math.floor(number)).padStart(2, '0')
}

/** What cannot stand in a name. */
function plain(text: string): string {
  return text.replace(/[<>\n\0]/g, '').trim()
}
