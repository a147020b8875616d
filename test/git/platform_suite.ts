/** What every host's zlib and SHA-1 must do for git. */
import { expect } from 'vitest'
import type { GitPlatform } from '../../src/git/platform.ts'

interface Runner {
  describe(name: string, body: () => void): void
  it(name: string, body: () => Promise<void> | void): void
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Bytes that look random, of which every fourth kilobyte is plain. */
function sample(length: number): Uint8Array {
  let state = 1
  return Uint8Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (at >> 10) % 4 === 0 ? 7 : state >>> 24
  })
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk.slice())
  return joined(...all)
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Quicker than what says where they differ. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** Registers the suite. */
export function registerPlatform(name: string, create: () => Promise<GitPlatform>, { describe, it }: Runner): void {
  describe(`git platform: ${name}`, () => {
    it('hashes parts as one', async () => {
      const { sha1 } = await create()
      expect(hex(sha1.hash())).toBe('da39a3ee5e6b4b0d3255bfef95601890afd80709')
      expect(hex(sha1.hash(text('blob 4\0'), text('abc\n')))).toBe('8baef1b4abc478178b004d62031cf7fe6db6f903')
      const large = sample(300_000)
      const stream = sha1.stream()
      const other = sha1.stream()
      for (let at = 0; at < large.length; at += 70_001) {
        stream.update(large.subarray(at, at + 70_001))
        other.update(large.subarray(0, at))
        sha1.hash(large.subarray(0, 10))
      }
      expect(hex(stream.digest())).toBe(hex(sha1.hash(large)))
      expect(hex(other.digest())).not.toBe(hex(sha1.hash(large)))
    })

    it('inflates what it deflated, and leaves alone what follows', async () => {
      const { zlib } = await create()
      for (const bytes of [new Uint8Array(0), text('a'), text('abc'.repeat(10_000)), sample(200_000)]) {
        const packed = zlib.deflate(bytes)
        const { bytes: plain, used } = zlib.inflate(joined(packed, sample(5000)), bytes.length)
        expect(used).toBe(packed.length)
        expect(plain).toEqual(bytes)
        expect(plain.constructor).toBe(Uint8Array)
        expect(zlib.inflate(packed, bytes.length).bytes).toEqual(bytes)
      }
    })

    it('refuses what is cut, damaged, or of another size', async () => {
      const { zlib } = await create()
      const bytes = joined(text('some text, some text'), sample(3000))
      const packed = zlib.deflate(bytes)
      const corrupt = expect.objectContaining({ code: 'corrupt' })
      for (let length = 0; length < packed.length; length += length < 10 || length > packed.length - 10 ? 1 : 97) {
        expect(() => zlib.inflate(packed.subarray(0, length), bytes.length)).toThrow(corrupt)
      }
      for (const size of [0, 1, bytes.length - 1, bytes.length + 1, bytes.length * 3]) {
        expect(() => zlib.inflate(packed, size)).toThrow(corrupt)
      }
      for (const at of [0, 1, 40, packed.length - 2]) {
        const changed = packed.slice()
        changed[at] = (changed[at] as number) ^ 0x55
        expect(() => zlib.inflate(changed, bytes.length)).toThrow(corrupt)
      }
      // A failure leaves nothing behind.
      expect(zlib.inflate(packed, bytes.length).bytes).toEqual(bytes)
    })

    it('streams both ways, in pieces of any size', async () => {
      const { zlib } = await create()
      for (const bytes of [new Uint8Array(0), sample(400_000), new Uint8Array(3_000_000)]) {
        const packed = await gather(zlib.deflateStream(pieces(bytes, 10_007)))
        expect(same(zlib.inflate(packed, bytes.length).bytes, bytes)).toBe(true)
        for (const size of [packed.length, 999]) {
          const after = sample(70)
          let unused = -1
          const stream = zlib.inflateStream(pieces(joined(packed, after), size), (count) => {
            unused = count
          })
          expect(same(await gather(stream), bytes)).toBe(true)
          const taken = Math.min(Math.ceil(packed.length / size) * size, packed.length + 70)
          // A host may notice the end only with the piece after it.
          expect([taken - packed.length, Math.min(taken + size, packed.length + 70) - packed.length]).toContain(unused)
          expect(same(await gather(zlib.inflateStream(pieces(packed, size))), bytes)).toBe(true)
        }
      }
    })

    it('refuses a stream that is cut or damaged, and hands on what the source throws', async () => {
      const { zlib } = await create()
      const packed = zlib.deflate(sample(100_000))
      const changed = packed.slice()
      changed[packed.length >> 1] = (changed[packed.length >> 1] as number) ^ 0xff
      for (const bad of [packed.subarray(0, 1), packed.subarray(0, packed.length - 1), packed.subarray(0, 50_000), changed]) {
        await expect(gather(zlib.inflateStream(pieces(bad, 4096)))).rejects.toMatchObject({ code: 'corrupt' })
      }
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield packed.subarray(0, 1000)
        throw new RangeError('of the source')
      }
      await expect(gather(zlib.inflateStream(failing()))).rejects.toThrow(RangeError)
      await expect(gather(zlib.deflateStream(failing()))).rejects.toThrow(RangeError)
    })

    it('lets go of a source that is not wanted any more', async () => {
      const { zlib } = await create()
      let ended = false
      async function* endless(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) yield sample(100_000)
        } finally {
          ended = true
        }
      }
      for await (const chunk of zlib.deflateStream(endless())) if (chunk.length > 0) break
      expect(ended).toBe(true)
    })

    it('sums as zlib does', async () => {
      const { zlib } = await create()
      expect(zlib.crc32(text('123456789'))).toBe(0xcbf43926)
      expect(zlib.crc32(text('6789'), zlib.crc32(text('12345')))).toBe(0xcbf43926)
      expect(zlib.crc32(new Uint8Array(0))).toBe(0)
    })
  })
}
