/** What a workspace does with its past: retention, purges, going back. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { heldHashes, STORAGES, treeOf } from '../storages.ts'

describe.each(STORAGES)('on %s', (_, open) => {
  let fs: FileSystem
  let workspace: Workspace
  let now: number

  const write = async (file_path: string, content: string): Promise<string> => {
    const { error, changeId } = await workspace.call('write_file', { file_path, content, force_overwrite: true })
    expect(error).toBeNull()
    return changeId as string
  }
  const hash = (text: string) => fs.hasher.hash(new TextEncoder().encode(text))

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 1)
    fs = await open()
    workspace = await openWorkspace({ profile: 'fileops', fs, subject: 'tester', now: () => now })
  })
  afterEach(() => workspace.close())

  describe('collect', () => {
    const versions = async (count: number): Promise<void> => {
      for (let n = 1; n <= count; n++) {
        await write('a', `version ${n}`)
        now += 24 * 60 * 60 * 1000
      }
    }

    it('drops nothing unless asked', async () => {
      await versions(4)
      expect(await workspace.collect()).toMatchObject({ records: 4, recordsKept: 4, objectsDropped: 0, bytesFreed: 0 })
      await workspace.undo('last')
    })

    it('keeps what the newest records need; the chain holds', async () => {
      await versions(5)
      const before = await heldHashes(fs)
      expect(await workspace.collect({ keepRecords: 2, dryRun: true })).toMatchObject({
        recordsKept: 2,
        objects: 4,
        objectsDropped: 2,
        bytesFreed: 18,
      })
      expect(await heldHashes(fs)).toEqual(before)
      expect(await workspace.collect({ keepRecords: 2 })).toMatchObject({ recordsKept: 2, objectsDropped: 2, bytesFreed: 18 })
      expect(await heldHashes(fs)).toEqual([hash('version 3'), hash('version 4')].sort())
      expect((await workspace.verify()).records).toBe(5)
      await workspace.undo(5)
      await workspace.undo(4)
      const tree = await treeOf(fs)
      await expect(workspace.undo(3)).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('no longer kept') })
      expect(await treeOf(fs)).toEqual(tree)
      expect((await workspace.show(3)).changes[0]).toMatchObject({
        diff: null,
        note: 'The content before it is no longer kept in history.',
      })
    })

    it('counts days and bytes, and what all limits keep', async () => {
      await versions(5)
      expect(await workspace.collect({ keepDays: 2.5, dryRun: true })).toMatchObject({ recordsKept: 2 })
      expect(await workspace.collect({ keepBytes: 27, dryRun: true })).toMatchObject({ recordsKept: 3, objectsDropped: 1 })
      expect(await workspace.collect({ keepBytes: 27, keepRecords: 1, dryRun: true })).toMatchObject({ recordsKept: 1, objectsDropped: 3 })
      expect(await workspace.collect({ keepRecords: 0 })).toMatchObject({ recordsKept: 0, objectsDropped: 4 })
      expect(await heldHashes(fs)).toEqual([])
      for (const keepDays of [-1, Number.NaN])
        await expect(workspace.collect({ keepDays })).rejects.toMatchObject({ code: 'invalid_argument' })
    })

    it('never drops the changes of a large record', async () => {
      const content = await workspace.stage(new TextEncoder().encode('same'))
      await workspace.importFiles(Array.from({ length: 800 }, (_, n) => ({ path: `d/${n}`, content })))
      await write('d/1', 'other')
      await workspace.collect({ keepRecords: 0 })
      expect((await workspace.verify()).records).toBe(2)
    })
  })

  describe('purge', () => {
    it('takes a secret out of history, and says who did', async () => {
      await write('env', 'SECRET=1')
      await expect(workspace.purge({ path: 'env' })).rejects.toMatchObject({ code: 'not_found' })
      await write('env', 'SECRET=')
      await write('other', 'x')
      expect(await workspace.purge({ path: 'env', ...{} }, { dryRun: true })).toEqual({ records: [], objects: 1, bytes: 8 })
      const { records, objects, bytes } = await workspace.purge({ path: 'env' }, { subject: 'ana' })
      expect({ objects, bytes }).toEqual({ objects: 1, bytes: 8 })
      expect(records).toMatchObject([{ kind: 'purge', subject: 'ana', count: 0, purged: [hash('SECRET=1')] }])
      await expect(fs.object(hash('SECRET=1'))).rejects.toMatchObject({ code: 'not_found' })
      expect((await workspace.verify()).records).toBe(4)
      await expect(workspace.undo(2)).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('purged from history by change 4'),
      })
      await expect(workspace.undo(4)).rejects.toMatchObject({ code: 'unsupported' })
      expect((await workspace.show(2)).changes[0]?.note).toBe('The content before it was purged from history by change 4.')
      expect(await treeOf(fs)).toEqual({ env: 'SECRET=', other: 'x' })
      // A purge is no change of files that `last` could mean.
      await workspace.undo('last')
      expect(await treeOf(fs)).toEqual({ env: 'SECRET=' })
    })

    it('refuses while a file holds it, unless it is told to', async () => {
      await write('a', 'secret')
      await write('a', 'clean')
      await write('copy', 'secret')
      await expect(workspace.purge({ path: 'a' })).rejects.toMatchObject({ code: 'conflict', details: { paths: ['copy'] } })
      expect(await workspace.log()).toHaveLength(3)
      expect(await workspace.purge({ hash: hash('secret').toUpperCase() }, { force: true })).toMatchObject({ objects: 1 })
      expect(await treeOf(fs)).toEqual({ a: 'clean', copy: 'secret' })
      expect(await heldHashes(fs)).toEqual([])
    })

    it('finds what held a text, in a tree, and leaves the rest', async () => {
      for (const path of ['d/a', 'd/b', 'e']) {
        await write(path, `${'x'.repeat(300_000)}key=12345 in ${path}`)
        await write(path, `nothing in ${path}`)
        await write(path, 'end')
      }
      expect(await workspace.purge({ path: 'd' }, { containing: 'key=12345' })).toMatchObject({ objects: 2 })
      expect(await heldHashes(fs)).toHaveLength(4)
      await expect(workspace.purge({ path: 'd' }, { containing: 'key=12345' })).rejects.toMatchObject({ code: 'not_found' })
      await expect(workspace.purge({ path: '../d' })).rejects.toMatchObject({ code: 'invalid_argument' })
      await expect(workspace.purge({ hash: '12' })).rejects.toMatchObject({ code: 'invalid_argument' })
    })

    it('never takes the changes of a large record', async () => {
      const content = await workspace.stage(new TextEncoder().encode('same'))
      const record = await workspace.importFiles(Array.from({ length: 800 }, (_, n) => ({ path: `d/${n}`, content })))
      await expect(workspace.purge({ hash: record.changesHash })).rejects.toMatchObject({ code: 'invalid_argument' })
      expect((await workspace.verify()).records).toBe(1)
    })
  })

  describe('revertTo', () => {
    it('takes back all that came later as one change, and can be taken back', async () => {
      await write('a', 'one')
      await write('d/b', 'two')
      const then = await treeOf(fs)
      await write('a', 'three')
      await write('a', 'four')
      await write('n/new', 'five')
      await workspace.call('delete_file', { file_path: 'd/b' })
      const now = await treeOf(fs)
      expect(await workspace.revertTo(2, { dryRun: true })).toMatchObject({ record: null, sequence: 2 })
      expect(await treeOf(fs)).toEqual(now)
      const { record, paths } = await workspace.revertTo(2)
      expect(await treeOf(fs)).toEqual(then)
      expect(paths.toSorted()).toEqual(['a', 'd/b', 'n', 'n/new'])
      expect(record).toMatchObject({ sequence: 7, tool: 'revert_to', note: 'Back to change 2' })
      await workspace.undo('last')
      expect(await treeOf(fs)).toEqual(now)
      expect(await workspace.revertTo(8)).toMatchObject({ record: null, paths: [] })
    })

    it('refuses what was purged, and changes nothing', async () => {
      await write('a', 'one')
      await write('a', 'two')
      await write('a', 'three')
      await workspace.purge({ path: 'a' }, { containing: 'one' })
      await expect(workspace.revertTo(1)).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('purged') })
      await workspace.revertTo(2)
      expect(await treeOf(fs)).toEqual({ a: 'two' })
    })

    it('moves back directories, with what is in them', async () => {
      const at = (path: string) => path as Path
      const draft = () => ({ id: `${Math.random()}`, time: '', kind: 'call' as const, subject: '', tool: '', call: null })
      await write('d/x', 'x')
      await write('d/y', 'y')
      await write('k', 'k')
      const then = await treeOf(fs)
      await fs.commit([{ kind: 'move', path: at('d'), to: at('e'), expect: 'directory' }], draft())
      await write('e/y', 'Y')
      await write('e/z', 'Z')
      await fs.commit([{ kind: 'move', path: at('k'), to: at('e/k'), expect: { hash: hash('k') } }], draft())
      await fs.commit([{ kind: 'move', path: at('e'), to: at('f'), expect: 'directory' }], draft())
      await workspace.revertTo(3)
      expect(await treeOf(fs)).toEqual(then)
      await workspace.undo('last')
      expect(await treeOf(fs)).toEqual({ f: null, 'f/k': 'k', 'f/x': 'x', 'f/y': 'Y', 'f/z': 'Z' })
    })
  })
})
