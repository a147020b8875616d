/** The WebAssembly hasher gives what the platform's own gives, with streams that take turns. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EMPTY_HASH, platformHasher } from '../../src/core/hash.ts'
import { createWasmHasher } from '../../src/fs/wasm_hasher.ts'

const platform = platformHasher()

test('hashes of any bytes are the same', async () => {
  const wasm = await createWasmHasher()
  expect(wasm.hash(new Uint8Array())).toBe(EMPTY_HASH)
  expect(wasm.stream().digest()).toBe(EMPTY_HASH)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => wasm.hash(bytes) === platform.hash(bytes)))
  const large = Uint8Array.from({ length: 3_000_001 }, (_, i) => i * 31)
  expect(wasm.hash(large)).toBe(platform.hash(large))
})

test('streams that are fed in any order do not disturb one another, nor does a whole hash in between', async () => {
  const wasm = await createWasmHasher()
  const step = fc.record({ stream: fc.nat(3), bytes: fc.uint8Array({ maxLength: 200 }), whole: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const pairs = [0, 1, 2, 3].map(() => [wasm.stream(), platform.stream()] as const)
      for (const { stream, bytes, whole } of steps) {
        for (const one of pairs[stream] ?? []) one.update(bytes)
        if (whole) expect(wasm.hash(bytes)).toBe(platform.hash(bytes))
      }
      for (const [ours, theirs] of pairs) expect(ours.digest()).toBe(theirs.digest())
    }),
  )
})

test('a part of a larger buffer is hashed, not the buffer', async () => {
  const wasm = await createWasmHasher()
  const part = Uint8Array.from({ length: 100 }, (_, i) => i).subarray(10, 20)
  expect(wasm.hash(part)).toBe(platform.hash(part))
})
