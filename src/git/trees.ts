/** Tree objects: their entries as git stores them, with names as texts. */
import { FilewrightError } from '../core/errors.ts'
import type { GitEntry, GitMode, Oid } from '../core/repository.ts'
import { bytesOfText, textOfBytes } from './names.ts'

/** One entry of a tree. A name that is not UTF-8 keeps each bad byte 0xNN as the lone surrogate U+DCNN. */
export interface TreeItem extends GitEntry {
  readonly name: string
}

const SPACE = 0x20
const SLASH = 0x2f
/** The letters of a mode in a tree, which leaves out a leading zero. */
const MODES: { readonly [Mode in GitMode]: Uint8Array } = {
  '100644': ascii('100644 '),
  '100755': ascii('100755 '),
  '120000': ascii('120000 '),
  '160000': ascii('160000 '),
  '040000': ascii('40000 '),
}
const DIGITS = ascii('0123456789abcdef')

/** The entries of a tree, in its own order: that of full paths, a directory's name as if it ended in `/`. Throws `corrupt`. */
export function parseTree(oid: Oid, bytes: Uint8Array): TreeItem[] {
  const items: TreeItem[] = []
  for (let at = 0; at < bytes.length; ) {
    let mode = 0
    for (; bytes[at] !== SPACE; at++) {
      const digit = (bytes[at] ?? 0) - 48
      if (digit < 0 || digit > 7 || mode > 0o177777) throw damaged(oid)
      mode = mode * 8 + digit
    }
    const start = at + 1
    const end = bytes.indexOf(0, start)
    if (end < 0 || end + 21 > bytes.length) throw damaged(oid)
    const name = textOfBytes(bytes.subarray(start, end))
    if (name === '' || name === '.' || name === '..' || name.includes('/')) throw damaged(oid)
    items.push({ name, mode: modeOf(mode), oid: oidAt(bytes, end + 1) })
    at = end + 21
  }
  return items
}

/** A tree of these entries, which it puts in order. Throws `invalid_name` for a name that stands for no bytes. */
export function treeBytes(items: readonly TreeItem[]): Uint8Array {
  const rows = items.map(({ name, mode, oid }) => ({ name: bytesOfText(name), mode, oid }))
  rows.sort((a, b) => compareRows(a.name, a.mode, b.name, b.mode))
  const bytes = new Uint8Array(rows.reduce((size, { name, mode }) => size + MODES[mode].length + name.length + 21, 0))
  let at = 0
  for (const { name, mode, oid } of rows) {
    bytes.set(MODES[mode], at)
    at += MODES[mode].length
    bytes.set(name, at)
    at += name.length + 1
    for (let digit = 0; digit < 40; digit += 2) bytes[at++] = (nibble(oid, digit) << 4) | nibble(oid, digit + 1)
  }
  return bytes
}

/** Names in the order of a tree: a directory's as if it ended in `/`. */
function compareRows(a: Uint8Array, aMode: GitMode, b: Uint8Array, bMode: GitMode): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number)
  return next(a, aMode, length) - next(b, bMode, length)
}

function next(name: Uint8Array, mode: GitMode, at: number): number {
  return name[at] ?? (mode === '040000' ? SLASH : 0)
}

/** A mode as git itself takes those of old programs. */
function modeOf(mode: number): GitMode {
  switch (mode & 0o170000) {
    case 0o040000:
      return '040000'
    case 0o120000:
      return '120000'
    case 0o100000:
      return mode & 0o100 ? '100755' : '100644'
    default:
      return '160000'
  }
}

const LETTERS: number[] = new Array(40).fill(0)

/** The name of an object that stands at a place as 20 bytes. */
export function oidAt(bytes: Uint8Array, at: number): Oid {
  for (let i = 0; i < 20; i++) {
    const byte = bytes[at + i] as number
    LETTERS[2 * i] = DIGITS[byte >> 4] as number
    LETTERS[2 * i + 1] = DIGITS[byte & 15] as number
  }
  // At once: a text that is put together piece by piece takes five times the memory.
  return String.fromCharCode(...LETTERS) as Oid
}

function nibble(oid: Oid, at: number): number {
  const code = oid.charCodeAt(at)
  return code < 58 ? code - 48 : code - 87
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function damaged(oid: Oid): FilewrightError {
  return new FilewrightError('corrupt', `The tree ${oid} is damaged.`, { details: { oid } })
}
