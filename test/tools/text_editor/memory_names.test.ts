/** What the memory tool says of a path that fails names it as it was written, wherever the memories are kept (C-46). */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNodeFs } from '../../../src/fs/node.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import { temporaryFolder } from '../storages.ts'

const FAILING: readonly (readonly [path: string, command: string, args: object])[] = [
  ['/memories/a/b', 'view', { path: '/memories/a/b' }],
  ['/memories/a/', 'view', { path: '/memories/a/' }],
  ['/memories/loop', 'view', { path: '/memories/loop' }],
  ['/memories/none/../a', 'view', { path: '/memories/none/../a' }],
  ['/memories/a/b', 'create', { path: '/memories/a/b', file_text: '' }],
  ['/memories/.git/x', 'create', { path: '/memories/.git/x', file_text: '' }],
  ['/memories/loop', 'str_replace', { path: '/memories/loop', old_str: 'a', new_str: 'b' }],
  ['/memories/.git', 'rename', { old_path: '/memories/a', new_path: '/memories/.git' }],
  ['/memories/out', 'rename', { old_path: '/memories/out', new_path: '/memories/c' }],
  ['/memories/out', 'delete', { path: '/memories/out' }],
  ['/memories/d/out', 'delete', { path: '/memories/d' }],
]

test.each(FAILING)('%s: %s', async (path, command, args) => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'memories/d'), { recursive: true })
  writeFileSync(join(root, 'memories/a'), 'a')
  symlinkSync('loop', join(root, 'memories/loop'))
  symlinkSync('/', join(root, 'memories/out'))
  symlinkSync('/', join(root, 'memories/d/out'))
  const workspace = await openWorkspace({ fs: await openNodeFs({ root }), profile: 'text-editor' })
  const { text, error } = await workspace.call('memory', { command, ...args })
  expect(error).not.toBeNull()
  expect(` ${text}`).toContain(` ${path} `)
  expect(text).not.toContain(root)
  await workspace.close()
})
