/** Git's framing of messages: lines with their length in front, and three marks that are no lines. */
import { concatBytes } from '../../core/bytes.ts'
import { FilewrightError } from '../../core/errors.ts'
import { createBytesIn } from './bytes_in.ts'

/** Longest line, with its four digits of length. */
const LONGEST_LINE = 65_520

/** A mark between lines: `FLUSH` ends a message, `DELIM` parts its sections, `RESPONSE_END` ends an answer. */
export type Mark = 0 | 1 | 2
export const FLUSH = 0
export const DELIM = 1
export const RESPONSE_END = 2

/** Takes lines from a body. */
export interface PacketReader {
  /** The next line or mark; null at the end of the body. Throws `corrupt` for anything else, and for a body that ends within a line. */
  next(): Promise<Uint8Array | Mark | null>
  /** As `next`, a line as text without its line end. Throws what the server says instead (`ERR`). */
  text(): Promise<string | Mark | null>
  /** Gives the rest up. */
  close(): Promise<void>
}

/** Reads lines from `body`. */
export function createPacketReader(body: AsyncIterable<Uint8Array>): PacketReader {
  const bytes = createBytesIn(body, cutOff)

  async function next(): Promise<Uint8Array | Mark | null> {
    const head = await bytes.take(4)
    if (head === null) return null
    const length = hexLength(head)
    if (length < 3) return length as Mark
    if (length < 4 || length > LONGEST_LINE) throw notGit()
    if (length === 4) return new Uint8Array(0)
    const line = await bytes.take(length - 4)
    if (line === null) throw cutOff()
    return line
  }

  return {
    next,
    async text() {
      const line = await next()
      if (!(line instanceof Uint8Array)) return line
      const text = textOf(line)
      if (text.startsWith('ERR ')) throw remoteError(text.slice(4))
      return text
    },
    close: () => bytes.close(),
  }
}

/** A line of text; a line end is added. */
export function packetLine(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(`${text}\n`)
  return concatBytes([new TextEncoder().encode((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** A mark as it is sent. */
export function packetMark(mark: Mark): Uint8Array {
  return new TextEncoder().encode(`000${mark}`)
}

/** A message of lines and marks. */
export function packets(...lines: readonly (string | Mark)[]): Uint8Array {
  return concatBytes(lines.map((line) => (typeof line === 'string' ? packetLine(line) : packetMark(line))))
}

/** The text of a line. Names that are not UTF-8 are shown with U+FFFD, and refused later as names. */
export function textOf(line: Uint8Array): string {
  return new TextDecoder().decode(line).replace(/\n$/, '')
}

/** What a server says, fit to be shown: one line, without control characters, not long. */
export function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim()
  return plain.length > 500 ? `${plain.slice(0, 500).toWellFormed()}…` : plain
}

/** A failure that the server told. `details.remote` has its words. */
export function remoteError(text: string): FilewrightError {
  const remote = shown(text)
  const code = /not our ref|not found|does not exist/i.test(remote)
    ? 'not_found'
    : /denied|forbidden|not authorized/i.test(remote)
      ? 'permission_denied'
      : 'io_error'
  return new FilewrightError(code, `The server says: ${remote || 'an error without words'}`, { details: { remote } })
}

/** The answer ended too early. */
export function cutOff(): FilewrightError {
  return new FilewrightError('corrupt', 'The answer of the server broke off in the middle. Try again; nothing was changed.')
}

/** The answer is no git. */
export function notGit(): FilewrightError {
  return new FilewrightError('corrupt', 'The server answered with something else than the git protocol. Check the address.')
}

function hexLength(head: Uint8Array): number {
  let value = 0
  for (const byte of head) {
    const digit = byte >= 48 && byte <= 57 ? byte - 48 : byte >= 97 && byte <= 102 ? byte - 87 : byte >= 65 && byte <= 70 ? byte - 55 : -1
    if (digit < 0) throw notGit()
    value = value * 16 + digit
  }
  return value
}
