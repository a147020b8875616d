/** Cases about writing: what each change does, steps that build on each other, and all or nothing. */
import type { Change } from '../../core/change.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { check, fails, same } from '../assert.ts'
import {
  at,
  backUp,
  commit,
  copy,
  hashOf,
  link,
  listNames,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  scanPaths,
  utf8,
  write,
} from '../setup.ts'
import { snapshot, unchangedBy } from '../snapshot.ts'
import { type CaseTable, sameMode, withLinks } from './case.ts'

const HOUSE = { keep: 'kept', old: 'old text', d: null, 'd/e': null, 'd/e/f': 'deep', 'd/g': 'g' }

/** Changes that all succeed on {@link HOUSE}, one of each kind, each touching something else. */
function goodSteps(fs: FileSystem): Change[] {
  return [
    makeDirectory('new'),
    write(fs, 'new/f', 'fresh'),
    write(fs, 'old', 'new text', hashOf(fs, 'old text')),
    remove('d/g', hashOf(fs, 'g')),
    move('d/e', 'new/e', 'directory'),
    write(fs, 'new/e/f', 'deeper', hashOf(fs, 'deep')),
    copy('keep', 'new/copy', hashOf(fs, 'kept')),
    backUp('keep', hashOf(fs, 'kept')),
  ]
}

/** A last step that fails, of every kind. */
const BAD_STEPS: { readonly [name: string]: readonly [ErrorCode, (fs: FileSystem) => Change] } = {
  'a write over what it does not expect': ['conflict', (fs) => write(fs, 'keep', 'x', hashOf(fs, 'y'))],
  'a write without a parent': ['not_found', (fs) => write(fs, 'nope/f', 'x')],
  'a write below a file': ['not_directory', (fs) => write(fs, 'keep/f', 'x')],
  'a write over a directory': ['is_directory', (fs) => write(fs, 'd', 'x', 'directory')],
  'a removal of a directory that is not empty': ['conflict', () => remove('new', 'directory')],
  'a removal of what an earlier step removed': ['conflict', (fs) => remove('d/g', hashOf(fs, 'g'))],
  'a move onto something': ['conflict', (fs) => move('keep', 'old', hashOf(fs, 'kept'))],
  'a move of what an earlier step moved': ['conflict', () => move('d/e', 'x', 'directory')],
  'a move to a missing directory': ['not_found', (fs) => move('keep', 'nope/x', hashOf(fs, 'kept'))],
  'a move into itself': ['invalid_argument', () => move('new', 'new/e/x', 'directory')],
  'a directory that an earlier step made': ['conflict', () => makeDirectory('new')],
  'a copy of nothing': ['not_found', (fs) => copy('nope', 'x', hashOf(fs, 'x'))],
  'a copy of what an earlier step changed': ['conflict', (fs) => copy('old', 'x', hashOf(fs, 'old text'))],
  'a snapshot of nothing': ['not_found', () => backUp('nope', 'absent')],
  'a snapshot of a directory': ['is_directory', () => backUp('new', 'directory')],
  'content that is not there': [
    'not_found',
    (fs) => ({ kind: 'write', path: at('x'), content: { hash: hashOf(fs, '?').hash, size: 1 }, expect: 'absent' }),
  ],
}

const allOrNothing: CaseTable = Object.fromEntries(
  Object.entries(BAD_STEPS).map(([name, [code, bad]]): [string, CaseTable[string]] => [
    `all or nothing: good steps, then ${name}`,
    async (fs) => {
      await plant(fs, HOUSE)
      await unchangedBy(fs, name, () => fails(() => commit(fs, ...goodSteps(fs), bad(fs)), code, name))
      await commit(fs, ...goodSteps(fs))
      same(await scanPaths(fs, ''), ['d', 'keep', 'new', 'new/copy', 'new/e', 'new/e/f', 'new/f', 'old'], 'the good steps alone')
    },
  ]),
)

export const committingCases: CaseTable = {
  ...allOrNothing,

  'all or nothing: a bad step first, or in the middle': async (fs) => {
    await plant(fs, HOUSE)
    const steps = goodSteps(fs)
    for (let place = 0; place <= steps.length; place++) {
      const changes = steps.toSpliced(place, 0, write(fs, 'keep', 'x'))
      await unchangedBy(fs, `a bad step at ${place}`, () => fails(() => commit(fs, ...changes), 'conflict', 'a bad step'))
    }
  },

  'write: any bytes': async (fs) => {
    const bodies = [
      new Uint8Array(),
      new Uint8Array([0]),
      Uint8Array.from({ length: 256 }, (_, byte) => byte),
      new Uint8Array(100_000).fill(0xff),
    ]
    for (const [index, body] of bodies.entries()) await commit(fs, write(fs, `f${index}`, body))
    for (const [index, body] of bodies.entries()) same((await fs.stat(at(`f${index}`))).size, body.length, `size of f${index}`)
    await snapshot(fs)
    await fs.readEach(
      bodies.map((_, index) => at(`f${index}`)),
      { maxBytes: 1e6 },
      (path, bytes) => {
        same(bytes, bodies[Number(path.slice(1))], path)
        return true
      },
    )
  },

  'write: longer, shorter, equal, empty': async (fs) => {
    let last = 'start'
    await plant(fs, { f: last })
    for (const next of ['longer than before', 'short', 'short', '', 'x']) {
      await commit(fs, write(fs, 'f', next, hashOf(fs, last)))
      same(await readText(fs, 'f'), next, 'the file')
      last = next
    }
    same(await scanPaths(fs, ''), ['f'], 'nothing else is left')
  },

  'write: over a link it replaces the link, and a link replaces a file': withLinks(async (fs) => {
    await plant(fs, { f: 'text', l: { link: 'f' } })
    await commit(fs, write(fs, 'l', 'a file now', { link: 'f' }))
    same([await readText(fs, 'f'), await readText(fs, 'l')], ['text', 'a file now'], 'the files')
    await commit(fs, link('l', 'elsewhere', hashOf(fs, 'a file now')), link('f', 'l', hashOf(fs, 'text')))
    same([await fs.readLink(at('l')), await fs.readLink(at('f'))], ['elsewhere', 'l'], 'the links')
    await commit(fs, link('l', 'again', { link: 'elsewhere' }), move('l', 'm', { link: 'again' }), remove('f', { link: 'l' }))
    same([await fs.readLink(at('m')), await scanPaths(fs, '')], ['again', ['m']], 'the last link')
  }),

  'move: a file, with its content, mode and time': async (fs) => {
    const mtimeMs = Date.UTC(2010, 5, 6)
    await commit(fs, { ...write(fs, 'a', 'text'), mode: 0o640, mtimeMs }, makeDirectory('d'))
    await commit(fs, move('a', 'd/b', hashOf(fs, 'text')))
    same([await readText(fs, 'd/b'), await scanPaths(fs, '')], ['text', ['d', 'd/b']], 'the tree')
    const { mode, mtimeMs: time } = await fs.stat(at('d/b'))
    sameMode(fs, mode, 0o640, 'the mode')
    check(time === null || Math.abs(time - mtimeMs) < 0.001, 'the time')
  },

  'move: a directory with all that is in it': async (fs) => {
    await plant(fs, { d: null, 'd/a': '1', 'd/sub': null, 'd/sub/b': '2', 'd/empty': null, dx: '3', 'd-': '4', target: null })
    await commit(fs, move('d', 'target/moved', 'directory'))
    same(
      await scanPaths(fs, ''),
      ['d-', 'dx', 'target', 'target/moved', 'target/moved/a', 'target/moved/empty', 'target/moved/sub', 'target/moved/sub/b'],
      'the tree',
    )
    same([await readText(fs, 'target/moved/a'), await readText(fs, 'target/moved/sub/b')], ['1', '2'], 'the files')
    await fails(() => fs.stat(at('d/a')), 'not_found', 'stat below the old name')
    await commit(fs, move('target/moved', 'd', 'directory'), move('target', 'd/t', 'directory'))
    same(await scanPaths(fs, ''), ['d-', 'd', 'd/a', 'd/empty', 'd/sub', 'd/sub/b', 'd/t', 'dx'], 'the tree after moving back')
  },

  'move: never onto something, and never into itself': async (fs) => {
    await plant(fs, { a: '1', b: '2', d: null, 'd/x': '3', e: null })
    for (const to of ['b', 'd', 'e', 'a']) {
      const error = await fails(() => commit(fs, move('a', to, hashOf(fs, '1'))), 'conflict', `move onto ${to}`)
      same(error.details?.path, to, 'the path that the error names')
    }
    await fails(() => commit(fs, move('d', 'e', 'directory')), 'conflict', 'move onto an empty directory')
    await fails(() => commit(fs, move('d', 'd/y', 'directory')), 'invalid_argument', 'move into itself')
    await fails(() => commit(fs, move('d', 'd', 'directory')), 'conflict', 'move onto itself')
    await fails(() => commit(fs, move('a', 'b/x', hashOf(fs, '1'))), 'not_directory', 'move below a file')
    await fails(() => commit(fs, move('a', '', hashOf(fs, '1'))), 'conflict', 'move onto the root')
  },

  'the root: never removed, moved, made or replaced': async (fs) => {
    await fails(() => commit(fs, remove('', 'directory')), 'invalid_argument', 'remove of the root')
    await fails(() => commit(fs, move('', 'x', 'directory')), 'invalid_argument', 'move of the root')
    await fails(() => commit(fs, makeDirectory('')), 'conflict', 'makeDirectory of the root')
    await fails(() => commit(fs, write(fs, '', 'x')), 'conflict', 'write of the root')
    await fails(() => commit(fs, write(fs, '', 'x', 'directory')), 'is_directory', 'write over the root')
  },

  'steps: a directory, then what is in it; what is in it, then the directory': async (fs) => {
    await commit(fs, makeDirectory('a'), makeDirectory('a/b'), write(fs, 'a/b/c', '1'), write(fs, 'a/d', '2'))
    same(await scanPaths(fs, ''), ['a', 'a/b', 'a/b/c', 'a/d'], 'the tree')
    await commit(fs, remove('a/b/c', hashOf(fs, '1')), remove('a/b', 'directory'), remove('a/d', hashOf(fs, '2')), remove('a', 'directory'))
    same(await scanPaths(fs, ''), [], 'the empty tree')
  },

  'steps: removing what is in the way of a move': async (fs) => {
    await plant(fs, { a: 'new', b: 'old' })
    const record = await commit(fs, remove('b', hashOf(fs, 'old')), move('a', 'b', hashOf(fs, 'new')))
    same([await readText(fs, 'b'), await listNames(fs, '')], ['new', ['b']], 'the tree')
    same(
      record.changes?.map(({ kind, path, to }) => [kind, path, to ?? null]),
      [
        ['remove', 'b', null],
        ['move', 'a', 'b'],
      ],
      'the record',
    )
  },

  'steps: two files change places': async (fs) => {
    await plant(fs, { a: '1', b: '2' })
    await commit(fs, move('a', 't', hashOf(fs, '1')), move('b', 'a', hashOf(fs, '2')), move('t', 'b', hashOf(fs, '1')))
    same([await readText(fs, 'a'), await readText(fs, 'b'), await listNames(fs, '')], ['2', '1', ['a', 'b']], 'the tree')
  },

  'steps: a file becomes a directory, and a directory a file': async (fs) => {
    await plant(fs, { a: 'x', b: null, 'b/c': 'y' })
    await commit(
      fs,
      remove('a', hashOf(fs, 'x')),
      makeDirectory('a'),
      write(fs, 'a/in', '1'),
      remove('b/c', hashOf(fs, 'y')),
      remove('b', 'directory'),
      write(fs, 'b', '2'),
    )
    same([await scanPaths(fs, ''), await readText(fs, 'a/in'), await readText(fs, 'b')], [['a', 'a/in', 'b'], '1', '2'], 'the tree')
  },

  'steps: a tree is moved, changed at its new place, and made anew at the old': async (fs) => {
    await plant(fs, { d: null, 'd/f': '1', 'd/g': '2' })
    await commit(
      fs,
      move('d', 'e', 'directory'),
      write(fs, 'e/f', '3', hashOf(fs, '1')),
      move('e/g', 'e/h', hashOf(fs, '2')),
      makeDirectory('d'),
      write(fs, 'd/f', '4'),
      move('e', 'd/e', 'directory'),
    )
    same(await scanPaths(fs, ''), ['d', 'd/e', 'd/e/f', 'd/e/h', 'd/f'], 'the tree')
    same([await readText(fs, 'd/e/f'), await readText(fs, 'd/e/h'), await readText(fs, 'd/f')], ['3', '2', '4'], 'the files')
  },

  'steps: content that one step gives up is there for a later one': async (fs) => {
    await plant(fs, { a: 'held' })
    const { hash, size } = await fs.stage(utf8('staged'))
    await commit(
      fs,
      write(fs, 'b', 'staged'),
      { ...remove('b', { hash }), keep: false },
      { kind: 'write', path: at('b'), content: { hash, size }, expect: 'absent' },
      { ...remove('a', hashOf(fs, 'held')), keep: false },
      write(fs, 'a', 'held'),
    )
    same([await readText(fs, 'a'), await readText(fs, 'b')], ['held', 'staged'], 'the files')
  },

  'steps: made, written, moved and removed within one commit': async (fs) => {
    const record = await commit(
      fs,
      makeDirectory('d'),
      write(fs, 'd/a', '1'),
      move('d/a', 'd/b', hashOf(fs, '1')),
      remove('d/b', hashOf(fs, '1')),
      remove('d', 'directory'),
    )
    same([await scanPaths(fs, ''), record.count], [[], 5], 'the tree and the record')
    await plant(fs, { d: null })
  },
}
