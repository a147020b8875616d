/** Packs that are small and stand for very much: others run meanwhile, and who waits can give up. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { packHead } from '../../../src/git/incoming/pack_format.ts'
import { createMemoryGitFiles } from '../../../src/git/memory_files.ts'
import { initGitDirectory } from '../../../src/git/open.ts'

const BLOB = 3
const [BASE_BYTES, COPIES, DELTAS] = [0xffff, 256, 60]

/** What stands before an object, or its size alone. */
function head(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes.push(rest & 127)
    bytes[bytes.length - 2] = (bytes.at(-2) as number) | 128
  }
  return Buffer.from(bytes)
}

function sized(size: number): Buffer {
  return Buffer.from([...(size > 127 ? [(size & 127) | 128, ...sized(Math.floor(size / 128))] : [size])])
}

/** Distance to a base. */
function distance(value: number): Buffer {
  const bytes = [value & 127]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(128 | (--rest & 127))
  return Buffer.from(bytes)
}

/** One blob, and many that are hundreds of copies of it each, with another byte at the end. */
function bomb(byName: boolean): Buffer {
  const base = Buffer.alloc(BASE_BYTES, 7)
  const name = createHash('sha1').update(`blob ${BASE_BYTES}\0`).update(base).digest()
  const entries = [Buffer.concat([head(BLOB, BASE_BYTES), deflateSync(base)])]
  const copy = Buffer.from([0xb0, 0xff, 0xff])
  let size = 12 + (entries[0] as Buffer).length
  const start = 12
  for (let at = 0; at < DELTAS; at++) {
    const copies = Array.from({ length: COPIES }, () => copy)
    const delta = Buffer.concat([sized(BASE_BYTES), sized(BASE_BYTES * COPIES + 1), ...copies, Buffer.from([1, at])])
    const entry = Buffer.concat([head(byName ? 7 : 6, delta.length), byName ? name : distance(size - start), deflateSync(delta)])
    entries.push(entry)
    size += entry.length
  }
  const body = Buffer.concat([packHead(entries.length), ...entries])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

for (const byName of [false, true]) {
  it(`can be given up, with bases by ${byName ? 'name' : 'place'}`, async () => {
    const { objects, files } = await initGitDirectory(createMemoryGitFiles())
    const pack = bomb(byName)
    expect(pack.length).toBeLessThan(20_000)
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 30)
    async function* sent(): AsyncGenerator<Uint8Array> {
      yield pack
    }
    await expect(objects.addPack(sent(), { signal: stop.signal })).rejects.toMatchObject({ code: 'canceled' })
    expect(await files.list('objects/pack')).toEqual([])
  })
}
