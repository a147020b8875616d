/** Names as text and as bytes: a name that is not UTF-8 keeps each bad byte 0xNN as the lone surrogate U+DCNN. */
import { isUtf8 } from 'node:buffer'
import { FilewrightError } from '../../core/errors.ts'
import type { HostPath } from './syscalls.ts'

const FIRST_ESCAPE = 0xdc80
const LAST_ESCAPE = 0xdcff

/** The text of a name or of a link. */
export function textOfBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    text += length === 0 ? String.fromCharCode(0xdc00 + (bytes[at] as number)) : Buffer.from(bytes.subarray(at, at + length)).toString()
    at += length || 1
  }
  return text
}

/** Bytes of the valid UTF-8 sequence at `at`; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length
  }
  return 0
}

/** A name or link text as the operating system takes it. Throws `invalid_name` for what no file can be called. */
export function hostName(name: string): HostPath {
  return name.isWellFormed() ? name : bytesOfText(name)
}

/** `prefix` with a name at its end. */
export function hostPath(prefix: string, name: string): HostPath {
  return name.isWellFormed() ? prefix + name : Buffer.concat([Buffer.from(prefix), bytesOfText(name)])
}

function bytesOfText(text: string): Buffer {
  const parts: Buffer[] = []
  for (const char of text) {
    const code = char.codePointAt(0) as number
    parts.push(code >= FIRST_ESCAPE && code <= LAST_ESCAPE ? Buffer.of(code & 0xff) : Buffer.from(char))
  }
  const bytes = Buffer.concat(parts)
  // Another lone surrogate, or escapes that spell valid UTF-8: a second spelling of a name would slip past every rule about names.
  if (textOfBytes(bytes) !== text) throw new FilewrightError('invalid_name', `${JSON.stringify(text)} cannot be the name of a file.`)
  return bytes
}
