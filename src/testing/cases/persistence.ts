/** Cases about opening a place again. They run only on adapters that say they keep what was committed. */
import { check, fails, same } from '../assert.ts'
import { verifyChain } from '../history.ts'
import { allRecords, at, bytesOf, commit, draft, hashOf, makeDirectory, move, plant, readText, remove, scanPaths, write } from '../setup.ts'
import { snapshot } from '../snapshot.ts'
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
