/** Cases about names: all are ordinary, whatever they mean elsewhere (security.md P30, P50). */
import type { FileSystem } from '../../core/file_system.ts'
import { check, fails, same } from '../assert.ts'
import {
  at,
  bytesOf,
  commit,
  compareBytes,
  hashOf,
  listNames,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  scanPaths,
  write,
} from '../setup.ts'
import type { CaseTable } from './case.ts'

const ODD = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '%',
  '_',
  "'; DROP TABLE files; --",
  '"quoted"',
  'a*',
  'a?',
  '[x]',
  '{a,b}',
  '!a',
  '#a',
  '-rf',
  '~',
  '$HOME',
  '%2e%2e%2f',
  '..foo',
  '...',
  ' leading',
  'trailing ',
  'dot.',
  'back\\slash',
  'C:',
  'CON',
  'a:b',
  'new\nline',
  'tab\t',
  '\u001b[2J',
  '\u007f',
  'inv\u202Efdp.exe',
  'zero\u200bwidth',
  '😀',
  '\uffff',
  '漢字',
  'x'.repeat(255),
  '😀'.repeat(63),
]

/** Pairs that some storages take for one name. */
const TWINS: readonly (readonly [string, string])[] = [
  ['caf\u00e9', 'cafe\u0301'],
  ['a', 'a '],
  ['a', 'a.'],
  ['\u212b', '\u00c5'],
]
const CASE_TWINS: readonly (readonly [string, string])[] = [
  ['readme', 'README'],
  ['straße', 'strasse'],
  ['İ', 'i'],
]

async function roundTrip(fs: FileSystem, name: string): Promise<void> {
  await plant(fs, { [name]: null, [`${name}/${name}`]: `in ${name}`, [`${name}/other`]: 'other' })
  const inner = `${name}/${name}`
  same(await listNames(fs, name), [name, 'other'].sort(compareBytes), `list of ${JSON.stringify(name)}`)
  same((await fs.stat(at(inner))).path, inner, `stat of ${JSON.stringify(name)}`)
  same(await readText(fs, inner), `in ${name}`, `content of ${JSON.stringify(name)}`)
  await commit(fs, write(fs, inner, 'again', hashOf(fs, `in ${name}`)))
  await commit(fs, move(inner, `${name}.moved`, hashOf(fs, 'again')))
  same(await readText(fs, `${name}.moved`), 'again', `content of ${JSON.stringify(name)} after a move`)
  await commit(fs, remove(`${name}.moved`, hashOf(fs, 'again')), remove(`${name}/other`, hashOf(fs, 'other')), remove(name, 'directory'))
}

async function bothStay(fs: FileSystem, pairs: readonly (readonly [string, string])[]): Promise<void> {
  for (const [one, two] of pairs) {
    await plant(fs, { [one]: '1', [two]: '2' })
    same([await readText(fs, one), await readText(fs, two)], ['1', '2'], `contents of ${JSON.stringify([one, two])}`)
    await commit(fs, remove(one, hashOf(fs, '1')))
    await fails(() => fs.stat(at(one)), 'not_found', `stat of ${JSON.stringify(one)}`)
    same(await readText(fs, two), '2', `content of ${JSON.stringify(two)}`)
    await commit(fs, remove(two, hashOf(fs, '2')))
  }
}

export const namesCases: CaseTable = {
  'names: every odd name is an ordinary one': async (fs) => {
    for (const name of ODD.filter((candidate) => candidate.length < 100)) await roundTrip(fs, name)
    same(await scanPaths(fs, ''), [], 'what is left')
  },

  'names: all odd names side by side': async (fs) => {
    const tree = Object.fromEntries(ODD.filter((name) => name !== '__proto__').map((name) => [name, `content of ${name}`]))
    await plant(fs, tree)
    await commit(fs, write(fs, '__proto__', 'content of __proto__'))
    const expected = ODD.toSorted(compareBytes)
    same(await listNames(fs, ''), expected, 'list')
    same(await scanPaths(fs, ''), expected, 'scan')
    const seen: string[] = []
    await fs.readEach(expected.map(at), { maxBytes: 10_000 }, (path, bytes) => {
      if (new TextDecoder().decode(bytes ?? new Uint8Array()) === `content of ${path}`) seen.push(path)
      return true
    })
    same(seen, expected, 'files whose content is theirs')
  },

  'names: none stands for others': async (fs) => {
    const trees = ['a%', 'a_', 'a*', 'a?', 'a[b]', 'a', 'ab', 'a-', 'a.b', 'a0', 'A', 'aa']
    for (const name of trees) await plant(fs, { [name]: null, [`${name}/f`]: name, [`${name}/sub`]: null, [`${name}/sub/g`]: name })
    const whole = [...trees]
    for (const name of ['a%', 'a_', 'a*', 'a?', 'a[b]', 'a']) {
      same(await scanPaths(fs, name), [`${name}/f`, `${name}/sub`, `${name}/sub/g`], `scan of ${name}`)
      await commit(fs, move(name, `moved ${name}`, 'directory'))
      whole.splice(whole.indexOf(name), 1, `moved ${name}`)
      same(await listNames(fs, ''), whole.toSorted(compareBytes), `the tree after moving ${name}`)
      for (const other of whole) same(await readText(fs, `${other}/sub/g`), other.replace('moved ', ''), `${other}/sub/g`)
    }
    await commit(
      fs,
      remove('ab/f', hashOf(fs, 'ab')),
      remove('ab/sub/g', hashOf(fs, 'ab')),
      remove('ab/sub', 'directory'),
      remove('ab', 'directory'),
    )
    same((await listNames(fs, '')).length, trees.length - 1, 'trees after removing one')
  },

  'names: twins stay two files': async (fs) => {
    await bothStay(fs, TWINS)
  },

  'names: case': async (fs) => {
    if (fs.traits.caseSensitive) return bothStay(fs, CASE_TWINS)
    await plant(fs, { Name: '1' })
    await fails(() => plant(fs, { nAME: '2' }), 'conflict', 'a new file whose name differs by case alone')
  },

  'names: the longest name, the deepest path, the longest path': async (fs) => {
    for (const name of ['x'.repeat(255), '😀'.repeat(63), 'é'.repeat(127)]) {
      await commit(fs, write(fs, name, 'x'))
      same([await readText(fs, name), await listNames(fs, '')], ['x', [name]], `a name of ${name.length} units`)
      await commit(fs, remove(name, hashOf(fs, 'x')))
    }
    const deep = Array.from({ length: 256 }, (_, index) => `d${index % 10}`)
    const long = Array.from({ length: 16 }, (_, index) => String.fromCharCode(97 + index).repeat(255)).map((name, index) =>
      index === 15 ? name.slice(1) : name,
    )
    for (const names of [deep, long]) {
      const parents = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
      const path = names.join('/')
      await commit(fs, ...parents.map(makeDirectory), write(fs, path, 'at the bottom'))
      same(await readText(fs, path), 'at the bottom', `a path of ${path.length} bytes`)
      same(await scanPaths(fs, ''), [...parents, path], `scan of a path of ${path.length} bytes`)
      const reader = await fs.open(at(path))
      await commit(fs, remove(path, hashOf(fs, 'at the bottom')), ...parents.toReversed().map((parent) => remove(parent, 'directory')))
      same((await bytesOf(reader)).length, 13, 'a reader at the bottom')
      same(await scanPaths(fs, ''), [], 'what is left')
    }
  },

  'names: one that is not UTF-8 comes back byte for byte': async (fs) => {
    const name = 'bad\udcff\udcfe'
    await plant(fs, { [name]: '1', 'bad\ufffd\ufffd': '2', 'bad\udcff\udcfd': '3' })
    same(
      [await readText(fs, name), await readText(fs, 'bad\ufffd\ufffd'), await readText(fs, 'bad\udcff\udcfd')],
      ['1', '2', '3'],
      'contents',
    )
    check((await listNames(fs, '')).includes(name), 'the list has the name')
    const record = (await fs.records())[0]
    check(record?.changes?.some((change) => change.path === name) === true, 'the record has the name')
    await commit(fs, remove(name, hashOf(fs, '1')))
    await fails(() => fs.stat(at(name)), 'not_found', 'stat after the removal')
  },
}
