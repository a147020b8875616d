/** Byte strings: made and joined. */

interface NativeBuffer {
  allocUnsafeSlow(length: number): Uint8Array<ArrayBuffer>
}

// Not an import: browsers have no Buffer.
const native = (globalThis as { Buffer?: NativeBuffer }).Buffer

/** Bytes of any content, which the caller fills: writing zeros first would cost as much as the copy. */
export function allocate(length: number): Uint8Array<ArrayBuffer> {
  return native ? new Uint8Array(native.allocUnsafeSlow(length).buffer) : new Uint8Array(length)
}

/** Joins byte strings. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const part of parts) length += part.length
  const joined = allocate(length)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
