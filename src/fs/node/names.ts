/** Names as text and as the operating system takes them. */
import { isUtf8 } from 'node:buffer'
import { bytesOfText, textOfBytes as textOfAnyBytes } from '../../core/name_bytes.ts'
import type { HostPath } from './syscalls.ts'

/** The text of a name or of a link. */
export function textOfBytes(bytes: Uint8Array): string {
  // Faster here than what every host has.
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() : textOfAnyBytes(bytes)
}

/** A name or link text as the operating system takes it. Throws `invalid_name` for what no file can be called. */
export function hostName(name: string): HostPath {
  return name.isWellFormed() ? name : bufferOf(name)
}

/** `prefix` with a name at its end. */
export function hostPath(prefix: string, name: string): HostPath {
  return name.isWellFormed() ? prefix + name : Buffer.concat([Buffer.from(prefix), bufferOf(name)])
}

function bufferOf(text: string): Buffer {
  const bytes = bytesOfText(text)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
