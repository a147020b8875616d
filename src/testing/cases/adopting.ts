/** Cases about taking over the files and the past of another workspace. */
import type { FileSystem } from '../../core/file_system.ts'
import type { JournalRecord } from '../../core/record.ts'
import { check, fails, same } from '../assert.ts'
import { changesOf, inverseOf, verifyChain } from '../history.ts'
import {
  allRecords,
  at,
  commit,
  draft,
  hashOf,
  keptContents,
  makeDirectory,
  objectBytes,
  objectText,
  plant,
  readText,
  remove,
  scanPaths,
  utf8,
  write,
} from '../setup.ts'
import { snapshot } from '../snapshot.ts'
import { changeALot, prepareTakeOver, takeOver } from '../take_over.ts'
import type { CaseTable } from './case.ts'

/** Enough that their record is stored apart. */
const MANY = 300

/** Checks that an adoption fails, and that the storage is as empty as before. */
async function refused(fs: FileSystem, code: Parameters<typeof fails>[1], what: string, adopt: () => Promise<void>): Promise<void> {
  await fails(adopt, code, what)
  same([await scanPaths(fs, ''), await fs.records(), await keptContents(fs)], [[], [], []], `${what}: the storage`)
}

/** Records of a short past, which are in no storage yet. */
async function shortPast(source: FileSystem): Promise<readonly [JournalRecord, JournalRecord, JournalRecord]> {
  await plant(source, { f: 'one' })
  await commit(source, write(source, 'f', 'two', hashOf(source, 'one')))
  await commit(source, remove('f', hashOf(source, 'two')))
  const [a, b, c] = await allRecords(source)
  check(a !== undefined && b !== undefined && c !== undefined, 'three records')
  return [a, b, c]
}

export const adoptingCases: CaseTable = {
  'adopt: files, records and objects are those of the other': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      await changeALot(source, MANY)
      check(
        (await allRecords(source)).some(({ changes }) => changes === null),
        'a record is stored apart',
      )
      await takeOver(source, fs)
      same(await snapshot(fs), await snapshot(source), 'the tree')
      const records = await allRecords(source)
      same([await allRecords(fs), await verifyChain(fs)], [records, records.length], 'the records')
      same(await fs.records({ id: records[2]?.id ?? '' }), [records[2]], 'a record by id')
      for (const { hash } of await keptContents(source))
        same(await objectBytes(fs, hash), await objectBytes(source, hash), `object ${hash}`)
      const times = async (storage: FileSystem) => (await storage.stat(at('e/f'))).mtimeMs
      check(Math.abs(((await times(fs)) ?? 0) - ((await times(source)) ?? 0)) < 0.001, 'the time of a file')
    })
  },

  'adopt: the chain goes on, and the past can be taken back': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      await changeALot(source, MANY)
      await takeOver(source, fs)
      const last = (await allRecords(source)).at(-1) as JournalRecord
      const removal = (await fs.records({ before: 7, limit: 1 }))[0] as JournalRecord
      const [change] = (await changesOf(fs, removal)).filter(({ kind }) => kind === 'remove')
      check(change?.before?.kind === 'file', 'a file was removed')
      const record = await fs.commit(inverseOf([change]), draft({ kind: 'undo', target: removal.id }))
      same([record.sequence, record.previous], [last.sequence + 1, last.hash], 'the next record')
      same((await fs.stat(change.path)).size, change.before.size, 'the file that came back')
      await commit(fs, write(fs, 'e/f', 'five', hashOf(fs, 'two')), remove('empty', 'directory'))
      same([await readText(fs, 'e/f'), await verifyChain(fs)], ['five', last.sequence + 2], 'a file, and the chain')
    })
  },

  'adopt: what was staged and the records name is kept; what was not is as forgotten': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      const records = await shortPast(source)
      await fs.stage(utf8('two'))
      await fs.stage(utf8('named by no record'))
      await fs.adopt([], records)
      same(await keptContents(fs), [{ hash: hashOf(fs, 'two').hash, size: 3 }], 'what history holds')
      same([await objectText(fs, hashOf(fs, 'two').hash), await verifyChain(fs)], ['two', 3], 'an object, and the chain')
      await fails(() => fs.object(hashOf(fs, 'one').hash), 'not_found', 'the object of what was not staged')
      await fs.forget([hashOf(fs, 'two').hash])
      await fails(() => fs.object(hashOf(fs, 'two').hash), 'not_found', 'the object of what is forgotten')
    })
  },

  'adopt: content that files hold too stays when they do not keep it': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      await plant(source, { f: 'text' })
      await takeOver(source, fs)
      await commit(fs, { ...remove('f', hashOf(fs, 'text')), keep: false })
      same(await objectText(fs, hashOf(fs, 'text').hash), 'text', 'the object that a record names')
    })
  },

  'adopt: files with an empty past, or nothing at all': async (fs) => {
    await fs.adopt([], [])
    same([await scanPaths(fs, ''), await fs.records()], [[], []], 'the storage')
    const record = await commit(fs, write(fs, 'f', 'x'))
    same([record.sequence, record.previous, await readText(fs, 'f')], [1, null, 'x'], 'the first record')
  },

  'adopt: only into an empty storage': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      const records = await shortPast(source)
      await plant(fs, { mine: 'mine', d: null })
      const state = async () => [await snapshot(fs), await allRecords(fs), await keptContents(fs)]
      const before = await state()
      await fails(() => fs.adopt([makeDirectory('x')], records), 'already_exists', 'into a storage with files')
      await fails(() => fs.adopt([], [{ ...records[0], note: 'not sound' }]), 'already_exists', 'not sound, into a storage with files')
      same(await state(), before, 'the storage')
      await commit(fs, { ...remove('mine', hashOf(fs, 'mine')), keep: false }, remove('d', 'directory'))
      await fails(() => fs.adopt([], records), 'already_exists', 'into a storage without files that has records')
      same([await scanPaths(fs, ''), (await fs.records()).length], [[], 2], 'the storage')
    })
  },

  'adopt: one of two at the same time': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      const records = await shortPast(source)
      const results = await Promise.allSettled([fs.adopt([makeDirectory('a')], records), fs.adopt([makeDirectory('b')], records)])
      const codes = results.map((result) => (result.status === 'rejected' ? result.reason?.code : 'done')).sort()
      same(codes, ['already_exists', 'done'], 'what came of them')
      same([(await scanPaths(fs, '')).length, await verifyChain(fs)], [1, 3], 'files and records')
    })
  },

  'adopt: all or nothing, and again': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      await changeALot(source, MANY)
      const { changes, records } = await prepareTakeOver(source, fs)
      const missing = { kind: 'write', path: at('x'), content: { hash: hashOf(fs, 'never').hash, size: 5 }, expect: 'absent' } as const
      await refused(fs, 'not_found', 'content that was not staged', () => fs.adopt([...changes, missing], records))
      await refused(fs, 'conflict', 'a file that is there', () => fs.adopt([...changes, write(fs, 'e/f', 'x')], records))
      await refused(fs, 'not_found', 'a missing parent', () => fs.adopt([...changes, write(fs, 'nope/f', 'x')], records))
      await refused(fs, 'corrupt', 'a chain that is not sound', () => fs.adopt(changes, records.toSpliced(2, 1)))
      await fs.adopt(changes, records)
      same([await snapshot(fs), await allRecords(fs)], [await snapshot(source), records], 'the tree and the records')
    })
  },

  'adopt: changes that are stored apart must be there': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      const names = Array.from(
        { length: 2 * MANY },
        (_, index) => `a directory whose name is long enough that many of them are too long ${index}`,
      )
      const record = await commit(source, ...names.map((name) => makeDirectory(name)))
      same(record.changes, null, 'changes that are many')
      await refused(fs, 'not_found', 'changes that were not staged', () => fs.adopt([], [record]))
      await fs.stage(await objectBytes(source, record.changesHash))
      await refused(fs, 'corrupt', 'another number of changes', () => fs.adopt([], [{ ...record, count: record.count + 1 }]))
      await fs.adopt([], [record])
      same((await changesOf(fs, record)).length, names.length, 'the changes')
      same([await fs.records(), await verifyChain(fs)], [[record], 1], 'the record')
      same(
        (await keptContents(fs)).map(({ hash }) => hash),
        [record.changesHash],
        'what history holds',
      )
    })
  },

  'adopt: a chain that is not sound is corrupt': async (fs, { withAnother }) => {
    await withAnother(async (source) => {
      const [a, b, c] = await shortPast(source)
      const wrong: { readonly [name: string]: readonly JournalRecord[] } = {
        'without its beginning': [b, c],
        'without its middle': [a, c],
        'in another order': [b, a, c],
        'newest first': [c, b, a],
        'the same record twice': [a, a],
        'another subject': [{ ...a, subject: 'someone else' }, b, c],
        'another note at the end': [a, b, { ...c, note: 'not said' }],
        'other changes': [a, { ...b, changes: a.changes }, c],
        'a change too many': [a, b, { ...c, changes: [...(c.changes ?? []), ...(a.changes ?? [])] }],
        'another hash': [a, b, { ...c, hash: a.hash }],
      }
      for (const [name, records] of Object.entries(wrong)) await refused(fs, 'corrupt', name, () => fs.adopt([makeDirectory('d')], records))
      await fs.adopt([], [a, b])
      same(await verifyChain(fs), 2, 'a chain whose end is cut off is sound')
    })
  },
}
