/** Random changes of small trees, whatever of them is possible, for the properties of a workspace's past. */
import fc from 'fast-check'
import type { Change, Expect } from '../../src/core/change.ts'
import { isFilewrightError } from '../../src/core/errors.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import { createIds } from '../../src/core/id.ts'
import { expectSide, sideAt } from '../../src/core/inverse.ts'
import type { Path } from '../../src/core/path.ts'

/** Names with what patches, archives and terminals find hard, in few enough places that changes meet. */
const PATHS = ['a', 'b', 'd', 'd/x', 'd/y', 'd/e', 'd/e/z', 'k l', 'k l/ü', 'q"\\t\tn'] as const

/** Bytes that a content may have: text with and without a last line end, other endings, binary, none. */
const body: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom('one', 'two', 'three', 'é', '', ' +x', '-- y', '\ufeff'), { maxLength: 12 }).map((lines) => lines.join('\n')),
  fc.array(fc.constantFrom('one', 'two', 'three'), { maxLength: 30 }).map((lines) => lines.map((line) => `${line}\r\n`).join('')),
  fc.constantFrom('', '\0', 'a\0b\n', '\n', 'x'.repeat(300)),
)

/** One wish. What cannot be done where it is tried is left out. */
export interface Wish {
  readonly kind: Exclude<Change['kind'], 'snapshot'>
  readonly path: string
  readonly other: string
  readonly body: Uint8Array
  readonly mode: number
}

const path = fc.constantFrom(...PATHS)
const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom('write', 'write', 'write', 'remove', 'move', 'move', 'makeDirectory', 'link', 'copy'),
  path,
  other: path,
  body: fc.oneof(
    body.map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 200 }),
  ),
  mode: fc.constantFrom(0o644, 0o755),
})

/** Groups of wishes; each group is one commit. */
export const wishes: fc.Arbitrary<Wish[][]> = fc.array(fc.array(wish, { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 14 })

const newId = createIds(Date.now)

/** Commits a group, or as much of it as is possible from its beginning; answers whether anything changed. */
export async function commitWishes(fs: FileSystem, group: readonly Wish[]): Promise<boolean> {
  let changed = false
  for (const each of group) {
    const draft = { id: newId(), time: new Date().toISOString(), kind: 'call', subject: 'test', tool: each.kind, call: null } as const
    try {
      await fs.commit(await changesFor(fs, each), draft)
      changed = true
    } catch (error) {
      if (!isFilewrightError(error)) throw error
    }
  }
  return changed
}

async function changesFor(fs: FileSystem, { kind, body: bytes, mode, ...wanted }: Wish): Promise<Change[]> {
  const [at, other] = [wanted.path as Path, wanted.other as Path]
  const expect: Expect = expectSide(await sideAt(fs, at))
  switch (kind) {
    case 'write':
      return [{ kind, path: at, content: { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }, mode, expect }]
    case 'remove':
      return [{ kind, path: at, expect }]
    case 'move':
      return [{ kind, path: at, to: other, expect }]
    case 'makeDirectory':
      return [{ kind, path: at }]
    case 'link':
      return [{ kind, path: at, target: wanted.other, expect }]
    case 'copy':
      return [{ kind, path: at, from: other, source: expectSide(await sideAt(fs, other)), expect }]
  }
}
