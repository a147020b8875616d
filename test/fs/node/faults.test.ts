/** A full disk, another disk below the folder, and a user without rights. Mounting and changing the user need root. */
import { execFileSync } from 'node:child_process'
import * as disk from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openNodeFs, openNodeFsOn } from '../../../src/fs/node.ts'
import {
  backUp,
  bytesOf,
  commit,
  copy,
  hashOf,
  inline,
  link,
  makeDirectory,
  move,
  plant,
  remove,
  scanPaths,
  write,
} from '../../../src/testing/setup.ts'
import { type FaultMode, faultySys } from './fault_sys.ts'
import { newFolder, problemsOf, snapshot } from './scenarios.ts'

let folder: ReturnType<typeof newFolder>
let root: string
const mounted: string[] = []

/** Mounts a disk of its own; false where that cannot be done. */
function mount(path: string, size: string): boolean {
  try {
    disk.mkdirSync(path, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' })
    mounted.push(path)
    return true
  } catch {
    return false
  }
}

beforeEach(() => {
  folder = newFolder()
  root = folder.root
})

afterEach(() => {
  for (const path of mounted.splice(0).reverse()) execFileSync('umount', [path])
  folder.remove()
})

const open = () => openNodeFs({ root, durability: 'process' })
const NEEDS_MOUNT = 'mounting is not possible here (needs root)'
const text = async (fs: Awaited<ReturnType<typeof open>>, hash: ReturnType<typeof hashOf>['hash']): Promise<string> =>
  new TextDecoder().decode(await bytesOf(await fs.object(hash)))

describe('a disk that is full', () => {
  it('refuses the write, and everything is as it was', async (context) => {
    if (!mount(root, '1m')) return context.skip(NEEDS_MOUNT)
    const fs = await open()
    const [old, large] = ['o'.repeat(300_000), 'n'.repeat(900_000)]
    await commit(fs, write(fs, 'a', old), makeDirectory('dir'))
    const before = snapshot(root)
    for (const act of [
      () => commit(fs, write(fs, 'a', large, hashOf(fs, old))),
      () => commit(fs, write(fs, 'b', large)),
      () => commit(fs, makeDirectory('dir/x'), write(fs, 'dir/x/y', 'y'), write(fs, 'a', large, hashOf(fs, old))),
      () => fs.stage(new TextEncoder().encode(large)),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'no_space' })
      expect(snapshot(root)).toBe(before)
      expect(await problemsOf(fs, root)).toEqual([])
    }
    await commit(fs, write(fs, 'a', 'small', hashOf(fs, old)))
    expect(await text(fs, hashOf(fs, old).hash)).toBe(old)
    await fs.close()
  })
})

describe('another disk below the folder', () => {
  it('takes every kind of change, with history', async (context) => {
    if (!mount(join(root, 'other'), '8m')) return context.skip(NEEDS_MOUNT)
    const fs = await open()
    await plant(fs, { 'other/a': 'a', 'other/b': 'b', 'other/dir': null, 'other/dir/c': 'c', 'other/link': { link: 'a' }, here: 'here' })
    await commit(
      fs,
      write(fs, 'other/a', 'a new', hashOf(fs, 'a')),
      remove('other/b', hashOf(fs, 'b')),
      makeDirectory('other/dir/deep'),
      write(fs, 'other/dir/deep/d', 'd'),
      move('other/dir/c', 'other/dir/deep/c', hashOf(fs, 'c')),
      link('other/link', 'dir', { link: 'a' }),
      write(fs, 'here', 'here new', hashOf(fs, 'here')),
    )
    expect(await scanPaths(fs, '')).toEqual([
      'here',
      'other',
      'other/a',
      'other/dir',
      'other/dir/deep',
      'other/dir/deep/c',
      'other/dir/deep/d',
      'other/link',
    ])
    const { hash, size } = inline(fs, 'b')
    await commit(fs, { ...write(fs, 'other/b', ''), content: { hash, size } })
    const staged = await fs.stage(new TextEncoder().encode('staged'))
    await commit(fs, { ...write(fs, 'other/staged', ''), content: staged })
    expect(await text(fs, hashOf(fs, 'a').hash)).toBe('a')
    await commit(fs, move('here', 'other/here', hashOf(fs, 'here new')), move('other/dir', 'dir', 'directory'))
    expect(await scanPaths(fs, '')).toEqual([
      'dir',
      'dir/deep',
      'dir/deep/c',
      'dir/deep/d',
      'other',
      'other/a',
      'other/b',
      'other/here',
      'other/link',
      'other/staged',
    ])
    expect(await problemsOf(fs, root)).toEqual([])
    await fs.close()
  })

  it.for(['dead-before', 'dead-after', 'EIO'] as FaultMode[])(
    'is old or new when the process is %s any operation',
    async (mode, context) => {
      if (!mount(join(root, 'other'), '8m')) return context.skip(NEEDS_MOUNT)
      let after = ''
      for (let at = 0, last = false; !last; at++) {
        disk.rmSync(join(root, '.filewright'), { recursive: true, force: true })
        for (const name of disk.readdirSync(join(root, 'other'))) disk.rmSync(join(root, 'other', name), { recursive: true })
        for (const name of disk.readdirSync(root)) if (name !== 'other') disk.rmSync(join(root, name), { recursive: true })
        const setup = await open()
        await plant(setup, { 'other/a': 'a', 'other/b': 'b', 'other/dir': null, tree: null, 'tree/x': 'x', 'tree/sub': null })
        await setup.close()
        const before = snapshot(root)
        const faulty = faultySys({ mode: at === 0 ? 'none' : mode, at })
        const fs = await openNodeFsOn(faulty.sys, { root, durability: 'power' })
        const failure = await commit(
          fs,
          write(fs, 'other/a', 'new', hashOf(fs, 'a')),
          makeDirectory('other/dir/x'),
          write(fs, 'other/dir/x/y', 'y'),
          remove('other/b', hashOf(fs, 'b')),
          copy('other/a', 'tree/copy', hashOf(fs, 'new')),
          move('tree', 'other/dir/tree', 'directory'),
          move('other/dir/x', 'x', 'directory'),
          backUp('other/dir/tree/x', hashOf(fs, 'x')),
        ).then(
          () => null,
          (error: unknown) => error,
        )
        await fs.close()
        if (at === 0) after = snapshot(root)
        last = at > faulty.log.length
        if (mode === 'EIO' && failure) expect({ at, unchanged: snapshot(root) === before }).toEqual({ at, unchanged: true })
        const again = await open()
        const isNew = snapshot(root) === after
        expect({ at, isNew, isOld: snapshot(root) === before }).toEqual({ at, isNew: isNew || failure === null, isOld: !isNew })
        expect(await problemsOf(again, root)).toEqual([])
        await again.close()
      }
    },
  )

  it('keeps the source of a move, and nothing at the goal, when it is full', async (context) => {
    if (!mount(join(root, 'other'), '1m')) return context.skip(NEEDS_MOUNT)
    const fs = await open()
    const large = 'l'.repeat(900_000)
    await plant(fs, { a: large, 'other/filler': large.slice(0, 500_000), dir: null, 'dir/b': 'b', 'dir/c': large })
    const before = snapshot(root)
    for (const change of [
      move('a', 'other/a', hashOf(fs, large)),
      move('dir', 'other/dir', 'directory'),
      copy('a', 'other/a', hashOf(fs, large)),
    ]) {
      await expect(commit(fs, change)).rejects.toMatchObject({ code: 'no_space' })
      expect(snapshot(root)).toBe(before)
      expect(await problemsOf(fs, root)).toEqual([])
    }
    await fs.close()
  })
})

describe('a user without rights', () => {
  it('is refused what is not allowed, and nothing changes by it (needs root, to become nobody)', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can become another user')
    disk.chmodSync(join(root, '..'), 0o755)
    disk.chmodSync(root, 0o777)
    const owner = await open()
    await plant(owner, { unreadable: 'x', closed: null, 'closed/file': 'x', open: null, 'open/file': 'old', mine: null, 'mine/a': 'old' })
    await owner.close()
    disk.chmodSync(join(root, 'unreadable'), 0o600)
    disk.chmodSync(join(root, 'closed'), 0o700)
    disk.chownSync(join(root, 'mine'), 65534, 65534)
    const child = fileURLToPath(new URL('permission_child.ts', import.meta.url))
    const run = (): { [name: string]: unknown } => {
      const args = ['--disable-warning=ExperimentalWarning', child, root]
      return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
    }
    const reads = {
      'read an unreadable file': 'permission_denied',
      'read in a closed directory': 'permission_denied',
      'list a closed directory': 'permission_denied',
      'scan around it': ['closed', 'mine', 'mine/a', 'open', 'open/file', 'unreadable'],
      access: { read: false, write: false },
      'access of what may be read': { read: true, write: false },
    }
    const before = snapshot(root)
    // The history is another user's: everything can be read, nothing changed.
    const foreign = run()
    expect(foreign).toMatchObject({ ...reads, 'history of somebody else': 'permission_denied', 'what may be': 'permission_denied' })
    expect(snapshot(root)).toBe(before)
    disk.rmSync(join(root, '.filewright'), { recursive: true })
    const own = run()
    expect(own).toEqual({
      ...reads,
      'history of somebody else': [],
      'write into a directory that may not be written': 'permission_denied',
      'create there': 'permission_denied',
      'remove there': 'permission_denied',
      'move there': 'permission_denied',
      'make a directory there': 'permission_denied',
      'a batch of which one may not be': 'permission_denied',
      'what may be': 1,
    })
    expect(disk.readdirSync(join(root, '.filewright/staged'))).toEqual([])
    expect(disk.readdirSync(join(root, 'open'))).toEqual(['file'])
    expect(disk.readFileSync(join(root, 'mine/a'), 'utf8')).toBe('new')
  })
})
