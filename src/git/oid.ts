/** Object names as hex text and as bytes. */
import { FilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'

/** Bytes of an object's name. */
export const OID_BYTES = 20

/** The name of the tree that holds nothing. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Oid

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

interface HexSlice {
  call(bytes: Uint8Array, start: number, end: number): string
}

// Not an import: browsers have no Buffer. It is ten times as fast as a loop, and names of objects are made by the ten thousand.
const hexSlice = (globalThis as { Buffer?: { prototype: { hexSlice?: HexSlice } } }).Buffer?.prototype.hexSlice

/** Whether a text is an object's name: 40 lower-case hex digits. */
export function isOid(text: string): text is Oid {
  return /^[0-9a-f]{40}$/.test(text)
}

/** An object's name as a caller writes it, in either case. Throws `invalid_argument` on `field`. */
export function parseOid(text: string, field: string): Oid {
  const lower = text.toLowerCase()
  if (!isOid(lower)) throw new FilewrightError('invalid_argument', `${field} must be an object's name of 40 hex digits.`, { field })
  return lower
}

/** The name that stands in `bytes` from `at` on. */
export function oidAt(bytes: Uint8Array, at = 0): Oid {
  if (hexSlice) return hexSlice.call(bytes, at, at + OID_BYTES) as Oid
  let text = ''
  for (let i = at; i < at + OID_BYTES; i++) text += HEX[bytes[i] as number]
  return text as Oid
}

/** The bytes of a name, into `target` from `at` on where one is given. */
export function oidBytes(oid: Oid, target: Uint8Array = new Uint8Array(OID_BYTES), at = 0): Uint8Array {
  for (let i = 0; i < OID_BYTES; i++) target[at + i] = (digit(oid, i * 2) << 4) | digit(oid, i * 2 + 1)
  return target
}

/** Value of a hex digit, lower case. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 58 ? code - 48 : code - 87
}
