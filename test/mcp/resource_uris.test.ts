/** URIs of resources: one for one thing, and nothing that leads elsewhere. */
import { describe, expect, test } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { type Address, createResourceUris } from '../../src/mcp/resources/uri.ts'

const ROOTS = [
  ['a virtual root', { root: '', aliases: [] }, 'filewright:///files'],
  ['a folder', { root: '/home/me/my project', aliases: ['/mnt/link'] }, 'file:///home/me/my%20project'],
  ['the root of the host', { root: '/', aliases: [] }, 'file://'],
] as const

const NAMES = [
  'a.txt',
  'src/deep/ü ñ.ts',
  'a b#c?d%41.txt',
  '~/..a/...',
  'back\\slash',
  '日本/🎉',
  '100%',
  'bad-\udcff\udc80.bin',
  "it's(1)!*",
]

describe.each(ROOTS)('%s', (_, anchor, base) => {
  const uris = createResourceUris(anchor)

  test.each(NAMES)('%s: built and read again', (path) => {
    const uri = uris.file(path as Path)
    expect(uri.startsWith(`${base}/`)).toBe(true)
    expect(uri).toMatch(/^[\w:/.~%!*'()-]+$/)
    expect(uris.parse(uri)).toEqual({ kind: 'path', names: path.split('/'), directory: false, part: null })
    expect(uris.parse(uris.file(path as Path, true))).toMatchObject({ names: path.split('/'), directory: true })
  })

  test('the root itself, and parts', () => {
    expect(uris.parse(uris.file('' as Path))).toEqual({ kind: 'path', names: [], directory: true, part: null })
    const part = (query: string): unknown => (uris.parse(`${base}/a${query}`) as Extract<Address, { kind: 'path' }> | null)?.part
    expect(part('?offset=3&length=9')).toEqual({ offset: 3, length: 9 })
    expect(part('?length=0')).toEqual({ offset: 0, length: 0 })
    for (const query of [
      '?',
      '?x=1',
      '?offset=-1',
      '?offset=1&offset=2',
      '?offset=1.5',
      '?offset=',
      '?offset=1=2',
      '?offset=99999999999999999999',
    ])
      expect(part(query), query).toBeUndefined()
  })

  test.each([
    '/../etc/passwd',
    '/a/../b',
    '/%2e%2e/etc/passwd',
    '/a/%2E./b',
    '/a/%2fetc',
    '/a%00b',
    '/a\0b',
    '/a//b',
    '//a',
    '/./a',
    '/a/%',
    '/a/%4',
    '/a/%zz',
    '/a#fragment',
    '/\ud800',
    `/${'a'.repeat(40_000)}`,
  ])('%j names nothing', (tail) => {
    expect(uris.parse(base + tail)).toBeNull()
  })

  test('what is escaped twice is a name with a percent sign', () => {
    expect(uris.parse(`${base}/%252e%252e/x`)).toMatchObject({ names: ['%2e%2e', 'x'] })
  })
})

test.each([
  'http://localhost/a',
  'file://other/home/me/my%20project/a',
  'file:///home/me/my%20project-evil/a',
  'file:///home/me/a',
  'file:///etc/passwd',
  'file:/home/me/my%20project/a',
  'filewright:///files/a',
  'filewright://host/changes',
  'filewright:///changes/',
  'filewright:///changes/a/b',
  'filewright:///changes/a/patch/b',
  'filewright:///changes/a%2fb',
  'filewright:///changes?offset=1',
  'filewright:///results',
  'filewright:///',
  'filewright:',
  '',
])('%j is not of a workspace in a folder', (uri) => {
  expect(createResourceUris({ root: '/home/me/my project', aliases: ['/mnt/link'] }).parse(uri)).toBeNull()
})

test('other spellings of the root are the same place; the root of the host is no file of a virtual one', () => {
  const uris = createResourceUris({ root: '/home/me/my project', aliases: ['/mnt/link'] })
  expect(uris.parse('FILE://localhost/mnt/link/a')).toMatchObject({ kind: 'path', names: ['a'] })
  expect(createResourceUris({ root: '', aliases: [] }).parse('file:///a')).toBeNull()
})

test.each([
  ['filewright:///changes', { kind: 'log' }],
  ['filewright:///changes/last', { kind: 'change', id: 'last' }],
  ['filewright:///changes/12/patch', { kind: 'patch', id: '12' }],
  ['filewright:///results/ab12', { kind: 'result', id: 'ab12', part: null }],
  ['filewright:///results/ab12?offset=5', { kind: 'result', id: 'ab12', part: { offset: 5, length: null } }],
])('%s', (uri, address) => {
  for (const [, anchor] of ROOTS) expect(createResourceUris(anchor).parse(uri)).toEqual(address)
})
