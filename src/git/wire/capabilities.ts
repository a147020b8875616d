/** What a server can do, as it says at first. */
import { FilewrightError } from '../../core/errors.ts'
import { FLUSH, notGit, type PacketReader } from './pkt_line.ts'
import type { Service } from './transport.ts'

/** Names of abilities with their values; empty for those without one. */
export type Capabilities = ReadonlyMap<string, string>

/** How we name ourselves to servers. */
export const AGENT = 'agent=filewright'

/** Reads past the line that some servers put in front, to the first of the advertisement; null when there is none. */
export async function firstLine(reader: PacketReader, service: Service): Promise<string | null> {
  let line = await reader.text()
  if (line === `# service=${service}`) {
    if ((await reader.text()) !== FLUSH) throw notGit()
    line = await reader.text()
  }
  if (line === null || line === FLUSH) return null
  if (typeof line !== 'string') throw notGit()
  return line
}

/**
 * The abilities of a server that speaks version 2. Throws `unsupported` for one that only speaks older ones, and for a
 * repository with SHA-256 names.
 */
export async function readCapabilities(reader: PacketReader): Promise<Capabilities> {
  const first = await firstLine(reader, 'git-upload-pack')
  if (first !== 'version 2') {
    if (first === null || /^[0-9a-f]{40,64} |^version [01]$/.test(first)) {
      throw new FilewrightError('unsupported', 'The server does not speak version 2 of the git protocol, which is what is spoken here.')
    }
    throw notGit()
  }
  const found = new Map<string, string>()
  for (;;) {
    const line = await reader.text()
    if (line === FLUSH) break
    if (typeof line !== 'string' || found.size > 1000) throw notGit()
    const at = line.indexOf('=')
    found.set(at < 0 ? line : line.slice(0, at), at < 0 ? '' : line.slice(at + 1))
  }
  checkObjectFormat(found)
  for (const command of ['ls-refs', 'fetch'])
    if (!found.has(command)) throw new FilewrightError('unsupported', `The server has no ${command}.`)
  return found
}

/** Whether a command has one of its features. */
export function hasFeature(capabilities: Capabilities, command: string, feature: string): boolean {
  return (capabilities.get(command) ?? '').split(' ').includes(feature)
}

/** Throws `unsupported` unless objects are named by SHA-1. */
export function checkObjectFormat(capabilities: Capabilities): void {
  const format = capabilities.get('object-format') ?? 'sha1'
  if (format !== 'sha1')
    throw new FilewrightError('unsupported', `The remote's objects are named by ${format.slice(0, 20)}; only sha1 is known here.`)
}
