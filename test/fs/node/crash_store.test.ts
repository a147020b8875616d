/** What is no commit of files, interrupted at every operation: notes, history that is dropped or taken over; and going on afterwards. */
import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { openNodeFs, openNodeFsOn } from '../../../src/fs/node.ts'
import {
  allRecords,
  backUp,
  bytesOf,
  commit,
  copy,
  draft,
  hashOf,
  keptContents,
  makeDirectory,
  readText,
  scanPaths,
  utf8,
  write,
} from '../../../src/testing/setup.ts'
import { type FaultMode, faultySys } from './fault_sys.ts'
import { newFolder, problemsOf, snapshot } from './scenarios.ts'

const MODES: readonly FaultMode[] = ['dead-before', 'dead-after', 'EIO', 'ENOSPC']

interface Attempt {
  readonly root: string
  /** Null when it succeeded. */
  readonly failure: unknown
  readonly at: number
  readonly mode: FaultMode
  /** Opened again after the fault. */
  readonly fs: FileSystem
}

/** Does `act` on a prepared folder with a fault at every one of its operations, and looks at what is there then. */
async function atEveryOperation(
  prepare: (fs: FileSystem, root: string) => Promise<void>,
  act: (fs: FileSystem) => Promise<unknown>,
  look: (attempt: Attempt) => Promise<void>,
  backups = true,
): Promise<void> {
  for (const mode of MODES) {
    for (let at = 1, last = false; !last; at++) {
      const { root, remove } = newFolder()
      try {
        const before = await openNodeFs({ root, durability: 'process' })
        await prepare(before, root)
        await before.close()
        const faulty = faultySys({ mode, at })
        const faultyFs = await openNodeFsOn(faulty.sys, { root, durability: 'power' })
        const failure = await act(faultyFs).then(
          () => null,
          (error: unknown) => error,
        )
        last = at > faulty.log.length
        await faultyFs.close()
        if (last) expect(failure).toBeNull()
        const fs = await openNodeFs({ root, durability: 'process' })
        await look({ root, failure, at, mode, fs })
        expect({ at, mode, problems: await problemsOf(fs, root, backups) }).toEqual({ at, mode, problems: [] })
        await fs.close()
      } finally {
        remove()
      }
    }
  }
}

it('a note is the old one or the new one', async () => {
  await atEveryOperation(
    async (fs) => void (await fs.notes.swap('group/a', null, 'old')),
    (fs) => fs.notes.swap('group/a', 'old', 'new'),
    async ({ fs, failure, at, mode }) => {
      const [note, ...others] = await fs.notes.list('')
      expect(others).toEqual([])
      expect({ at, mode, value: note?.value }).toEqual({ at, mode, value: failure && note?.value === 'old' ? 'old' : 'new' })
      expect(await fs.notes.swap('group/a', note?.value ?? null, 'newer')).toBe(true)
    },
  )
})

it('the first note is there or not, and goes or stays', async () => {
  await atEveryOperation(
    async () => {},
    async (fs) => {
      await fs.notes.swap('group/a', null, 'new')
      await fs.notes.swap('group/b', null, 'new')
      await fs.notes.swap('group/a', 'new', null)
    },
    async ({ fs, failure }) => {
      const keys = (await fs.notes.list('group/')).map(({ key }) => key)
      if (!failure) expect(keys).toEqual(['group/b'])
      else expect(['', 'group/a', 'group/a group/b', 'group/b']).toContain(keys.join(' '))
      await commit(fs, write(fs, 'later', 'later'))
    },
  )
})

it('a backup alone is recorded and kept, or neither', async () => {
  await atEveryOperation(
    async (fs) => void (await commit(fs, write(fs, 'f', 'one'))),
    (fs) => fs.commit([{ ...backUp('f', hashOf(fs, 'one')), keep: { id: 'wanted', label: 'by hand' } }], draft({ id: 'the-one' })),
    async ({ fs, root, failure }) => {
      const recorded = (await fs.records({ id: 'the-one' })).length === 1
      if (!failure) expect(recorded).toBe(true)
      expect((await keptContents(fs)).map(({ hash }) => hash)).toEqual(recorded ? [hashOf(fs, 'one').hash] : [])
      expect(snapshot(root)).toMatch(/^f 644 [0-9a-f]{64}$/)
    },
  )
})

it('of contents that are forgotten, each is there or not', async () => {
  await atEveryOperation(
    async (fs) => {
      for (const [before, body] of [
        [null, 'one'],
        ['one', 'two'],
        ['two', 'three'],
      ] as const) {
        await commit(fs, { ...write(fs, 'f', body, before === null ? 'absent' : hashOf(fs, before)), keep: { id: `to-${body}` } })
      }
      await commit(fs, { ...backUp('f', hashOf(fs, 'three')), keep: { id: 'last' } })
    },
    (fs) => fs.forget(['one', 'two', 'never'].map((body) => hashOf(fs, body).hash)),
    async ({ fs, failure }) => {
      const kept = new Set((await keptContents(fs)).map(({ hash }) => hash))
      expect(kept.has(hashOf(fs, 'three').hash)).toBe(true)
      if (!failure) expect(kept.size).toBe(1)
      expect(await readText(fs, 'f')).toBe('three')
    },
    false,
  )
})

it('another workspace is taken over whole, or not at all', async () => {
  const source = newFolder()
  const from = await openNodeFs({ root: source.root, durability: 'process' })
  await commit(from, makeDirectory('d'), write(from, 'd/f', 'one'))
  await commit(from, write(from, 'd/f', 'two', hashOf(from, 'one')), write(from, 'g', 'g'))
  // So many that the record is stored apart.
  await commit(from, ...Array.from({ length: 700 }, (_, i) => makeDirectory(`d/${'n'.repeat(60)}${i}`)))
  const records = await allRecords(from)
  const tree = snapshot(source.root)
  const objects = await Promise.all((await keptContents(from)).map(async ({ hash }) => bytesOf(await from.object(hash))))
  expect(records.some(({ changes }) => changes === null)).toBe(true)
  await from.close()
  const directories = Array.from({ length: 700 }, (_, i) => makeDirectory(`d/${'n'.repeat(60)}${i}`))
  try {
    await atEveryOperation(
      async () => {},
      async (fs) => {
        for (const bytes of objects) await fs.stage(bytes)
        const [two, g] = [await fs.stage(utf8('two')), await fs.stage(utf8('g'))]
        const files = [
          { ...write(fs, 'd/f', ''), content: two },
          { ...write(fs, 'g', ''), content: g },
        ]
        await fs.adopt([makeDirectory('d'), ...files, ...directories.slice(0, 3)], records)
      },
      async ({ fs, root, failure, at, mode }) => {
        const here = await allRecords(fs)
        const isNew = here.length > 0
        expect({ at, mode, isNew }).toEqual({ at, mode, isNew: isNew || !failure })
        expect(here).toEqual(isNew ? records : [])
        const paths = await scanPaths(fs, '')
        expect(paths.slice(0, 2)).toEqual(isNew ? ['d', 'd/f'] : [])
        if (isNew) expect((await fs.object(hashOf(fs, 'one').hash)).size).toBe(3)
        else expect(await keptContents(fs)).toEqual([])
        expect(tree.split('\n')).toEqual(
          expect.arrayContaining(
            snapshot(root)
              .split('\n')
              .filter((line) => line !== ''),
          ),
        )
        if (isNew) await commit(fs, write(fs, 'later', 'later'))
      },
    )
  } finally {
    source.remove()
  }
}, 120_000)

it('a file that is copied ahead of its commit leaves nothing behind', async () => {
  const size = 17 * 1024 * 1024
  await atEveryOperation(
    async (_, root) => {
      writeFileSync(join(root, 'huge'), '')
      truncateSync(join(root, 'huge'), size)
    },
    async (fs) => {
      const { version } = await fs.stat('huge' as never)
      return fs.commit([copy('huge', 'copy', { version: version as never })], draft({ id: 'the-one' }))
    },
    async ({ fs, root, failure, at, mode }) => {
      const paths = await scanPaths(fs, '')
      const isNew = paths.includes('copy')
      expect({ at, mode, isNew }).toEqual({ at, mode, isNew: isNew || !failure })
      expect((await fs.records({ id: 'the-one' })).length).toBe(isNew ? 1 : 0)
      if (isNew) expect((await fs.stat('copy' as never)).size).toBe(size)
      rmSync(join(root, 'huge'))
      if (existsSync(join(root, '.filewright/staged'))) expect(readdirSync(join(root, '.filewright/staged'))).toEqual([])
    },
  )
}, 60_000)

it('goes on in the same process when a commit failed at any operation', async () => {
  for (let at = 1, last = false; !last; at++) {
    const { root, remove } = newFolder()
    try {
      const before = await openNodeFs({ root, durability: 'process' })
      await commit(before, write(before, 'a', 'old'), write(before, 'b', 'old'))
      await commit(before, write(before, 'c', 'c'))
      await before.close()
      const faulty = faultySys({ mode: 'EIO', at })
      const fs = await openNodeFsOn(faulty.sys, { root, durability: 'power' })
      const failure = await commit(fs, write(fs, 'a', 'new', hashOf(fs, 'old')), write(fs, 'b', 'new', hashOf(fs, 'old'))).catch(
        (error: unknown) => error as Error,
      )
      last = !(failure instanceof Error)
      const count = failure instanceof Error ? 2 : 3
      await commit(fs, write(fs, 'd', 'd'))
      await commit(fs, write(fs, 'd', 'e', hashOf(fs, 'd')))
      expect({ at, records: (await allRecords(fs)).length }).toEqual({ at, records: count + 2 })
      expect({ at, problems: await problemsOf(fs, root) }).toEqual({ at, problems: [] })
      await fs.close()
    } finally {
      remove()
    }
  }
})
