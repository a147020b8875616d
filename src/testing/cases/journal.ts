/** Cases about what is remembered: records, their chain, before-images, staged content. */
import type { Content } from '../../core/change.ts'
import { ID } from '../../core/id.ts'
import type { JournalRecord } from '../../core/record.ts'
import { check, fails, same } from '../assert.ts'
import { changesOf, verifyChain } from '../history.ts'
import {
  allRecords,
  at,
  commit,
  copy,
  draft,
  hashOf,
  inline,
  link,
  makeDirectory,
  move,
  objectText,
  plant,
  readText,
  remove,
  scanPaths,
  utf8,
  write,
} from '../setup.ts'
import { type CaseTable, sameMode, withLinks } from './case.ts'

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield utf8(text)
}

function only(record: JournalRecord) {
  const change = record.changes?.[0]
  check(change !== undefined && record.count === 1, 'the record holds its one change')
  return change
}

export const journalCases: CaseTable = {
  'records: an empty journal': async (fs) => {
    same(await fs.records(), [], 'records of a new storage')
  },

  'records: what the caller said, what was done, and the chain': async (fs) => {
    const given = draft({
      kind: 'undo',
      subject: 'someone',
      tool: 'edit_file',
      call: hashOf(fs, 'call').hash,
      target: 'the other one',
      note: 'ünïcode',
    })
    const first = await fs.commit([makeDirectory('d')], given)
    for (const [key, value] of Object.entries(given)) same(first[key as keyof JournalRecord], value, `the record's ${key}`)
    same([first.sequence, first.count, first.previous], [1, 1, null], 'the first record')
    const second = await fs.commit([write(fs, 'd/f', 'x')], draft())
    same([second.sequence, second.previous, 'note' in second], [2, first.hash, false], 'the second record')
    same(await fs.records(), [second, first], 'records')
    await verifyChain(fs)
  },

  'records: newest first, by pages, by id': async (fs) => {
    const ids: string[] = []
    for (let index = 0; index < 130; index++) ids.push((await commit(fs, makeDirectory(`d${index}`))).id)
    const page = await fs.records()
    same(
      page.map(({ sequence }) => sequence),
      Array.from({ length: 100 }, (_, index) => 130 - index),
      'the default page',
    )
    same(
      (await fs.records({ before: 31 })).map(({ sequence }) => sequence),
      Array.from({ length: 30 }, (_, index) => 30 - index),
      'the last page',
    )
    same(
      (await fs.records({ before: 50, limit: 3 })).map(({ sequence }) => sequence),
      [49, 48, 47],
      'a page of three',
    )
    same((await fs.records({ limit: 1000 })).length, 130, 'a page of all')
    same(await fs.records({ before: 1 }), [], 'before the first')
    same(
      (await fs.records({ id: ids[41] as string })).map(({ sequence }) => sequence),
      [42],
      'one by id',
    )
    same(await fs.records({ id: 'no such id' }), [], 'an unknown id')
  },

  'records: a commit that fails leaves none, and no gap': async (fs) => {
    await plant(fs, { f: 'x' })
    await fails(() => commit(fs, write(fs, 'f', 'y')), 'conflict', 'a commit that fails')
    await plant(fs, { g: 'x' })
    same(
      (await allRecords(fs)).map(({ sequence }) => sequence),
      [1, 2],
      'sequence numbers',
    )
    await verifyChain(fs)
  },

  'records: both sides of every kind of change': async (fs) => {
    await commit(fs, { ...makeDirectory('d'), mode: 0o750 })
    const made = only((await fs.records({ limit: 1 }))[0] as JournalRecord)
    same([made.kind, made.path, made.before, made.after?.kind, made.kept], ['makeDirectory', 'd', null, 'directory', true], 'makeDirectory')
    if (made.after?.kind === 'directory') sameMode(fs, made.after.mode, 0o750, "the directory's recorded mode")

    const one = hashOf(fs, 'one').hash
    const created = only(await commit(fs, { ...write(fs, 'd/f', 'one'), mode: 0o640 }))
    check(created.after?.kind === 'file', 'a write leaves a file')
    same(
      [created.before, created.after.hash, created.after.size, created.kept, created.backup ?? null],
      [null, one, 3, true, null],
      'a new file',
    )
    sameMode(fs, created.after.mode, 0o640, "the file's recorded mode")

    const replaced = only(await commit(fs, write(fs, 'd/f', 'two', { hash: one })))
    same([replaced.before, replaced.kept], [created.after, true], 'a replaced file')

    const moved = only(await commit(fs, move('d/f', 'g', hashOf(fs, 'two'))))
    same([moved.path, moved.to, moved.before, moved.after, moved.kept], ['d/f', 'g', replaced.after, replaced.after, true], 'a moved file')
    const movedDirectory = only(await commit(fs, move('d', 'e', 'directory')))
    same([movedDirectory.before, movedDirectory.after], [made.after, made.after], 'a moved directory')

    const removed = only(await commit(fs, remove('g', hashOf(fs, 'two'))))
    same([removed.before, removed.after, removed.kept], [replaced.after, null, true], 'a removed file')
    const gone = only(await commit(fs, remove('e', 'directory')))
    same([gone.before, gone.after, gone.kept], [made.after, null, true], 'a removed directory')
    await verifyChain(fs)
  },

  'records: both sides of links': withLinks(async (fs) => {
    await plant(fs, { f: 'x' })
    const file = only((await fs.records({ limit: 1 }))[0] as JournalRecord).after
    const made = only(await commit(fs, link('l', 'a')))
    same([made.before, made.after], [null, { kind: 'link', target: 'a' }], 'a new link')
    const over = only(await commit(fs, link('f', 'b', hashOf(fs, 'x'))))
    same([over.before, over.after, over.backup !== undefined], [file, { kind: 'link', target: 'b' }, true], 'a link over a file')
    const removed = only(await commit(fs, remove('l', { link: 'a' })))
    same([removed.before, removed.after, removed.backup !== undefined], [{ kind: 'link', target: 'a' }, null, true], 'a removed link')
  }),

  'records: thousands of changes are an object of their own': async (fs, { sizes }) => {
    const changes = Array.from({ length: sizes.changes }, (_, index) =>
      write(fs, `a file with quite a long name ${index}`, `content ${index}`),
    )
    const record = await fs.commit(changes, draft({ kind: 'import' }))
    same([record.changes, record.count], [null, sizes.changes], 'a record with many changes')
    const stored = await changesOf(fs, record)
    same(
      stored.map(({ path }) => path),
      changes.map(({ path }) => path),
      'the paths of its changes',
    )
    await plant(fs, { after: 'x' })
    same((await fs.records({ before: 2 }))[0], record, 'the record as stored')
    await verifyChain(fs)
    same((await scanPaths(fs, '')).length, sizes.changes + 1, 'files')
  },

  'before-images: kept by hash, under ids of their own': async (fs) => {
    await plant(fs, { a: 'first a', b: 'first b', c: 'first c' })
    const record = await commit(fs, write(fs, 'a', 'second a', hashOf(fs, 'first a')), remove('b', hashOf(fs, 'first b')), {
      ...write(fs, 'c', 'second c', hashOf(fs, 'first c')),
      keep: { id: '20200101T000000000Z-00000000', label: 'a label' },
    })
    for (const text of ['first a', 'first b', 'first c']) same(await objectText(fs, hashOf(fs, text).hash), text, 'a before-image')
    const ids = record.changes?.map(({ backup }) => backup?.id ?? '') ?? []
    check(ids.every((id) => ID.test(id)) && new Set(ids).size === 3, `three ids: ${ids}`)
    same(record.changes?.[2]?.backup, { id: '20200101T000000000Z-00000000', label: 'a label' }, 'the backup that the caller named')
  },

  'before-images: an object reads any range': async (fs) => {
    await plant(fs, { f: '0123456789' })
    await commit(fs, remove('f', hashOf(fs, '0123456789')))
    const reader = await fs.object(hashOf(fs, '0123456789').hash)
    const into = new Uint8Array(4)
    same([reader.size, await reader.read(8, into), await reader.read(10, into), await reader.read(3, into)], [10, 2, 0, 4], 'reads')
    same(new TextDecoder().decode(into), '3456', 'a range')
    await reader.close()
  },

  'before-images: kept for undo alone, and no backup': async (fs) => {
    await plant(fs, { a: 'first a', b: 'first b', c: 'first c' })
    const record = await commit(
      fs,
      { ...write(fs, 'a', 'second a', hashOf(fs, 'first a')), keep: 'undo' },
      { ...remove('b', hashOf(fs, 'first b')), keep: 'undo' },
      { ...copy('a', 'c', hashOf(fs, 'second a'), hashOf(fs, 'first c')), keep: 'undo' },
    )
    same(
      record.changes?.map(({ kept, backup }) => [kept, backup ?? null]),
      [
        [true, null],
        [true, null],
        [true, null],
      ],
      'what was kept, and as which backup',
    )
    for (const text of ['first a', 'first b', 'first c']) same(await objectText(fs, hashOf(fs, text).hash), text, 'a before-image')
  },

  'before-images: not kept when the caller says so': async (fs) => {
    await plant(fs, { a: 'first a', b: 'first b', d: null })
    const record = await commit(
      fs,
      { ...write(fs, 'a', 'second a', hashOf(fs, 'first a')), keep: false },
      { ...remove('b', hashOf(fs, 'first b')), keep: false },
      { ...write(fs, 'new', 'x'), keep: false },
    )
    same(
      record.changes?.map(({ kept }) => kept),
      [false, false, true],
      'what was kept',
    )
    same(
      record.changes?.map(({ backup }) => backup ?? null),
      [null, null, null],
      'backups',
    )
    check(record.changes?.[0]?.before?.kind === 'file', 'the record still says what was there')
    await fails(() => fs.object(hashOf(fs, 'first b').hash), 'not_found', 'the object of what was not kept')
  },

  'before-images: what one change does not keep, another may': async (fs) => {
    await plant(fs, { a: 'shared', b: 'shared', c: 'shared' })
    await commit(fs, remove('a', hashOf(fs, 'shared')))
    await commit(fs, { ...remove('b', hashOf(fs, 'shared')), keep: false })
    same([await readText(fs, 'c'), await objectText(fs, hashOf(fs, 'shared').hash)], ['shared', 'shared'], 'file and object')
  },

  'before-images: bring the file back, without its bytes': async (fs) => {
    await plant(fs, { f: 'precious' })
    await commit(fs, remove('f', hashOf(fs, 'precious')))
    const { bytes: _, ...content } = inline(fs, 'precious')
    await commit(fs, { kind: 'write', path: at('f'), content, expect: 'absent' })
    same(await readText(fs, 'f'), 'precious', 'the file')
  },

  'objects: errors': async (fs) => {
    await fails(() => fs.object(hashOf(fs, 'never').hash), 'not_found', 'an unknown object')
  },

  'stage: content by its hash, used by a commit without bytes': async (fs) => {
    const sources: [string, Uint8Array | AsyncIterable<Uint8Array>][] = [
      ['in one piece', utf8('in one piece')],
      ['in many pieces', pieces('in', ' many', '', ' pieces')],
      ['', pieces()],
      ['once more', pieces('', 'once more')],
    ]
    for (const [index, [text, body]] of sources.entries()) {
      const content = await fs.stage(body)
      same({ hash: content.hash, size: content.size }, { ...hashOf(fs, text), size: utf8(text).length }, `staged: ${text}`)
      same(await objectText(fs, content.hash), text, 'the object of staged content')
      await commit(fs, { kind: 'write', path: at(`f${index}`), content: withoutBytes(content), expect: 'absent' })
      same(await readText(fs, `f${index}`), text, `the file: ${text}`)
    }
  },

  'stage: changes nothing by itself': async (fs) => {
    await fs.stage(utf8('staged'))
    same([await scanPaths(fs, ''), await fs.records()], [[], []], 'the tree and the journal')
  },

  'stage: one content for many files, also when it is staged twice': async (fs) => {
    const [one, two] = await Promise.all([fs.stage(utf8('same')), fs.stage(pieces('sa', 'me'))])
    same(one.hash, two.hash, 'the hash')
    const files = ['a', 'b', 'c'].map(at)
    await commit(fs, ...files.map((path) => ({ kind: 'write', path, content: withoutBytes(one), expect: 'absent' }) as const))
    await commit(fs, remove('a', { hash: one.hash }))
    await commit(fs, write(fs, 'b', 'other', { hash: one.hash }))
    same([await readText(fs, 'b'), await readText(fs, 'c'), await objectText(fs, one.hash)], ['other', 'same', 'same'], 'contents')
  },

  'stage: a body that breaks off is no content': async (fs) => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield utf8('half of')
      throw new RangeError('the source broke')
    }
    const outcome = await fs.stage(broken()).then(
      () => 'stored',
      () => 'refused',
    )
    same(outcome, 'refused', 'a broken body')
    await fails(() => fs.object(hashOf(fs, 'half of').hash), 'not_found', 'the object of half a body')
    await plant(fs, { f: 'works still' })
  },

  'close: calls after it are unsupported': async (fs) => {
    await plant(fs, { f: 'x' })
    await fs.close()
    const calls: { readonly [name: string]: () => unknown } = {
      stat: () => fs.stat(at('f')),
      statMany: () => fs.statMany([at('f')]),
      list: () => fs.list(at('')),
      scan: () => fs.scan(at(''))[Symbol.asyncIterator]().next(),
      open: () => fs.open(at('f')),
      readEach: () => fs.readEach([at('f')], { maxBytes: 9 }, () => true),
      readLink: () => fs.readLink(at('f')),
      stage: () => fs.stage(utf8('x')),
      commit: () => commit(fs, makeDirectory('d')),
      records: () => fs.records(),
      object: () => fs.object(hashOf(fs, 'x').hash),
      contents: () => fs.contents()[Symbol.asyncIterator]().next(),
      forget: () => fs.forget([hashOf(fs, 'x').hash]),
      adopt: () => fs.adopt([], []),
      'notes.list': () => fs.notes.list(''),
      'notes.swap': () => fs.notes.swap('group/name', null, 'x'),
    }
    for (const [name, call] of Object.entries(calls)) await fails(call, 'unsupported', `${name} after close`)
    await fs.close()
  },
}

function withoutBytes({ hash, size }: Content): Content {
  return { hash, size }
}
