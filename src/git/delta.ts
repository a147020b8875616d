/** Deltas: how packs write an object as copies out of another one and insertions. */
import { allocate } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'

/** The sizes that stand at the beginning of a delta. */
export interface DeltaSizes {
  readonly base: number
  readonly result: number
  /** Where the instructions begin. */
  readonly end: number
}

/** Throws `corrupt`. */
export function deltaSizes(delta: Uint8Array): DeltaSizes {
  let at = 0
  const size = (): number => {
    let value = 0
    let unit = 1
    for (;;) {
      const byte = delta[at++]
      if (byte === undefined || at > 20) throw damaged()
      value += (byte & 0x7f) * unit
      unit *= 128
      if (byte < 0x80) return value
    }
  }
  const base = size()
  const result = size()
  return { base, result, end: at }
}

/** The object that `delta` makes of `base`. Throws `corrupt`, and `too_large` for more than `maxBytes`. */
export function applyDelta(base: Uint8Array, delta: Uint8Array, maxBytes: number): Uint8Array {
  const sizes = deltaSizes(delta)
  if (sizes.base !== base.length) throw damaged()
  if (sizes.result > maxBytes) throw new FilewrightError('too_large', `An object of ${sizes.result} bytes is too large to be read whole.`)
  const result = allocate(sizes.result)
  const end = delta.length
  let at = sizes.end
  let to = 0
  while (at < end) {
    const code = delta[at++] as number
    if (code >= 0x80) {
      let from = 0
      let length = 0
      // A byte beyond the end counts as zero here and fails below.
      if (code & 0x01) from = delta[at++] as number
      if (code & 0x02) from |= (delta[at++] as number) << 8
      if (code & 0x04) from |= (delta[at++] as number) << 16
      if (code & 0x08) from += (delta[at++] as number) * 2 ** 24
      if (code & 0x10) length = delta[at++] as number
      if (code & 0x20) length |= (delta[at++] as number) << 8
      if (code & 0x40) length |= (delta[at++] as number) << 16
      if (length === 0) length = 0x10000
      if (at > end || from + length > base.length || to + length > result.length) throw damaged()
      copy(base, from, result, to, length)
      to += length
    } else {
      if (code === 0 || at + code > end || to + code > result.length) throw damaged()
      copy(delta, at, result, to, code)
      at += code
      to += code
    }
  }
  if (to !== result.length) throw damaged()
  return result
}

/** Fewer bytes than this are copied faster one by one. */
const FEW = 40

function copy(source: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  if (length < FEW) for (let i = 0; i < length; i++) target[to + i] = source[from + i] as number
  else target.set(source.subarray(from, from + length), to)
}

function damaged(): FilewrightError {
  return new FilewrightError('corrupt', 'A delta is damaged.')
}
