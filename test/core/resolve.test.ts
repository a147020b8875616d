/** Resolving callers' paths on a virtual root: the attack table of security.md 1.4 as far as paths alone go. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Change } from '../../src/core/change.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import { MAX_LINKS, resolvePath } from '../../src/core/resolve.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'

let fs: FileSystem

const link = (path: string, target: string): Change => ({ kind: 'link', path: path as Path, target, expect: 'absent' })
const dir = (path: string): Change => ({ kind: 'makeDirectory', path: path as Path })

beforeAll(async () => {
  fs = createMemoryFs()
  const file = { hash: fs.hasher.hash(new Uint8Array()), size: 0, bytes: new Uint8Array() }
  const write = (path: string): Change => ({ kind: 'write', path: path as Path, content: file, expect: 'absent' })
  const chain = Array.from({ length: MAX_LINKS + 1 }, (_, i) => link(`chain${i + 1}`, i === 0 ? 'src/a.txt' : `chain${i}`))
  await fs.commit(
    [
      dir('src'),
      dir('dir'),
      dir('.git'),
      write('src/a.txt'),
      write('..foo'),
      write('.git/config'),
      link('in', 'src'),
      link('lnk', 'src/a.txt'),
      link('up', '..'),
      link('out', '../../etc'),
      link('comesback', '../ws/src'),
      link('absin', '/src'),
      link('loop', 'loop'),
      link('l1', 'l2'),
      link('l2', 'l1'),
      link('dang', 'nope'),
      link('dangdeep', 'src/new/file.txt'),
      link('dangout', '../outside/new'),
      link('dir/self', '../dir/../src'),
      link('slash', 'src/a.txt/'),
      ...chain,
    ],
    { id: '20260101T000000000Z-00000000', time: '2026-01-01T00:00:00.000Z', kind: 'call', subject: 's', tool: 't', call: null },
  )
})

async function outcome(given: unknown, last: 'follow' | 'keep' = 'follow'): Promise<string> {
  try {
    const { path, entry, missingParents } = await resolvePath(fs, given, { last })
    return entry ? `${entry.kind} ${path}` : `missing ${path} after [${missingParents.join(' ')}]`
  } catch (error) {
    return (error as { code: string }).code
  }
}

const followed: readonly (readonly [given: unknown, expected: string])[] = [
  ['src/a.txt', 'file src/a.txt'],
  ['/src/a.txt', 'file src/a.txt'],
  ['//src///./a.txt', 'file src/a.txt'],
  ['.', 'directory '],
  ['/', 'directory '],
  ['src/../src/a.txt', 'file src/a.txt'],
  ['..foo', 'file ..foo'],
  ['..', 'outside_root'],
  ['../outside/secret', 'outside_root'],
  ['dir/../../outside/secret', 'outside_root'],
  ['../ws/src/a.txt', 'outside_root'],
  ['nope/../src/a.txt', 'not_found'],
  ['src/a.txt/../a.txt', 'not_directory'],
  ['src/a.txt/', 'not_directory'],
  ['src/a.txt/child', 'not_directory'],
  ['', 'invalid_argument'],
  ['a\0b', 'invalid_argument'],
  [7, 'invalid_argument'],
  ['x'.repeat(256), 'invalid_name'],
  ['😀'.repeat(64), 'invalid_name'],
  ['a/'.repeat(300), 'invalid_name'],
  ['in/a.txt', 'file src/a.txt'],
  ['lnk', 'file src/a.txt'],
  ['up', 'outside_root'],
  ['up/x', 'outside_root'],
  ['in/../../outside', 'outside_root'],
  ['out/passwd', 'outside_root'],
  ['comesback/a.txt', 'outside_root'],
  ['absin/a.txt', 'file src/a.txt'],
  ['dir/self/a.txt', 'file src/a.txt'],
  ['in/../dir', 'directory dir'],
  ['loop', 'loop'],
  ['l1', 'loop'],
  [`chain${MAX_LINKS}`, 'file src/a.txt'],
  [`chain${MAX_LINKS + 1}`, 'loop'],
  ['dang', 'missing nope after []'],
  ['dang/x', 'missing nope/x after [nope]'],
  ['dangdeep', 'missing src/new/file.txt after [src/new]'],
  ['dangout', 'outside_root'],
  ['x/y/z', 'missing x/y/z after [x x/y]'],
  ['slash', 'not_directory'],
  ['a%2e%2e%2foutside', 'missing a%2e%2e%2foutside after []'],
  ['..\\outside\\secret', 'missing ..\\outside\\secret after []'],
  ['~/.ssh/id_rsa', 'missing ~/.ssh/id_rsa after [~ ~/.ssh]'],
  ['file:///etc/passwd', 'missing file:/etc/passwd after [file: file:/etc]'],
  ['__proto__', 'missing __proto__ after []'],
]

describe('resolvePath, links followed', () => {
  it.each(followed)('%j → %s', async (given, expected) => expect(await outcome(given)).toBe(expected))
})

const kept: readonly (readonly [given: string, expected: string])[] = [
  ['lnk', 'link lnk'],
  ['in', 'link in'],
  ['in/', 'directory src'],
  ['in/a.txt', 'file src/a.txt'],
  ['out', 'link out'],
  ['loop', 'link loop'],
  ['out/x', 'outside_root'],
]

describe('resolvePath, the last link kept', () => {
  it.each(kept)('%j → %s', async (given, expected) => expect(await outcome(given, 'keep')).toBe(expected))
})

describe('a root on disk', () => {
  const anchored = {
    traits: { root: '/w/app', aliases: ['/link'] },
    stat: async () => Promise.reject(Object.assign(new Error(), {})),
    readLink: async () => '',
  }
  it.each(['/w/app-evil/x', '/w', '/etc/passwd', '/linked/x'])('%s is outside', async (given) => {
    await expect(resolvePath(anchored as never, given, { last: 'follow' })).rejects.toMatchObject({ code: 'outside_root' })
  })
})
