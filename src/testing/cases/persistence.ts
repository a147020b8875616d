/** Cases about opening a place again. They run only on adapters that say they keep what was committed. */
import { check, fails, same } from '../assert.ts'
import { verifyChain } from '../history.ts'
import {
  allRecords,
  at,
  backUp,
  bytesOf,
  commit,
  draft,
  hashOf,
  keptContents,
  makeDirectory,
  move,
  objectText,
  plant,
  readText,
  remove,
  scanPaths,
  write,
} from '../setup.ts'
import { snapshot } from '../snapshot.ts'
import { changeALot, takeOver } from '../take_over.ts'
import { type CaseTable, withLinks } from './case.ts'

export const persistenceCases: CaseTable = {
  'reopen: an empty place is empty': async (fs, { reopen }) => {
    check(fs.traits.durability !== 'memory', 'a storage that persists says so')
    const again = await reopen()
    same([await scanPaths(again, ''), await again.records()], [[], []], 'the tree and the journal')
    await commit(again, write(again, 'f', 'x'))
    same(await readText(await reopen(), 'f'), 'x', 'the file')
  },

  'reopen: the tree, its facts and the journal are what they were': async (fs, { reopen, sizes }) => {
    const mtimeMs = Date.UTC(2015, 3, 4)
    await plant(fs, { d: null, 'd/sub': null, 'd/sub/f': 'one', empty: null, 'odd \udcff %': 'name', é: '' })
    await commit(fs, { ...write(fs, 'script', '#!'), mode: 0o750, mtimeMs })
    await commit(fs, write(fs, 'd/sub/f', 'two', hashOf(fs, 'one')), move('d', 'e', 'directory'))
    await commit(fs, ...Array.from({ length: sizes.changes }, (_, index) => makeDirectory(`many directories with long names ${index}`)))
    const state = async (storage: typeof fs) => {
      const entries = await storage.statMany(['script', 'e', 'e/sub/f', 'empty'].map(at))
      // A hash may be known from having written the file, and have to be read again later.
      const facts = entries.map((entry) => ({ ...entry, hash: null }))
      return [facts, await snapshot(storage), await allRecords(storage)]
    }
    const before = await state(fs)
    const again = await reopen()
    same(await state(again), before, 'everything')
    same(await verifyChain(again), 4, 'records in the chain')
  },

  'reopen: links': withLinks(async (fs, { reopen }) => {
    await plant(fs, { l: { link: '../outside' } })
    same(await (await reopen()).readLink(at('l')), '../outside', 'the link')
  }),

  'reopen: before-images and large contents': async (fs, { reopen, sizes }) => {
    const big = new Uint8Array(sizes.bigBytes).fill(7)
    await commit(fs, { kind: 'write', path: at('big'), content: await fs.stage(big), expect: 'absent' }, write(fs, 'f', 'first'))
    await commit(fs, remove('big', hashOf(fs, big)), write(fs, 'f', 'second', hashOf(fs, 'first')))
    const again = await reopen()
    same(new TextDecoder().decode(await bytesOf(await again.object(hashOf(fs, 'first').hash))), 'first', 'a before-image')
    same(await bytesOf(await again.object(hashOf(fs, big).hash)), big, 'a large before-image')
    const { hash } = hashOf(fs, big)
    await commit(again, { kind: 'write', path: at('big'), content: { hash, size: big.length }, expect: 'absent' })
    same(await bytesOf(await again.open(at('big'))), big, 'the file that was brought back')
  },

  'reopen: snapshots, and what was forgotten': async (fs, { reopen }) => {
    await plant(fs, { f: 'one', g: 'two' })
    await commit(fs, backUp('f', hashOf(fs, 'one')), remove('g', hashOf(fs, 'two')))
    await commit(fs, { ...write(fs, 'f', 'three', hashOf(fs, 'one')), keep: false })
    await fs.forget([hashOf(fs, 'two').hash])
    const again = await reopen()
    same(await keptContents(again), [{ hash: hashOf(fs, 'one').hash, size: 3 }], 'what history holds')
    same(await objectText(again, hashOf(fs, 'one').hash), 'one', 'the snapshot')
    await fails(() => again.object(hashOf(fs, 'two').hash), 'not_found', 'the object that was forgotten')
    same(await verifyChain(again), 3, 'records in the chain')
  },

  'reopen: notes': async (fs, { reopen }) => {
    await fs.notes.swap('group/a', null, 'one')
    await fs.notes.swap('group/b', null, 'two')
    await fs.notes.swap('group/c', null, 'gone')
    await fs.notes.swap('group/b', 'two', 'ünïcode\n')
    await fs.notes.swap('group/c', 'gone', null)
    const again = await reopen()
    const expected = [
      { key: 'group/a', value: 'one' },
      { key: 'group/b', value: 'ünïcode\n' },
    ]
    same(await again.notes.list('group/'), expected, 'notes')
    same([await again.notes.swap('group/a', null, 'x'), await again.notes.swap('group/a', 'one', 'x')], [false, true], 'swaps')
    same((await (await reopen()).notes.list(''))[0], { key: 'group/a', value: 'x' }, 'the note that was swapped')
  },

  'reopen: what was adopted': async (fs, { reopen, withAnother }) => {
    await withAnother(async (source) => {
      await changeALot(source, 300)
      await takeOver(source, fs)
      const before = [await snapshot(fs), await allRecords(fs), await keptContents(fs)]
      const again = await reopen()
      same([await snapshot(again), await allRecords(again), await keptContents(again)], before, 'everything')
      const count = await verifyChain(again)
      same((await commit(again, makeDirectory('later'))).sequence, count + 1, 'the next sequence number')
    })
  },

  'reopen: a commit that failed left nothing': async (fs, { reopen }) => {
    await plant(fs, { f: 'x' })
    await fails(() => commit(fs, makeDirectory('d'), write(fs, 'd/g', 'y'), write(fs, 'f', 'z')), 'conflict', 'a commit that fails')
    const again = await reopen()
    same([await scanPaths(again, ''), (await again.records()).length], [['f'], 1], 'the tree and the journal')
  },

  'reopen: the chain goes on, and so do versions and ids': async (fs, { reopen }) => {
    await plant(fs, { f: '1' })
    let storage = fs
    for (let round = 1; round < 6; round++) {
      const { version } = await storage.stat(at('f'))
      storage = await reopen()
      check(version !== null, 'a file has a version')
      const record = await storage.commit([write(storage, 'f', `${round + 1}`, { version })], draft())
      same(record.sequence, round + 1, 'the sequence number')
      await fails(() => commit(storage, remove('f', { version })), 'conflict', 'a version of before')
    }
    same(await verifyChain(storage), 6, 'records in the chain')
  },
}
