/** The file `packed-refs`: many references in one file, which loose ones go before. */
import { FilewrightError } from '../core/errors.ts'
import { textOfBytes } from '../core/name_bytes.ts'
import type { Oid } from '../core/repository.ts'
import { isOid } from './oid.ts'

/** One of them. */
export interface PackedRef {
  readonly oid: Oid
  readonly peeled: Oid | null
}

/** References by name. */
export type PackedRefs = ReadonlyMap<string, PackedRef>

/** Throws `corrupt`. */
export function parsePackedRefs(bytes: Uint8Array): PackedRefs {
  const refs = new Map<string, PackedRef>()
  let last: string | null = null
  for (const line of textOfBytes(bytes).split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('^')) {
      const known = last === null ? undefined : refs.get(last)
      if (!known || !isOid(line.slice(1))) throw damaged(line)
      refs.set(last as string, { oid: known.oid, peeled: line.slice(1) as Oid })
      continue
    }
    const oid = line.slice(0, 40)
    if (!isOid(oid) || line[40] !== ' ' || line.length < 42) throw damaged(line)
    last = line.slice(41)
    refs.set(last, { oid, peeled: null })
  }
  return refs
}

/** The file without one reference, otherwise kept byte for byte; null when it is not in it. */
export function withoutPackedRef(bytes: Uint8Array, name: string): Uint8Array | null {
  const kept: Uint8Array[] = []
  let isFound = false
  let isDropped = false
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(0x0a, at)
    const end = found < 0 ? bytes.length : found + 1
    const line = bytes.subarray(at, end)
    at = end
    // `^` tells what the tag of the line before stands for.
    if (line[0] === 0x5e) {
      if (!isDropped) kept.push(line)
      continue
    }
    isDropped = line[0] !== 0x23 && textOfBytes(line.subarray(41)).trimEnd() === name
    if (isDropped) isFound = true
    else kept.push(line)
  }
  if (!isFound) return null
  const result = new Uint8Array(kept.reduce((size, line) => size + line.length, 0))
  let at = 0
  for (const line of kept) {
    result.set(line, at)
    at += line.length
  }
  return result
}

function damaged(line: string): FilewrightError {
  return new FilewrightError(
    'corrupt',
    `packed-refs of the repository has a line that is no reference: ${JSON.stringify(line.slice(0, 100))}.`,
  )
}
