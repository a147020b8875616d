/** Cases about snapshots, and about what history holds and gives up. */
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { check, fails, same } from '../assert.ts'
import { changesOf, inverseOf, verifyChain } from '../history.ts'
import {
  allRecords,
  at,
  backUp,
  bytesOf,
  commit,
  compareBytes,
  draft,
  hashOf,
  keptContents,
  makeDirectory,
  objectBytes,
  objectText,
  pattern,
  plant,
  readText,
  remove,
  scanPaths,
  utf8,
  write,
} from '../setup.ts'
import { snapshot, unchangedBy } from '../snapshot.ts'
import { type CaseTable, withLinks } from './case.ts'

const ID = '20200101T000000000Z-00000000'

function hashes(fs: FileSystem, ...texts: string[]): Hash[] {
  return texts.map((text) => hashOf(fs, text).hash).sort(compareBytes)
}

async function keptHashes(fs: FileSystem): Promise<Hash[]> {
  return (await keptContents(fs)).map(({ hash }) => hash)
}

export const historyCases: CaseTable = {
  'snapshot: nothing changes but the record': async (fs) => {
    await plant(fs, { d: null, 'd/f': 'text' })
    const before = [await snapshot(fs), await fs.statMany([at('d/f'), at('d')])]
    const keep = { id: ID, label: 'a label' }
    const record = await commit(fs, { ...backUp('d/f', hashOf(fs, 'text')), keep })
    same([await snapshot(fs), await fs.statMany([at('d/f'), at('d')])], before, 'the tree and its facts')
    const side = (await fs.records({ before: 2 }))[0]?.changes?.[1]?.after
    check(side?.kind === 'file', 'the file was recorded')
    same(record.changes, [{ kind: 'snapshot', path: 'd/f', before: side, after: side, backup: keep, kept: true }], 'the record')
    same(await keptContents(fs), [{ hash: hashOf(fs, 'text').hash, size: 4 }], 'what history holds')
    await verifyChain(fs)
  },

  'snapshot: kept when the file is overwritten or removed without a before-image': async (fs, { sizes }) => {
    const big = pattern(sizes.bigBytes, 4)
    const { hash, size } = await fs.stage(big)
    await commit(fs, write(fs, 'f', 'one'), write(fs, 'g', 'two'), {
      kind: 'write',
      path: at('h'),
      content: { hash, size },
      expect: 'absent',
    })
    await commit(fs, backUp('f', hashOf(fs, 'one')), backUp('g', hashOf(fs, 'two')), backUp('h', { hash }))
    await commit(
      fs,
      { ...write(fs, 'f', 'other', hashOf(fs, 'one')), keep: false },
      { ...remove('g', hashOf(fs, 'two')), keep: false },
      { ...write(fs, 'h', 'other', { hash }), keep: false },
    )
    same([await objectText(fs, hashOf(fs, 'one').hash), await objectText(fs, hashOf(fs, 'two').hash)], ['one', 'two'], 'the snapshots')
    same(await objectBytes(fs, hash), big, 'the large snapshot')
    await commit(fs, { kind: 'write', path: at('f'), content: { hash, size }, expect: hashOf(fs, 'other') })
    same(await bytesOf(await fs.open(at('f'))), big, 'a file brought back from a snapshot')
  },

  'snapshot: between two steps': async (fs) => {
    await commit(
      fs,
      write(fs, 'f', 'one'),
      backUp('f', hashOf(fs, 'one')),
      { ...write(fs, 'f', 'two', hashOf(fs, 'one')), keep: false },
      { ...write(fs, 'f', 'three', hashOf(fs, 'two')), keep: false },
    )
    same(await keptHashes(fs), hashes(fs, 'one'), 'what history holds')
    same([await readText(fs, 'f'), await objectText(fs, hashOf(fs, 'one').hash)], ['three', 'one'], 'file and object')
  },

  'snapshot: by version, and again of the same': async (fs) => {
    await plant(fs, { f: 'text' })
    const { version } = await fs.stat(at('f'))
    check(version !== null, 'a file has a version')
    const first = await commit(fs, backUp('f', { version }))
    const second = await commit(fs, backUp('f', { version }), backUp('f', hashOf(fs, 'text')))
    const ids = [first, second].flatMap(({ changes }) => changes?.map(({ backup }) => backup?.id) ?? [])
    same([ids.length, new Set(ids).size], [3, 3], 'ids of their own')
    same(await keptHashes(fs), hashes(fs, 'text'), 'what history holds')
    await fs.forget(hashes(fs, 'text'))
    same([await keptContents(fs), await readText(fs, 'f')], [[], 'text'], 'history and the file after it is forgotten')
  },

  'snapshot: of a link the record has all': withLinks(async (fs) => {
    await plant(fs, { l: { link: 'some where' } })
    const record = await commit(fs, { ...backUp('l', { link: 'some where' }), keep: { id: ID } })
    const side = { kind: 'link', target: 'some where' }
    same(record.changes, [{ kind: 'snapshot', path: 'l', before: side, after: side, backup: { id: ID }, kept: true }], 'the record')
    same(await keptContents(fs), [], 'what history holds')
    await fails(() => commit(fs, backUp('l', { link: 'else where' })), 'conflict', 'a snapshot of another link')
  }),

  'snapshot: failures': async (fs) => {
    await plant(fs, { f: 'text', d: null, 'd/in': 'x' })
    const cases = [
      ['another content', backUp('f', hashOf(fs, 'other')), 'conflict'],
      ['a directory, unexpected', backUp('d', hashOf(fs, 'text')), 'conflict'],
      ['a directory', backUp('d', 'directory'), 'is_directory'],
      ['the root', backUp('', 'directory'), 'is_directory'],
      ['nothing, unexpected', backUp('nope', hashOf(fs, 'text')), 'conflict'],
      ['nothing', backUp('nope', 'absent'), 'not_found'],
      ['nothing below a file', backUp('f/x', 'absent'), 'not_directory'],
    ] as const
    for (const [name, change, code] of cases) await unchangedBy(fs, name, () => fails(() => commit(fs, change), code, name))
    same(await keptContents(fs), [], 'what history holds')
  },

  'contents: before-images, once each, and nothing that only files hold': async (fs) => {
    same(await keptContents(fs), [], 'a new storage')
    await plant(fs, { a: 'one', b: 'one', c: 'two', d: 'three', e: 'four', f: 'stays' })
    await fs.stage(utf8('staged'))
    same(await keptContents(fs), [], 'files and staged content')
    await commit(
      fs,
      write(fs, 'a', 'five', hashOf(fs, 'one')),
      remove('b', hashOf(fs, 'one')),
      write(fs, 'c', 'one', hashOf(fs, 'two')),
      { ...remove('d', hashOf(fs, 'three')), keep: false },
      { kind: 'move', path: at('e'), to: at('g'), expect: hashOf(fs, 'four') },
    )
    const expected = hashes(fs, 'one', 'two').map((hash) => ({ hash, size: 3 }))
    same(await keptContents(fs), expected, 'what history holds')
    for (const { hash, size } of expected) same((await objectBytes(fs, hash)).length, size, 'the size of an object')
    // The same content a second time.
    await commit(fs, { ...remove('c', hashOf(fs, 'one')), keep: false })
    same(await keptContents(fs), expected, 'what history holds still')
  },

  'contents: large ones whole, with the changes of records that are stored apart': async (fs, { sizes }) => {
    const big = pattern(sizes.bigBytes, 5)
    const { hash, size } = await fs.stage(big)
    await commit(fs, { kind: 'write', path: at('big'), content: { hash, size }, expect: 'absent' })
    await commit(fs, write(fs, 'big', 'small', { hash }))
    const names = Array.from({ length: sizes.changes }, (_, index) => `a file with quite a long name ${index}`)
    const record = await commit(fs, ...names.map((name) => write(fs, name, `content of ${name}`)))
    same(record.changes, null, 'changes that are many')
    const changes = { hash: record.changesHash, size: (await objectBytes(fs, record.changesHash)).length }
    const expected = [{ hash, size }, changes].sort((a, b) => compareBytes(a.hash, b.hash))
    same(await keptContents(fs), expected, 'what history holds')
    await commit(fs, ...names.map((name) => remove(name, hashOf(fs, `content of ${name}`))))
    const held = new Set(await keptHashes(fs))
    same(held.size, sizes.changes + 3, 'contents of the many files, their records, and the large one')
    check(
      names.every((name) => held.has(hashOf(fs, `content of ${name}`).hash)),
      'every removed file is there',
    )
  },

  'forget: what history alone held is gone, the records are not': async (fs) => {
    await plant(fs, { f: 'precious', g: 'other' })
    const removal = await commit(fs, remove('f', hashOf(fs, 'precious')), remove('g', hashOf(fs, 'other')))
    const records = await allRecords(fs)
    same(await fs.forget(hashes(fs, 'precious')), 8, 'bytes freed')
    await fails(() => fs.object(hashOf(fs, 'precious').hash), 'not_found', 'a forgotten object')
    same(await keptHashes(fs), hashes(fs, 'other'), 'what history holds')
    same([await allRecords(fs), await verifyChain(fs)], [records, 2], 'the records')
    const back = inverseOf(await changesOf(fs, removal))
    await unchangedBy(fs, 'the undo', () => fails(() => fs.commit(back, draft({ kind: 'undo' })), 'not_found', 'the undo'))
    await commit(fs, ...back.filter(({ path }) => path === 'g'))
    same([await readText(fs, 'g'), await scanPaths(fs, '')], ['other', ['g']], 'what was not forgotten comes back')
  },

  'forget: files keep what they hold': async (fs, { sizes }) => {
    const big = pattern(sizes.bigBytes, 6)
    const { hash, size } = await fs.stage(big)
    const writeBig = (path: string) => ({ kind: 'write', path: at(path), content: { hash, size }, expect: 'absent' }) as const
    await commit(fs, writeBig('a'), writeBig('b'), write(fs, 'c', 'text'), write(fs, 'd', 'text'))
    await commit(fs, remove('a', { hash }), remove('c', hashOf(fs, 'text')))
    await fs.forget([hash, hashOf(fs, 'text').hash])
    same(await keptContents(fs), [], 'what history holds')
    same(await bytesOf(await fs.open(at('b'))), big, 'the large file')
    same(await readText(fs, 'd'), 'text', 'the small file')
    await commit(fs, { ...remove('b', { hash }), keep: false }, { ...remove('d', hashOf(fs, 'text')), keep: false })
    for (const gone of [hash, hashOf(fs, 'text').hash]) await fails(() => fs.object(gone), 'not_found', 'an object that nothing holds')
  },

  'forget: large contents with parts in common': async (fs, { sizes }) => {
    const one = pattern(sizes.bigBytes, 7)
    const two = one.slice()
    two.fill(0, sizes.bigBytes - 10)
    const contents = [await fs.stage(one), await fs.stage(two)] as const
    const paths = ['one', 'two'].map(at) as [ReturnType<typeof at>, ReturnType<typeof at>]
    await commit(
      fs,
      ...paths.map((path, index) => ({ kind: 'write', path, content: contents[index === 0 ? 0 : 1], expect: 'absent' }) as const),
    )
    await commit(fs, ...paths.map((path, index) => remove(path, { hash: contents[index === 0 ? 0 : 1].hash })))
    await fs.forget([contents[0].hash])
    await fails(() => fs.object(contents[0].hash), 'not_found', 'the one')
    same(await objectBytes(fs, contents[1].hash), two, 'the other')
    await fs.forget([contents[1].hash])
    same(await keptContents(fs), [], 'what history holds')
  },

  'forget: staged content waits on': async (fs) => {
    await plant(fs, { f: 'text' })
    await commit(fs, remove('f', hashOf(fs, 'text')))
    const { hash, size } = await fs.stage(utf8('text'))
    await fs.forget([hash])
    same([await keptContents(fs), await objectText(fs, hash)], [[], 'text'], 'history, and the staged object')
    await commit(fs, { kind: 'write', path: at('f'), content: { hash, size }, expect: 'absent' })
    same(await readText(fs, 'f'), 'text', 'the file')
  },

  'forget: what is unknown is ignored, and twice is once': async (fs) => {
    await plant(fs, { f: 'text', g: 'file' })
    const [text, file, never] = ['text', 'file', 'never stored'].map((body) => hashOf(fs, body).hash) as [Hash, Hash, Hash]
    same(await fs.forget([]), 0, 'nothing to forget')
    same(await fs.forget([never, never]), 0, 'an unknown hash')
    await commit(fs, remove('f', { hash: text }))
    same(await fs.forget([never, text, text]), 4, 'one of three')
    same(await fs.forget([text]), 0, 'a second time')
    await fs.forget([file])
    same([await readText(fs, 'g'), await keptContents(fs)], ['file', []], 'a file that history never held')
  },

  'forget: what comes again is kept again': async (fs) => {
    await plant(fs, { f: 'text' })
    for (let round = 0; round < 3; round++) {
      await commit(fs, remove('f', hashOf(fs, 'text')))
      same(await keptHashes(fs), hashes(fs, 'text'), 'what history holds')
      if (round < 2) await fs.forget(hashes(fs, 'text'))
      if (round < 2) await plant(fs, { f: 'text' })
    }
    same(await objectText(fs, hashOf(fs, 'text').hash), 'text', 'the object')
  },

  'forget: an open reader reads on': async (fs, { sizes }) => {
    const big = pattern(sizes.bigBytes, 8)
    const { hash, size } = await fs.stage(big)
    await commit(fs, { kind: 'write', path: at('f'), content: { hash, size }, expect: 'absent' })
    await commit(fs, remove('f', { hash }))
    const reader = await fs.object(hash)
    await reader.read(0, new Uint8Array(10))
    await fs.forget([hash])
    same(await bytesOf(reader), big, 'what the reader reads')
    same(await keptContents(fs), [], 'what history holds')
  },

  'forget: at the same time as a commit that needs it': async (fs) => {
    for (let round = 0; round < 10; round++) {
      const text = `text ${round}`
      const { hash } = hashOf(fs, text)
      await plant(fs, { f: text })
      await commit(fs, remove('f', { hash }))
      const bringBack = () => commit(fs, { kind: 'write', path: at('f'), content: { hash, size: text.length }, expect: 'absent' })
      const both = round % 2 === 0 ? [fs.forget([hash]), bringBack()] : [bringBack(), fs.forget([hash])]
      const outcome = (await Promise.allSettled(both))[round % 2 === 0 ? 1 : 0]
      const back = outcome?.status === 'fulfilled'
      if (back) same(await readText(fs, 'f'), text, 'the file that came back in time')
      else same([await scanPaths(fs, ''), outcome?.reason?.code], [[], 'not_found'], 'the tree after a commit that came too late')
      if (back) await commit(fs, { ...remove('f', { hash }), keep: false })
    }
    await plant(fs, { f: 'works still' })
    await commit(fs, makeDirectory('d'))
  },
}
