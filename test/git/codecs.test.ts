/** What git's objects are made of: names, trees, commits, tags and deltas, there and back. */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesOfText, textOfBytes } from '../../src/core/name_bytes.ts'
import type { GitMode, Oid } from '../../src/core/repository.ts'
import { createByteCache } from '../../src/git/byte_cache.ts'
import { formatCommit, formatSignature, formatTag, parseCommit, parseSignature, parseTag } from '../../src/git/commit.ts'
import { applyDelta } from '../../src/git/delta.ts'
import { isOid, oidAt, oidBytes, parseOid } from '../../src/git/oid.ts'
import { run, type Steps, settled } from '../../src/git/steps.ts'
import { findInTree, formatTree, parseTree, type TreeEntry, treeCursor } from '../../src/git/tree.ts'
import { git, gitBytes, initRepository, tempDir } from './real_git.ts'

const temp = tempDir()
afterAll(temp.remove)
initRepository(temp.dir)

const OID = '0123456789abcdef0123456789abcdef01234567' as Oid
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytesOf = (value: string): Uint8Array => new TextEncoder().encode(value)
const corrupt = expect.objectContaining({ code: 'corrupt' })

describe('names', () => {
  test('of objects are hex and bytes', () => {
    expect(oidAt(oidBytes(OID))).toBe(OID)
    fc.assert(fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => void expect(oidBytes(oidAt(bytes))).toEqual(bytes)))
    expect(parseOid(OID.toUpperCase(), 'oid')).toBe(OID)
    for (const bad of ['', OID.slice(1), `${OID}0`, OID.replace('a', 'g')]) {
      expect(isOid(bad)).toBe(false)
      expect(() => parseOid(bad, 'oid')).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'oid' }))
    }
  })

  test('of files are any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void expect(bytesOfText(textOfBytes(bytes))).toEqual(bytes)))
    expect(textOfBytes(Uint8Array.of(0x61, 0xe9, 0xf0, 0x9f))).toBe('a\udce9\udcf0\udc9f')
    expect(textOfBytes(bytesOf('\ufeffa\ufffd'))).toBe('\ufeffa\ufffd')
    for (const bad of ['\ud800', '\udc41', '\udcc3\udca9']) {
      expect(() => bytesOfText(bad)).toThrow(expect.objectContaining({ code: 'invalid_name' }))
    }
  })
})

describe('trees', () => {
  const modes: GitMode[] = ['100644', '100755', '120000', '160000', '040000']
  const name = fc
    .uint8Array({ minLength: 1, maxLength: 6 })
    .map((bytes) => textOfBytes(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x41 : byte))))
    .filter((value) => !['.', '..'].includes(value) && value.toLowerCase() !== '.git')
  const entries = fc.uniqueArray(fc.record({ name, mode: fc.constantFrom(...modes) }), { selector: (entry) => entry.name, maxLength: 12 })

  test('are written in the order in which git writes them', () => {
    const blob = gitBytes(temp.dir, ['hash-object', '-w', '--stdin'], { input: 'x' }).toString().trim() as Oid
    const tree = gitBytes(temp.dir, ['mktree'], { input: '' }).toString().trim() as Oid
    fc.assert(
      fc.property(entries, (given) => {
        const made = given.map(
          (entry): TreeEntry => ({ ...entry, oid: entry.mode === '040000' ? tree : entry.mode === '160000' ? OID : blob }),
        )
        const bytes = formatTree(made)
        const lines = made.map(({ name, mode, oid }) => {
          const kind = mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob'
          return Buffer.concat([Buffer.from(`${mode} ${kind} ${oid}\t`), bytesOfText(name), Buffer.of(0)])
        })
        const oid = gitBytes(temp.dir, ['mktree', '-z'], { input: Buffer.concat(lines) })
          .toString()
          .trim()
        expect(Buffer.compare(gitBytes(temp.dir, ['cat-file', 'tree', oid]), bytes)).toBe(0)
        const parsed = parseTree(bytes)
        expect(new Set(parsed.map((entry) => JSON.stringify(entry)))).toEqual(new Set(made.map((entry) => JSON.stringify(entry))))
        for (const { name, mode, oid } of made) expect(findInTree(bytes, name)).toEqual({ mode, oid })
      }),
      { numRuns: 25 },
    )
    expect(findInTree(formatTree([]), 'a')).toBeNull()
  })

  test('have cursors that compare entries as git sorts them', () => {
    fc.assert(
      fc.property(entries, entries, (left, right) => {
        const [a, b] = [left, right].map((side) => formatTree(side.map((entry) => ({ ...entry, oid: OID })))) as [Uint8Array, Uint8Array]
        const [first, second] = [treeCursor(a), treeCursor(b)]
        while (first.next()) {
          const rest = treeCursor(b)
          while (rest.next()) {
            const pair = formatTree([
              { name: first.name, mode: first.mode, oid: OID },
              { name: `${rest.name}`, mode: rest.mode, oid: OID },
            ])
            const order = first.compare(rest)
            if (order === 0) expect(first.name).toBe(rest.name)
            else expect(parseTree(pair)[0]?.name).toBe(order < 0 ? first.name : rest.name)
            expect(first.sameObject(rest)).toBe(true)
          }
        }
        expect(second.next()).toBe(right.length > 0)
      }),
      { numRuns: 40 },
    )
  })

  test('of old repositories are read: other bits, zeros in front', () => {
    const entry = (mode: string): Uint8Array => Buffer.concat([Buffer.from(`${mode} a\0`), oidBytes(OID)])
    for (const [mode, read] of [
      ['100664', '100644'],
      ['100775', '100755'],
      ['040000', '040000'],
      ['40000', '040000'],
    ] as const) {
      expect(parseTree(entry(mode))).toEqual([{ name: 'a', mode: read, oid: OID }])
    }
  })

  test('that are damaged are refused, at every place', () => {
    const whole = formatTree([
      { name: 'file', mode: '100644', oid: OID },
      { name: 'other', mode: '100755', oid: OID },
    ])
    const first = 'file'.length + 28
    for (let length = 1; length < whole.length; length++) {
      if (length === first) continue
      expect(() => parseTree(whole.subarray(0, length), OID)).toThrow(corrupt)
    }
    for (const bad of ['100648 a\0', '100644 \0', '100644 a/b\0', ' a\0', '20000 a\0', '1006440000 a\0']) {
      expect(() => parseTree(Buffer.concat([Buffer.from(bad), oidBytes(OID)]))).toThrow(corrupt)
    }
    for (const name of ['', 'a/b', 'a\0']) {
      expect(() => formatTree([{ name, mode: '100644', oid: OID }])).toThrow(expect.objectContaining({ code: 'invalid_name' }))
    }
  })
})

describe('commits and tags', () => {
  const signature = 'Ada Author <ada@example.com> 1767319445 +0130'
  const head = `tree ${OID}\nparent ${OID}\nparent ${OID.replace('0', '1')}\nauthor ${signature}\ncommitter ${signature}\n`

  test.each([
    ['plain', `${head}\nSubject\n\nBody\n`],
    ['no line end', `${head}\nSubject`],
    ['no message', `${head}\n`],
    ['signed', `${head}gpgsig -----BEGIN-----\n \n abc\n -----END-----\n\nSubject\n`],
    ['unknown fields', `${head}HG:extra branch\nmergetag object ${OID}\n type commit\n \n text\n\nSubject\n`],
    ['a first one, before 1970', `tree ${OID}\nauthor A <a@b> -86400 -0930\ncommitter A <a@b> 0 +0000\n\nOld\n`],
  ])('come out as they went in: %s', (_, value) => {
    expect(text(formatCommit(parseCommit(bytesOf(value), OID)))).toBe(value)
  })

  test('of other encodings are read as text, and come out as they went in', () => {
    const latin = Buffer.from(`${head}encoding ISO-8859-1\n\nGr\xf6\xdfe\n`, 'latin1')
    const commit = parseCommit(latin, OID)
    expect(commit.message).toBe('Größe\n')
    expect(Buffer.compare(formatCommit(commit), latin)).toBe(0)
    expect(() => formatCommit({ ...commit, message: '名' })).toThrow(expect.objectContaining({ code: 'unsupported' }))
    const broken = Buffer.from(`${head}\nGr\xf6\xdfe\n`, 'latin1')
    expect(parseCommit(broken, OID).message).toBe('Gr\udcf6\udcdfe\n')
    expect(Buffer.compare(formatCommit(parseCommit(broken, OID)), broken)).toBe(0)
  })

  test('tell who and when, however wrongly that was written', () => {
    expect(parseSignature(signature)).toEqual({ name: 'Ada Author', email: 'ada@example.com', timeMs: 1767319445000, offsetMinutes: 90 })
    expect(parseSignature('A <a@b> 0 -0130')).toEqual({ name: 'A', email: 'a@b', timeMs: 0, offsetMinutes: -90 })
    for (const bad of ['', 'A', 'A <a@b>', 'A <a@b> x', 'A <a@b> 99999999999999999999 +0000', '<> 5', 'A <a <b> 7 +9999']) {
      const { timeMs, offsetMinutes } = parseSignature(bad)
      expect(Number.isFinite(timeMs) && Number.isFinite(offsetMinutes)).toBe(true)
      expect(new Date(timeMs).getTime()).toBe(timeMs)
    }
    expect(formatSignature({ name: 'A\n<x>', email: 'a>b', timeMs: 1999, offsetMinutes: -30 })).toBe('Ax <ab> 1 -0030')
  })

  test('are what git makes of them', () => {
    const tree = gitBytes(temp.dir, ['mktree'], { input: '' }).toString().trim() as Oid
    const author = { name: 'Ä', email: 'a@example.com', timeMs: 1767319445000, offsetMinutes: -210 }
    const commit = { tree, parents: [], author, committer: author, message: 'Subject\n' }
    const oid = gitBytes(temp.dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: formatCommit(commit) })
      .toString()
      .trim()
    expect(parseCommit(gitBytes(temp.dir, ['cat-file', 'commit', oid]), oid as Oid)).toEqual(commit)
    expect(git(temp.dir, 'log', '-1', '--format=%an %ad', '--date=raw', oid)).toBe('Ä 1767319445 -0330')
    const tag = { object: oid as Oid, type: 'commit' as const, name: 'v1', tagger: author, message: 'Tag\n' }
    const tagged = gitBytes(temp.dir, ['hash-object', '-t', 'tag', '-w', '--stdin'], { input: formatTag(tag) })
      .toString()
      .trim()
    expect(parseTag(gitBytes(temp.dir, ['cat-file', 'tag', tagged]), tagged as Oid)).toEqual(tag)
    expect(parseTag(bytesOf(`object ${OID}\ntype commit\ntag old\n\nOld\n`), OID).tagger).toBeNull()
  })

  test('that are damaged are refused', () => {
    for (const bad of ['', 'tree x\n\n', `parent ${OID}\n\n`, `tree ${OID}\nparent 12\n\n`, `tree ${OID}\nnospace\n\n`]) {
      expect(() => parseCommit(bytesOf(bad), OID)).toThrow(corrupt)
    }
    for (const bad of ['', `object ${OID}\n\n`, `object ${OID}\ntype x\n\n`]) expect(() => parseTag(bytesOf(bad), OID)).toThrow(corrupt)
  })
})

describe('deltas', () => {
  const size = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...size(value >> 7)])
  const copy = (from: number, length: number): number[] => {
    const [bytes, code] = [[] as number[], { bits: 0x80 }]
    for (const [at, byte] of [
      from & 255,
      (from >> 8) & 255,
      (from >> 16) & 255,
      from >> 24,
      length & 255,
      (length >> 8) & 255,
      length >> 16,
    ].entries()) {
      if (byte === 0) continue
      code.bits |= 1 << at
      bytes.push(byte)
    }
    return [code.bits, ...bytes]
  }

  test('make what their instructions say', () => {
    const base = Uint8Array.from({ length: 70_000 }, (_, at) => at * 7)
    const piece = fc.oneof(
      fc.record({ from: fc.nat(69_999), length: fc.integer({ min: 1, max: 70_000 }) }),
      fc.record({ insert: fc.uint8Array({ minLength: 1, maxLength: 127 }) }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const code: number[] = []
        const parts: Uint8Array[] = []
        for (const one of pieces) {
          if ('insert' in one) {
            code.push(one.insert.length, ...one.insert)
            parts.push(one.insert)
          } else {
            const length = Math.min(one.length, base.length - one.from)
            code.push(...copy(one.from, length === 0x10000 ? 0 : length))
            parts.push(base.subarray(one.from, one.from + length))
          }
        }
        const wanted = Buffer.concat(parts)
        const delta = Uint8Array.from([...size(base.length), ...size(wanted.length), ...code])
        expect(Buffer.compare(applyDelta(base, delta, 1e6), wanted)).toBe(0)
        if (wanted.length > 0)
          expect(() => applyDelta(base, delta, wanted.length - 1)).toThrow(expect.objectContaining({ code: 'too_large' }))
        for (let cut = 0; cut < Math.min(delta.length, 20); cut++) {
          if (wanted.length > 0) expect(() => applyDelta(base, delta.subarray(0, cut), 1e6)).toThrow(corrupt)
        }
      }),
    )
  })

  test('that are damaged are refused', () => {
    const base = new Uint8Array(10)
    const cases = [
      [],
      [10],
      [9, 1, 1, 0],
      [10, 2, 1, 0],
      [10, 0, 1, 0],
      [10, 1, 0],
      [10, 5, 0x91, 8, 5],
      [10, 1, 5, 1],
      [...Array(12).fill(255)],
    ]
    for (const bytes of cases) expect(() => applyDelta(base, Uint8Array.from(bytes), 1e6)).toThrow(corrupt)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        try {
          applyDelta(base, bytes, 1000)
        } catch (error) {
          expect(['corrupt', 'too_large']).toContain((error as { code?: string }).code)
        }
      }),
    )
  })
})

test('a cache keeps what was used last, within its bytes', () => {
  const cache = createByteCache<number>(2500)
  const [one, two] = [cache.part(), cache.part()]
  one.set(1, 10, 800)
  two.set(1, 20, 800)
  expect([one.get(1), two.get(1), one.get(2)]).toEqual([10, 20, undefined])
  one.get(1)
  two.set(2, 30, 800)
  expect([one.get(1), two.get(1), two.get(2)]).toEqual([10, undefined, 30])
  one.set(3, 40, 5000)
  expect(one.get(3)).toBeUndefined()
  one.set(1, 11, 100)
  expect(one.get(1)).toBe(11)
  one.clear()
  expect([one.get(1), two.get(2)]).toEqual([undefined, 30])
})

test('steps are synchronous until they must wait', async () => {
  function* sum(values: readonly (number | Promise<number>)[]): Steps<number> {
    let total = 0
    try {
      for (const value of values) total += yield* settled(value)
    } catch {
      return -1
    }
    return total
  }
  expect(run(sum([1, 2]))).toBe(3)
  const waiting = run(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]))
  expect(waiting).toBeInstanceOf(Promise)
  expect(await waiting).toBe(10)
  expect(await run(sum([Promise.reject(new Error('no'))]))).toBe(-1)
  const throwing = function* (): Steps<number> {
    yield* settled(Promise.resolve(1))
    throw new RangeError('of its own')
  }
  await expect(run(throwing())).rejects.toThrow(RangeError)
})
