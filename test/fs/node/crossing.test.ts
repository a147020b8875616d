/** Moves to another file system: what cannot be renamed is copied and removed, all or nothing. */
import {
  constants,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../../src/core/change.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { type HostPath, nodeSys, type Sys } from '../../../src/fs/node/syscalls.ts'
import { openNodeFs, openNodeFsOn } from '../../../src/fs/node.ts'
import { allRecords, at, commit, copy, hashOf, makeDirectory, move, plant, remove, scanPaths, write } from '../../../src/testing/setup.ts'
import { reopened } from './crash_points.ts'
import { type FaultMode, faultySys } from './fault_sys.ts'
import { newFolder, problemsOf, snapshot } from './scenarios.ts'

/** `FILEWRIGHT_CRASH_ALL=1` interrupts at every operation instead of every few. */
const STEP = process.env.FILEWRIGHT_CRASH_ALL ? 1 : 5
/** Where each mode begins, so that together they meet every operation. */
const FIRST: { readonly [mode in FaultMode]?: number } = { 'dead-before': 1, 'dead-after': 2, EIO: 3, ENOSPC: 4, short: 5 }

let folder: ReturnType<typeof newFolder>
let root: string

beforeEach(() => {
  folder = newFolder()
  root = folder.root
})

afterEach(() => folder.remove())

/** Where renames fail although the device is the same. */
type Kind = 'a mount' | 'a layer'

/** Directories that came with the layer. */
let layer: Set<number>

/**
 * The system's calls as if `other/` were mounted from elsewhere on the same device, so that nothing can be renamed or linked
 * across; or as if directories were of a lower layer of a container, which cannot be renamed at all.
 */
function bound(kind: Kind): Sys {
  const isOther = (path: HostPath): boolean => {
    const text = path.toString()
    const slash = text.lastIndexOf('/')
    return `${readlinkSync(text.slice(0, slash))}/`.startsWith(`${root}/other/`)
  }
  const within = (act: typeof renameSync) => (from: HostPath, to: HostPath) => {
    const fails = kind === 'a mount' ? isOther(from) !== isOther(to) : layer.has(lstatSync(from).ino)
    if (fails) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
    act(from, to)
  }
  return { ...nodeSys, rename: within(renameSync), link: within(linkSync) }
}

const TREE = {
  a: 'a',
  dir: null,
  'dir/b': 'b',
  'dir/empty': null,
  'dir/link': { link: 'b' },
  'dir/sub': null,
  'dir/sub/c': 'c',
  other: null,
  'other/d': 'd',
} as const

/** Nobody mounts anything at a directory in the moment of its making. */
async function openPlanted(kind: Kind): Promise<FileSystem> {
  const setup = await openNodeFs({ root, durability: 'process' })
  await plant(setup, TREE)
  await setup.close()
  layer = new Set()
  for (const [path, what] of Object.entries(TREE)) if (what === null) layer.add(lstatSync(join(root, path)).ino)
  return openNodeFsOn(bound(kind), { root, durability: 'process' })
}

const changes = (fs: FileSystem): Change[] => [
  write(fs, 'a', 'a new', hashOf(fs, 'a')),
  move('a', 'other/a', hashOf(fs, 'a new')),
  move('dir', 'other/moved', 'directory'),
  write(fs, 'other/moved/sub/c', 'c new', hashOf(fs, 'c')),
  move('other/d', 'd', hashOf(fs, 'd')),
  makeDirectory('dir'),
  copy('other/moved/b', 'dir/b', hashOf(fs, 'b')),
  remove('other/moved/empty', 'directory'),
]

const AFTER = [
  'd',
  'dir',
  'dir/b',
  'other',
  'other/a',
  'other/moved',
  'other/moved/b',
  'other/moved/link',
  'other/moved/sub',
  'other/moved/sub/c',
]

describe.each<Kind>(['a mount', 'a layer'])('%s between whose places nothing can be renamed', (kind) => {
  it('are moved between by copies, which keep mode and time', async () => {
    const fs = await openPlanted(kind)
    utimesSync(join(root, 'dir/sub/c'), 1000, 1000)
    await commit(fs, { ...write(fs, 'dir/run', '#!'), mode: 0o750 })
    const moved = await commit(fs, move('dir', 'other/dir', 'directory'))
    expect(moved.changes).toMatchObject([{ kind: 'move', path: 'dir', to: 'other/dir', kept: true }])
    expect(await scanPaths(fs, '')).toEqual([
      'a',
      'other',
      'other/d',
      'other/dir',
      'other/dir/b',
      'other/dir/empty',
      'other/dir/link',
      'other/dir/run',
      'other/dir/sub',
      'other/dir/sub/c',
    ])
    expect(statSync(join(root, 'other/dir/sub/c')).mtimeMs).toBe(1_000_000)
    expect(statSync(join(root, 'other/dir/run')).mode & 0o777).toBe(0o750)
    expect(await problemsOf(fs, root)).toEqual([])
    // What the journal knows went along.
    const record = await commit(fs, write(fs, 'other/dir/b', 'b new', hashOf(fs, 'b')))
    expect((await allRecords(fs)).filter(({ kind }) => kind === 'external')).toEqual([])
    expect(record.changes?.[0]?.backup).toBeDefined()
    await fs.close()
  })

  it('come to the same in a batch', async () => {
    const fs = await openPlanted(kind)
    await commit(fs, ...changes(fs))
    expect(await scanPaths(fs, '')).toEqual(AFTER)
    expect(readFileSync(join(root, 'other/moved/sub/c'), 'utf8')).toBe('c new')
    expect(await problemsOf(fs, root)).toEqual([])
    await fs.close()
  })

  it.each(['dead-before', 'dead-after', 'EIO', 'ENOSPC', 'short'] as FaultMode[])(
    'are as before or as after when any operation is %s',
    async (mode) => {
      const states = { before: '', after: '' }
      for (let turn = 0, last = false; !last; turn += turn === 0 ? (STEP === 1 ? 1 : (FIRST[mode] ?? 1)) : STEP) {
        folder.remove()
        folder = newFolder()
        root = folder.root
        await (await openPlanted(kind)).close()
        states.before = snapshot(root)
        // The first turn is without a fault.
        const faulty = faultySys({ mode: turn === 0 ? 'none' : mode, at: turn }, bound(kind))
        const fs = await openNodeFsOn(faulty.sys, { root, durability: 'power' })
        const failure = await fs.commit(changes(fs), { ...draftOfOne }).then(
          () => null,
          (error: unknown) => error,
        )
        await fs.close()
        if (turn === 0) states.after = snapshot(root)
        last = turn > faulty.log.length
        const found = await reopenedBound(kind, states)
        const isOld = failure !== null && found.outcome === 'OLD'
        expect({ turn, ...found }).toEqual({ turn, outcome: isOld ? 'OLD' : 'NEW', recorded: !isOld, problems: [] })
      }
    },
    60_000,
  )
})

it('a move across keeps the source when somebody took the goal during a crash', async () => {
  layer = new Set()
  const setup = await openNodeFs({ root, durability: 'process' })
  await plant(setup, { a: 'precious', other: null })
  await setup.close()
  // Dies when the record is written and nothing is moved yet.
  let done = false
  for (let turn = 1; !done; turn++) {
    const faulty = faultySys({ mode: 'dead-before', at: turn }, bound('a mount'))
    const fs = await openNodeFsOn(faulty.sys, { root, durability: 'power' })
    await commit(fs, move('a', 'other/a', hashOf(fs, 'precious'))).catch(() => {})
    await fs.close()
    const journal = readFileSync(join(root, '.filewright/journal'), 'utf8')
    if (!journal.includes('"to":"other/a"')) continue
    done = true
    writeFileSync(join(root, 'other/a'), 'of somebody else')
    const again = await openNodeFsOn(bound('a mount'), { root, durability: 'process' })
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('precious')
    expect(readFileSync(join(root, 'other/a'), 'utf8')).toBe('of somebody else')
    await again.close()
  }
})

const draftOfOne = { id: 'the-one', time: new Date(0).toISOString(), kind: 'call', subject: 'test', tool: 'test', call: null } as const

/** Opens the folder again where renames across fail too. */
async function reopenedBound(kind: Kind, states: { before: string; after: string }) {
  const fs = await openNodeFsOn(bound(kind), { root, durability: 'process' })
  await fs.close()
  return reopened(root, states)
}

it('a file that is written to while it is moved keeps what was written', async () => {
  const fs = await openNodeFs({ root, durability: 'process' })
  await plant(fs, { a: 'a', other: null })
  await fs.close()
  const real = bound('a mount')
  let isCopied = false
  const sys: Sys = {
    ...real,
    open(path, flags, mode) {
      // The copy is being made: another program writes to the original.
      if (flags & constants.O_EXCL && path.toString().includes('.filewright-t-') && !isCopied) {
        isCopied = true
        writeFileSync(join(root, 'a'), 'a of somebody else')
      }
      return real.open(path, flags, mode)
    },
  }
  const moving = await openNodeFsOn(sys, { root, durability: 'process' })
  await expect(commit(moving, move('a', 'other/a', hashOf(moving, 'a')))).rejects.toMatchObject({ code: 'conflict' })
  expect(isCopied).toBe(true)
  expect(await scanPaths(moving, '')).toEqual(['a', 'other'])
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a of somebody else')
  expect((await moving.stat(at('a'))).size).toBe(18)
  rmSync(join(root, 'a'))
  await moving.close()
})
