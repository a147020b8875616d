/** Cases about notes: the small values beside the files. */
import type { FileSystem } from '../../core/file_system.ts'
import { fails, same } from '../assert.ts'
import { commit, hashOf, keptContents, makeDirectory, plant, readText, remove, scanPaths, write } from '../setup.ts'
import { unchangedBy } from '../snapshot.ts'
import type { CaseTable } from './case.ts'

/** 1 MiB. */
const LONGEST = 1024 * 1024

async function noteAt(fs: FileSystem, key: string): Promise<string | null> {
  return (await fs.notes.list(key)).find((note) => note.key === key)?.value ?? null
}

export const notesCases: CaseTable = {
  'notes: none at first': async (fs) => {
    same([await fs.notes.list(''), await fs.notes.list('group/')], [[], []], 'notes of a new storage')
  },

  'notes: a swap wants what is there': async (fs) => {
    const { notes } = fs
    const steps: readonly (readonly [string, string | null, string | null, boolean, string | null])[] = [
      ['nothing for nothing', null, null, true, null],
      ['in the place of a note that is not there', 'x', 'y', false, null],
      ['taking away what is not there', 'x', null, false, null],
      ['a new note', null, 'one', true, 'one'],
      ['a new note where one is', null, 'two', false, 'one'],
      ['nothing for nothing where a note is', null, null, false, 'one'],
      ['for another value', 'One', 'two', false, 'one'],
      ['for a longer value', 'one ', 'two', false, 'one'],
      ['for the value', 'one', 'two', true, 'two'],
      ['for the value of before', 'one', 'three', false, 'two'],
      ['for itself', 'two', 'two', true, 'two'],
      ['for an empty one', 'two', '', true, ''],
      ['an empty note is not none', null, 'x', false, ''],
      ['taking away another value', 'x', null, false, ''],
      ['taking it away', '', null, true, null],
      ['once more', null, 'again', true, 'again'],
    ]
    for (const [name, from, to, done, left] of steps) {
      same([await notes.swap('group/name', from, to), await noteAt(fs, 'group/name')], [done, left], name)
    }
  },

  'notes: in the order of their keys, by prefix': async (fs) => {
    const keys = ['b/2', 'a/10', 'ab/1', 'a/2', 'b/x_y', 'a/Z', 'a-b/1', 'a.b/1', 'b/x-y', 'A/1', 'a/1', 'b/x.y']
    for (const key of keys) same(await fs.notes.swap(key, null, `value of ${key}`), true, key)
    const sorted = ['A/1', 'a-b/1', 'a.b/1', 'a/1', 'a/10', 'a/2', 'a/Z', 'ab/1', 'b/2', 'b/x-y', 'b/x.y', 'b/x_y']
    const listed = async (prefix: string) => (await fs.notes.list(prefix)).map(({ key }) => key)
    same(
      await fs.notes.list(''),
      sorted.map((key) => ({ key, value: `value of ${key}` })),
      'all',
    )
    for (const prefix of ['a', 'a/', 'a/1', 'a/10', 'a/100', 'b/x', 'A', 'c', 'a%', 'a_', '/', 'a.']) {
      same(
        await listed(prefix),
        sorted.filter((key) => key.startsWith(prefix)),
        `the prefix ${prefix}`,
      )
    }
    await fs.notes.swap('a/10', 'value of a/10', null)
    same(await listed('a/'), ['a/1', 'a/2', 'a/Z'], 'the group without one')
  },

  'notes: any text': async (fs) => {
    const values = [
      '',
      ' ',
      '\n',
      'a\0b',
      '{"json":[1,"é"]}',
      'ünïcode 𝄞 \u{10ffff}',
      '\ufeff',
      'x'.repeat(LONGEST),
      'é'.repeat(LONGEST / 2),
    ]
    for (const [index, value] of values.entries()) {
      const key = `group/${index}`
      same(await fs.notes.swap(key, null, value), true, `a new note ${index}`)
      same((await noteAt(fs, key)) === value, true, `the value of note ${index}`)
      same(await fs.notes.swap(key, value, `${index}`), true, `a swap of note ${index}`)
      same(await noteAt(fs, key), `${index}`, `note ${index} after it`)
    }
  },

  'notes: too long': async (fs) => {
    await fs.notes.swap('group/name', null, 'short')
    for (const value of ['x'.repeat(LONGEST + 1), `x${'é'.repeat(LONGEST / 2)}`]) {
      await fails(() => fs.notes.swap('group/new', null, value), 'too_large', 'a new note')
      await fails(() => fs.notes.swap('group/name', 'short', value), 'too_large', 'another value')
    }
    same(await fs.notes.list(''), [{ key: 'group/name', value: 'short' }], 'notes')
  },

  'notes: what is no key': async (fs) => {
    const wrong = ['', '/', 'a', 'a/', '/a', 'a/b/c', 'a//b', './a', 'a/.', '../a', 'a/..', '.a/b', 'a/.b', 'a b/c', 'a/b c', 'é/a']
    const odd = ['a/é', 'a\\b', 'a/b\n', '\na/b', 'a/b\0', 'a:b/c', 'a/*', `${'a'.repeat(101)}/b`, `a/${'b'.repeat(101)}`]
    for (const key of [...wrong, ...odd]) {
      const name = JSON.stringify(key)
      await fails(() => fs.notes.swap(key, null, 'x'), 'invalid_argument', `a new note ${name}`)
      await fails(() => fs.notes.swap(key, 'x', null), 'invalid_argument', `taking away ${name}`)
    }
    for (const key of ['a/b', `${'a'.repeat(100)}/${'b'.repeat(100)}`, '0.-_/_-.9', '-/-']) {
      same(await fs.notes.swap(key, null, 'x'), true, `a note ${key}`)
    }
    same((await fs.notes.list('')).length, 4, 'notes')
  },

  'notes: of parallel swaps of nothing, one succeeds': async (fs) => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => fs.notes.swap('group/name', null, `${index}`)))
    same(results.filter(Boolean).length, 1, 'how many succeeded')
    same(await noteAt(fs, 'group/name'), `${results.indexOf(true)}`, 'the note of the one that did')
  },

  'notes: of parallel swaps of one value, one succeeds': async (fs) => {
    await fs.notes.swap('group/name', null, 'start')
    const to = (index: number) => (index % 5 === 4 ? null : `${index}`)
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => fs.notes.swap('group/name', 'start', to(index))))
    same(results.filter(Boolean).length, 1, 'how many succeeded')
    same(await noteAt(fs, 'group/name'), to(results.indexOf(true)), 'the note of the one that did')
  },

  'notes: counting up in parallel loses nothing': async (fs) => {
    const countUp = async (): Promise<void> => {
      for (let left = 5; left > 0; ) {
        const value = await noteAt(fs, 'group/count')
        if (await fs.notes.swap('group/count', value, `${Number(value ?? 0) + 1}`)) left--
      }
    }
    await Promise.all(Array.from({ length: 6 }, countUp))
    same(await noteAt(fs, 'group/count'), '30', 'the count')
  },

  'notes: are no files, no records and no history': async (fs) => {
    await plant(fs, { f: 'x' })
    await unchangedBy(fs, 'notes', async () => {
      await fs.notes.swap('group/name', null, 'one')
      await fs.notes.swap('group/name', 'one', 'two')
      await fs.notes.swap('group/other', null, 'three')
      await fs.notes.swap('group/other', 'three', null)
    })
    same(await keptContents(fs), [], 'what history holds')
    await fails(() => fs.object(hashOf(fs, 'one').hash), 'not_found', 'the object of a note')
    await commit(fs, makeDirectory('group'), write(fs, 'group/name', 'a file'))
    same([await readText(fs, 'group/name'), await noteAt(fs, 'group/name')], ['a file', 'two'], 'file and note of one name')
    await commit(fs, remove('group/name', hashOf(fs, 'a file')), remove('group', 'directory'))
    same([await scanPaths(fs, ''), await noteAt(fs, 'group/name')], [['f'], 'two'], 'the note after the file is gone')
  },
}
