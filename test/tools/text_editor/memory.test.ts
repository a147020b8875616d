/** The commands of the memory tool where they meet links, hidden things and other directories. */
import { describe, expect, test } from 'vitest'
import type { Path } from '../../../src/core/path.ts'
import { TOOLS } from '../../../src/tools/index.ts'
import { profileWith } from '../../profiles/setup.ts'
import type { Planted } from '../setup.ts'

async function memoryWith(files: { readonly [path: string]: Planted }) {
  const fixture = await profileWith('text-editor', files)
  return { ...fixture, memory: (command: string, args: object) => fixture.call('memory', { command, ...args }) }
}

describe('view', () => {
  test('a link stands for what it leads to, one that leads out of /memories for nothing', async () => {
    const { memory } = await memoryWith({
      secret: 'secret',
      'memories/a': 'abc',
      'memories/in': { link: 'a' },
      'memories/out': { link: '../secret' },
      'memories/loop': { link: 'loop' },
    })
    const { text } = await memory('view', { path: '/memories' })
    expect(text.split('\n').slice(1)).toEqual(['3B\t/memories', '3B\t/memories/a', '3B\t/memories/in'])
  })

  test('a directory counts all that is in it, however deep', async () => {
    const { memory } = await memoryWith({ 'memories/a/b/c/d': 'x'.repeat(2048), 'memories/a/b/e': 'y' })
    const { text } = await memory('view', { path: '/memories/' })
    expect(text.split('\n').slice(1)).toEqual(['2K\t/memories/', '2K\t/memories/a/', '2K\t/memories/a/b/'])
  })

  test('more entries than one answer holds are counted', async () => {
    const { memory } = await memoryWith(Object.fromEntries(Array.from({ length: 1003 }, (_, i) => [`memories/f${i}`, ''])))
    expect((await memory('view', { path: '/memories' })).text).toMatch(/\n\[3 more entries\]$/)
  })

  test('a file with too many lines is refused in the documented words', async () => {
    const { memory } = await memoryWith({ 'memories/a': '\n'.repeat(1_000_000) })
    expect(await memory('view', { path: '/memories/a' })).toMatchObject({
      code: 'too_large',
      text: 'File /memories/a exceeds maximum line limit of 999,999 lines.',
    })
  })
})

describe('delete', () => {
  test('a link goes, what it leads to stays', async () => {
    const { memory, read, fs } = await memoryWith({ 'memories/d/a': 'x', 'memories/l': { link: 'd' } })
    expect(await memory('delete', { path: '/memories/l' })).toMatchObject({ code: null })
    expect(await read('memories/d/a')).toBe('x')
    expect((await fs.list('memories' as Path)).map(({ path }) => path)).toEqual(['memories/d'])
  })

  test('a directory with links and empty directories, in one change that can be undone', async () => {
    const { memory, workspace, fs, read } = await memoryWith({
      'memories/d/a': 'x',
      'memories/d/e': { directory: true },
      'memories/d/l': { link: 'a' },
    })
    expect(await memory('delete', { path: '/memories/d' })).toMatchObject({ code: null })
    expect(await fs.list('memories' as Path)).toEqual([])
    await workspace.undo('last')
    expect(await read('memories/d/a')).toBe('x')
    expect((await fs.list('memories/d' as Path)).map(({ kind }) => kind)).toEqual(['file', 'directory', 'link'])
  })

  test('what leads out of the workspace, protected names and folders of backups are refused', async () => {
    const { memory, workspace } = await memoryWith({
      'memories/d/out': { link: '../../../x' },
      'memories/g/.git/config': '',
      'memories/k/a': 'x',
    })
    await workspace.run(TOOLS.backup_file, { file_path: 'memories/k/a', backup_root: 'memories/k/kept' })
    const records = await workspace.log()
    expect(await memory('delete', { path: '/memories/d' })).toMatchObject({ code: 'outside_root' })
    expect(await memory('delete', { path: '/memories/g' })).toMatchObject({ code: 'protected_path' })
    expect(await memory('delete', { path: '/memories/k' })).toMatchObject({ code: 'protected_path' })
    expect(await workspace.log()).toHaveLength(records.length)
  })
})

describe('rename', () => {
  test('a link is renamed itself', async () => {
    const { memory, fs } = await memoryWith({ 'memories/a': 'x', 'memories/l': { link: 'a' } })
    expect(await memory('rename', { old_path: '/memories/l', new_path: '/memories/m' })).toMatchObject({ code: null })
    expect(await fs.readLink('memories/m' as Path)).toBe('a')
  })

  const REFUSED: readonly (readonly [what: string, from: string, to: string, code: string])[] = [
    ['onto a directory', '/memories/a', '/memories/d', 'already_exists'],
    ['a file to the name of a directory', '/memories/a', '/memories/n/', 'is_directory'],
    ['a directory into itself', '/memories/d', '/memories/d/e/f', 'invalid_argument'],
    ['below a file', '/memories/d', '/memories/a/x', 'not_directory'],
    ['out by ..', '/memories/a', '/memories/../b', 'outside_root'],
    ['in from outside', '/x', '/memories/x', 'outside_root'],
    ['through a link that leads out', '/memories/a', '/memories/l/b', 'outside_root'],
    ['to a protected name', '/memories/a', '/memories/.git', 'protected_path'],
  ]
  test.each(REFUSED)('%s is refused', async (_, old_path, new_path, code) => {
    const { memory, read } = await memoryWith({ x: '', 'o/p': '', 'memories/a': 'x', 'memories/d/b': '', 'memories/l': { link: '../o' } })
    expect(await memory('rename', { old_path, new_path })).toMatchObject({ code })
    expect(await read('memories/a')).toBe('x')
  })
})
