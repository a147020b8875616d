/** Tree objects: parsed an entry at a time, and written in git's order. */
import { allocate } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import { bytesOfText, textOfBytes } from '../core/name_bytes.ts'
import type { GitEntry, GitMode, Oid } from '../core/repository.ts'
import { OID_BYTES, oidAt, oidBytes } from './oid.ts'

/** An entry of a tree. A name that is not UTF-8 keeps each bad byte 0xNN as U+DCNN. */
export interface TreeEntry extends GitEntry {
  readonly name: string
}

/** Walks the entries of a tree; texts are made only when they are asked for. */
export interface TreeCursor {
  /** Goes to the next entry, at first to the first one; false at the end. Throws `corrupt`. */
  next(): boolean
  readonly mode: GitMode
  readonly name: string
  readonly oid: Oid
  /** Whether this entry's object is the same as another cursor's. */
  sameObject(other: TreeCursor): boolean
  /** Negative when this entry comes before another cursor's in git's order, 0 when name and kind (directory or not) are equal. */
  compare(other: TreeCursor): number
  /** The tree, and where this entry's name and object's name are in it. */
  readonly bytes: Uint8Array
  readonly nameStart: number
  readonly nameEnd: number
}

const [SPACE, SLASH, ZERO, SEVEN] = [0x20, 0x2f, 0x30, 0x37]
const [TYPE_MASK, DIRECTORY, FILE, LINK, SUBMODULE, EXECUTABLE] = [0o170000, 0o040000, 0o100000, 0o120000, 0o160000, 0o100]

/** A cursor before the first entry. `oid` is the tree's name, for messages. */
export function treeCursor(bytes: Uint8Array, oid?: Oid): TreeCursor {
  let modeBits = 0
  let nameStart = 0
  let nameEnd = -OID_BYTES - 1
  const damaged = (): FilewrightError =>
    new FilewrightError('corrupt', `Tree ${oid ?? ''} is damaged.`, oid === undefined ? {} : { details: { oid } })
  const cursor: TreeCursor = {
    bytes,
    next() {
      let at = nameEnd + 1 + OID_BYTES
      if (at === bytes.length) return false
      modeBits = 0
      const start = at
      for (; bytes[at] !== SPACE; at++) {
        const code = bytes[at]
        if (code === undefined || code < ZERO || code > SEVEN || at - start > 6) throw damaged()
        modeBits = modeBits * 8 + (code - ZERO)
      }
      nameStart = at + 1
      nameEnd = nameStart
      for (; bytes[nameEnd] !== 0; nameEnd++) if (nameEnd >= bytes.length || bytes[nameEnd] === SLASH) throw damaged()
      if (at === start || nameEnd === nameStart || nameEnd + 1 + OID_BYTES > bytes.length) throw damaged()
      return true
    },
    get mode() {
      const mode = modeOf(modeBits)
      if (mode === null) throw damaged()
      return mode
    },
    get name() {
      return textOfBytes(bytes, nameStart, nameEnd)
    },
    get oid() {
      return oidAt(bytes, nameEnd + 1)
    },
    get nameStart() {
      return nameStart
    },
    get nameEnd() {
      return nameEnd
    },
    sameObject(other) {
      for (let i = 1; i <= OID_BYTES; i++) if (bytes[nameEnd + i] !== other.bytes[other.nameEnd + i]) return false
      return true
    },
    compare(other) {
      const length = nameEnd - nameStart
      const otherLength = other.nameEnd - other.nameStart
      for (let i = 0; ; i++) {
        // A directory is sorted as if its name ended in a slash.
        const ours = i < length ? (bytes[nameStart + i] as number) : i === length && isDirectory(modeBits) ? SLASH : 0
        const isEnd = i >= otherLength
        const theirs = isEnd ? (i === otherLength && other.mode === '040000' ? SLASH : 0) : (other.bytes[other.nameStart + i] as number)
        if (ours !== theirs) return ours - theirs
        if (ours === 0) return 0
      }
    },
  }
  return cursor
}

/** All entries, in the tree's order. Throws `corrupt`, naming `oid`. */
export function parseTree(bytes: Uint8Array, oid?: Oid): TreeEntry[] {
  const entries: TreeEntry[] = []
  const cursor = treeCursor(bytes, oid)
  while (cursor.next()) entries.push({ name: cursor.name, mode: cursor.mode, oid: cursor.oid })
  return entries
}

/** The entry of a name; null when there is none. */
export function findInTree(bytes: Uint8Array, name: string, oid?: Oid): GitEntry | null {
  const wanted = bytesOfText(name)
  const cursor = treeCursor(bytes, oid)
  while (cursor.next()) {
    if (isName(cursor, wanted)) return { mode: cursor.mode, oid: cursor.oid }
  }
  return null
}

function isName({ bytes, nameStart, nameEnd }: TreeCursor, wanted: Uint8Array): boolean {
  if (nameEnd - nameStart !== wanted.length) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[nameStart + i] !== wanted[i]) return false
  return true
}

/** The bytes of a tree with these entries, in any order. Throws `invalid_name` for a name that cannot be. */
export function formatTree(entries: Iterable<TreeEntry>): Uint8Array {
  const named = Array.from(entries, ({ name, mode, oid }) => ({ name: checkedName(name), mode, oid }))
  named.sort((a, b) => compareNames(a.name, a.mode === '040000', b.name, b.mode === '040000'))
  let length = 0
  for (const { name, mode } of named) length += name.length + OID_BYTES + (mode === '040000' ? 7 : 8)
  const bytes = allocate(length)
  let at = 0
  for (const { name, mode, oid } of named) {
    // Without the zero that listings show in front.
    for (let i = mode === '040000' ? 1 : 0; i < mode.length; i++) bytes[at++] = mode.charCodeAt(i)
    bytes[at++] = SPACE
    bytes.set(name, at)
    at += name.length
    bytes[at++] = 0
    oidBytes(oid, bytes, at)
    at += OID_BYTES
  }
  return bytes
}

function checkedName(name: string): Uint8Array {
  if (name === '' || name.includes('/') || name.includes('\0')) {
    throw new FilewrightError('invalid_name', `${JSON.stringify(name)} cannot be a name in a tree.`)
  }
  return bytesOfText(name)
}

/** Git's order of two names in a tree: by bytes, where a directory's name ends in a slash. */
export function compareNames(a: Uint8Array, aIsDirectory: boolean, b: Uint8Array, bIsDirectory: boolean): number {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  const aNext = a.length > shorter ? (a[shorter] as number) : aIsDirectory ? SLASH : 0
  const bNext = b.length > shorter ? (b[shorter] as number) : bIsDirectory ? SLASH : 0
  return aNext - bNext || a.length - b.length
}

function isDirectory(bits: number): boolean {
  return (bits & TYPE_MASK) === DIRECTORY
}

/** As git reads modes: of a file only whether it is executable. Old repositories hold others, such as 100664. */
function modeOf(bits: number): GitMode | null {
  switch (bits & TYPE_MASK) {
    case FILE:
      return bits & EXECUTABLE ? '100755' : '100644'
    case DIRECTORY:
      return '040000'
    case LINK:
      return '120000'
    case SUBMODULE:
      return '160000'
    default:
      return null
  }
}
