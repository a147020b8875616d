/** Cases about looking: stat, list, open, readEach, readLink. */

import { isFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { check, describeError, fails, same } from '../assert.ts'
import { at, bytesOf, commit, hashOf, listNames, makeDirectory, plant, readText, remove, scanAll, utf8, write } from '../setup.ts'
import { type CaseTable, sameMode, withLinks } from './case.ts'

/** A set of names whose order by name, by UTF-16 unit and by path all differ. */
const ORDER = ['a', 'a-', 'a.b', 'a0', 'B', 'b', 'é', '\uffee', '😀', '~']

export const readingCases: CaseTable = {
  'traits: whole, with limits that are numbers': async (fs) => {
    const { adapter, root, aliases, limits, ...others } = fs.traits
    check(adapter !== '' && (root === '' || root.startsWith('/')) && aliases.every((alias) => alias.startsWith('/')), 'name and anchor')
    for (const [key, value] of Object.entries(others)) check(value !== undefined, `the trait ${key}`)
    for (const [key, limit] of Object.entries(limits)) check(limit > 0 && !Number.isNaN(limit), `the limit ${key} is ${limit}`)
    check(limits.textBytes <= limits.fileBytes && limits.inlineBytes <= limits.fileBytes, 'no limit is above that of a file')
  },

  'stat: the root is a directory with the empty path': async (fs) => {
    const { path, kind, size, target } = await fs.stat(at(''))
    same({ path, kind, size, target }, { path: '', kind: 'directory', size: null, target: null }, 'stat of the root')
  },

  'stat: a file has all its facts': async (fs) => {
    const before = Date.now()
    await plant(fs, { d: null, 'd/f': 'hello' })
    const entry = await fs.stat(at('d/f'))
    same([entry.path, entry.kind, entry.size, entry.target], ['d/f', 'file', 5, null], 'stat of a file')
    check(entry.hash === null || entry.hash === hashOf(fs, 'hello').hash, 'the hash of an entry is not that of its content')
    check(typeof entry.version === 'string' && entry.version !== '', 'a file has a version')
    check(entry.mtimeMs !== null && Math.abs(entry.mtimeMs - before) < 3_600_000, `the time of a new file is now, got ${entry.mtimeMs}`)
    check(entry.createdMs === null || Number.isFinite(entry.createdMs), 'the time of creation is a number or null')
    same(entry.access, null, 'access that was not asked for')
    const asked = await fs.stat(at('d/f'), { access: true })
    same(asked.access, { read: true, write: true }, 'access to a new file')
    const directory = await fs.stat(at('d'))
    same([directory.kind, directory.size, directory.hash], ['directory', null, null], 'stat of a directory')
    check(directory.version !== null, 'a directory has a version')
  },

  'stat: a link is itself, not its target': withLinks(async (fs) => {
    await plant(fs, { f: 'text', l: { link: 'f' }, dangling: { link: 'nowhere/x' } })
    for (const [path, target] of [
      ['l', 'f'],
      ['dangling', 'nowhere/x'],
    ] as const) {
      const entry = await fs.stat(at(path))
      same([entry.kind, entry.target, entry.size, entry.hash], ['link', target, null, null], `stat of ${path}`)
      same(await fs.statMany([at(path)]), [entry], `statMany of ${path}`)
    }
  }),

  'stat: what is missing, and what is below a file': async (fs) => {
    await plant(fs, { d: null, f: 'x' })
    await fails(() => fs.stat(at('nope')), 'not_found', 'stat of a missing name')
    await fails(() => fs.stat(at('d/nope')), 'not_found', 'stat of a missing name in a directory')
    await fails(() => fs.stat(at('nope/deeper')), 'not_found', 'stat below a missing directory')
    await fails(() => fs.stat(at('f/x')), 'not_directory', 'stat below a file')
    await fails(() => fs.stat(at('f/x/y')), 'not_directory', 'stat deep below a file')
  },

  'links: no method follows one, neither in the middle nor at the end': withLinks(async (fs) => {
    await plant(fs, { d: null, 'd/f': 'x', 'to-d': { link: 'd' }, 'to-f': { link: 'd/f' } })
    const through = at('to-d/f')
    await fails(() => fs.stat(through), 'not_directory', 'stat through a link')
    await fails(() => fs.open(through), 'not_directory', 'open through a link')
    await fails(() => fs.list(at('to-d')), 'not_directory', 'list of a link')
    await fails(() => fs.readLink(through), 'not_directory', 'readLink through a link')
    await fails(() => fs.scan(at('to-d'))[Symbol.asyncIterator]().next(), 'not_directory', 'scan of a link')
    await fails(() => fs.open(at('to-f')), 'not_regular', 'open of a link to a file')
    await fails(() => commit(fs, write(fs, 'to-d/new', 'x')), 'not_directory', 'write through a link')
    await fails(() => commit(fs, makeDirectory('to-d/new')), 'not_directory', 'makeDirectory through a link')
    await fails(() => commit(fs, remove('to-d/f', hashOf(fs, 'x'))), 'conflict', 'remove through a link')
    same(await readText(fs, 'd/f'), 'x', 'the file behind the link')
  }),

  'statMany: answers in order, failures in their places': async (fs) => {
    await plant(fs, { d: null, 'd/f': 'abc', g: 'x' })
    const paths = ['d/f', 'nope', 'g/x', '', 'd'].map(at)
    const answers = (await fs.statMany(paths)).map((answer) => ('kind' in answer ? [answer.path, answer.kind, answer.size] : answer.code))
    same(answers, [['d/f', 'file', 3], 'not_found', 'not_directory', ['', 'directory', null], ['d', 'directory', null]], 'statMany')
    same(await fs.statMany([]), [], 'statMany of nothing')
    for (const entry of await fs.statMany(['d/f', 'd', ''].map(at))) {
      check('kind' in entry, 'an entry')
      same(entry, await fs.stat(entry.path), `statMany and stat of ${entry.path}`)
    }
    check(
      (await fs.statMany([at('nope')])).every((answer) => isFilewrightError(answer)),
      'a failure is an error of the product',
    )
  },

  'list: code-point order of names, whatever the kinds': async (fs) => {
    for (const name of ORDER.toReversed())
      await plant(fs, name === 'a' || name === 'é' ? { [name]: null, [`${name}/in`]: '1' } : { [name]: '1' })
    same(await listNames(fs, ''), ['B', 'a', 'a-', 'a.b', 'a0', 'b', '~', 'é', '\uffee', '😀'], 'list')
  },

  'list: children only, with their whole paths': async (fs) => {
    await plant(fs, { d: null, 'd/e': null, 'd/e/f': '1', 'd/x': '2', dd: null, 'dd/y': '3' })
    same(
      (await fs.list(at('d'))).map(({ path, kind }) => [path, kind]),
      [
        ['d/e', 'directory'],
        ['d/x', 'file'],
      ],
      'list of d',
    )
    same(await listNames(fs, 'd/e'), ['f'], 'list of d/e')
    await plant(fs, { empty: null })
    same(await fs.list(at('empty')), [], 'list of an empty directory')
  },

  'list: facts that were asked for': withLinks(async (fs) => {
    await plant(fs, { f: 'four', l: { link: 'f' }, d: null })
    const whole = { stat: true, target: true, access: true }
    for (const entry of await fs.list(at(''), whole)) {
      const alone = await fs.stat(entry.path, { access: true })
      same(comparable(entry), comparable(alone), `list and stat of ${entry.path}`)
    }
  }),

  'entries: what is not known, or was not asked for, is null': withLinks(async (fs) => {
    await plant(fs, { f: 'x', d: null, l: { link: 'f' } })
    for (const entry of [...(await fs.list(at(''))), ...(await scanAll(fs, ''))]) {
      const { path, kind, hash, ...facts } = entry
      check(hash === null || kind === 'file', `${path} is no file and has a hash`)
      for (const [key, fact] of Object.entries(facts)) check(fact === null, `${key} of ${path} was not asked for: ${fact}`)
      same(Object.keys(facts).length, 7, `the facts of ${path}`)
    }
    const { hash } = hashOf(fs, 'x')
    await commit(fs, remove('f', { hash }))
    const { entry } = await fs.object(hash)
    same([entry.kind, entry.size, entry.hash, entry.target], ['file', 1, hash, null], 'the entry of an object')
  }),

  'list: errors': async (fs) => {
    await plant(fs, { f: 'x' })
    await fails(() => fs.list(at('nope')), 'not_found', 'list of nothing')
    await fails(() => fs.list(at('f')), 'not_directory', 'list of a file')
    await fails(() => fs.list(at('f/x')), 'not_directory', 'list below a file')
  },

  'open: reads any range': async (fs) => {
    await plant(fs, { f: '0123456789', empty: '' })
    const reader = await fs.open(at('f'))
    same([reader.size, reader.entry.path, reader.entry.size, reader.entry.kind], [10, 'f', 10, 'file'], 'the reader of a file')
    const read = async (offset: number, length: number): Promise<string> => {
      const into = new Uint8Array(length).fill(0x2e)
      const count = await reader.read(offset, into)
      check(
        into.subarray(count).every((byte) => byte === 0x2e),
        `a read at ${offset} wrote past the bytes it returned`,
      )
      return new TextDecoder().decode(into.subarray(0, count))
    }
    same(await read(0, 10), '0123456789', 'the whole file')
    same(await read(3, 4), '3456', 'a range')
    same(await read(8, 10), '89', 'a range past the end')
    same(await read(10, 5), '', 'a range at the end')
    same(await read(1000, 5), '', 'a range beyond the end')
    same(await read(0, 0), '', 'no bytes')
    await reader.close()
    const nothing = await fs.open(at('empty'))
    same([nothing.size, await nothing.read(0, new Uint8Array(8))], [0, 0], 'an empty file')
    await nothing.close()
  },

  'open: errors': async (fs) => {
    await plant(fs, { d: null, f: 'x' })
    await fails(() => fs.open(at('nope')), 'not_found', 'open of nothing')
    await fails(() => fs.open(at('d')), 'is_directory', 'open of a directory')
    await fails(() => fs.open(at('')), 'is_directory', 'open of the root')
    await fails(() => fs.open(at('f/x')), 'not_directory', 'open below a file')
  },

  'open: a reader pins one version while the file is replaced, moved and removed': async (fs) => {
    await plant(fs, { f: 'the first version' })
    const first = await fs.open(at('f'))
    await commit(fs, write(fs, 'f', 'the second, longer version', hashOf(fs, 'the first version')))
    const second = await fs.open(at('f'))
    await commit(fs, { kind: 'move', path: at('f'), to: at('g'), expect: hashOf(fs, 'the second, longer version') })
    await commit(fs, remove('g', hashOf(fs, 'the second, longer version')))
    same(new TextDecoder().decode(await bytesOf(first)), 'the first version', 'a reader after its file was replaced')
    same(new TextDecoder().decode(await bytesOf(second)), 'the second, longer version', 'a reader after its file was moved and removed')
  },

  'open: what it reads is apart from what callers do with their arrays': async (fs) => {
    const inlined = utf8('inline content')
    const staged = utf8('staged content')
    await commit(fs, write(fs, 'f', inlined))
    const content = await fs.stage(staged)
    inlined.fill(0)
    staged.fill(0)
    await commit(fs, { kind: 'write', path: at('g'), content, expect: 'absent' })
    const reader = await fs.open(at('f'))
    const into = new Uint8Array(14)
    await reader.read(0, into)
    into.fill(0)
    same([await readText(fs, 'f'), await readText(fs, 'g')], ['inline content', 'staged content'], 'contents')
    await reader.close()
  },

  'readEach: files in order, problems in their places': async (fs) => {
    await plant(fs, { a: 'one', d: null, 'd/b': 'two', exact: '12345', large: '123456', e: '' })
    const seen: [string, string][] = []
    const paths = ['d/b', 'a', 'nope', 'large', 'exact', 'd', 'a/x', 'e', 'a'].map(at)
    await fs.readEach(paths, { maxBytes: 5 }, (path, bytes, problem) => {
      check((bytes === null) !== (problem === null), 'either bytes or a problem')
      seen.push([path, bytes ? new TextDecoder().decode(bytes) : (problem?.code ?? '')])
      return undefined
    })
    same(
      seen,
      [
        ['d/b', 'two'],
        ['a', 'one'],
        ['nope', 'not_found'],
        ['large', 'too_large'],
        ['exact', '12345'],
        ['d', 'is_directory'],
        ['a/x', 'not_directory'],
        ['e', ''],
        ['a', 'one'],
      ],
      'readEach',
    )
  },

  'readEach: a link is a problem': withLinks(async (fs) => {
    await plant(fs, { f: 'x', l: { link: 'f' } })
    let code = ''
    await fs.readEach([at('l')], { maxBytes: 9 }, (_, __, problem) => {
      code = problem?.code ?? ''
      return true
    })
    same(code, 'not_regular', 'readEach of a link')
  }),

  'readEach: stops when told to': async (fs) => {
    await plant(fs, { a: '1', b: '2', c: '3' })
    const seen: Path[] = []
    await fs.readEach(['a', 'b', 'c'].map(at), { maxBytes: 9 }, (path) => {
      seen.push(path)
      return path !== 'b'
    })
    same(seen, ['a', 'b'], 'readEach with a visitor that returns false')
    const signal = AbortSignal.abort()
    await fails(() => fs.readEach([at('a')], { maxBytes: 9, signal }, () => true), 'canceled', 'readEach after an abort')
  },

  'readEach: what a visitor throws comes through': async (fs) => {
    await plant(fs, { a: '1' })
    const thrown = new RangeError('from the visitor')
    try {
      await fs.readEach([at('a')], { maxBytes: 9 }, () => {
        throw thrown
      })
    } catch (error) {
      check(error === thrown, `the visitor's own error, got ${describeError(error)}`)
      return
    }
    check(false, "the visitor's error was swallowed")
  },

  'readLink: the text of a link': withLinks(async (fs) => {
    const texts = ['f', 'nowhere', '../outside', '/absolute', './a//b/', 'ünïcode 😀']
    for (const [index, target] of texts.entries()) await plant(fs, { [`l${index}`]: { link: target } })
    for (const [index, target] of texts.entries()) same(await fs.readLink(at(`l${index}`)), target, `readLink of l${index}`)
    await plant(fs, { f: 'x', d: null })
    await fails(() => fs.readLink(at('f')), 'invalid_argument', 'readLink of a file')
    await fails(() => fs.readLink(at('d')), 'invalid_argument', 'readLink of a directory')
    await fails(() => fs.readLink(at('nope')), 'not_found', 'readLink of nothing')
    await fails(() => fs.readLink(at('f/x')), 'not_directory', 'readLink below a file')
  }),

  'mode: kept, shown, and passed on to what replaces a file': async (fs) => {
    await commit(fs, { ...write(fs, 'script', '1'), mode: 0o750 }, { ...makeDirectory('d'), mode: 0o700 }, write(fs, 'plain', '1'))
    const modeOf = async (path: string) => (await fs.stat(at(path))).mode
    sameMode(fs, await modeOf('script'), 0o750, 'a given mode')
    sameMode(fs, await modeOf('d'), 0o700, "a directory's mode")
    await commit(fs, write(fs, 'script', '2', hashOf(fs, '1')), { ...write(fs, 'plain', '2', hashOf(fs, '1')), mode: 0o640 })
    sameMode(fs, await modeOf('script'), 0o750, 'the mode of a replaced file')
    sameMode(fs, await modeOf('plain'), 0o640, 'a new mode for an old file')
    await plant(fs, { 'new': 'x', 'new directory': null })
    const directory = await modeOf('new directory')
    check(directory === null || (directory & 0o700) === 0o700, `a new directory can be entered and changed, got ${directory?.toString(8)}`)
    const mode = await modeOf('new')
    check(
      mode === null || ((mode & 0o600) === 0o600 && (mode & 0o111) === 0),
      `a new file is readable and not executable, got ${mode?.toString(8)}`,
    )
  },

  'mode: only the nine permission bits': async (fs) => {
    await commit(fs, { ...write(fs, 'f', '1'), mode: 0o106755 })
    sameMode(fs, (await fs.stat(at('f'))).mode, 0o755, 'a mode with set-user-id')
  },

  'mtime: as given, else now': async (fs) => {
    const mtimeMs = Date.UTC(2001, 1, 3, 4, 5, 6, 789)
    await commit(fs, { ...write(fs, 'old', '1'), mtimeMs }, write(fs, 'new', '1'))
    const got = (await fs.stat(at('old'))).mtimeMs
    check(got === null || Math.abs(got - mtimeMs) < 0.001, `the given time, got ${got}`)
    await commit(fs, { kind: 'move', path: at('old'), to: at('moved'), expect: hashOf(fs, '1') })
    same((await fs.stat(at('moved'))).mtimeMs, got, 'the time of a moved file')
    await commit(fs, write(fs, 'moved', '2', hashOf(fs, '1')))
    const later = (await fs.stat(at('moved'))).mtimeMs
    check(later === null || later > mtimeMs, 'the time of a file that was replaced later')
  },
}

function comparable({ path, kind, size, mtimeMs, mode, version, target, access }: Entry): unknown[] {
  return [path, kind, size, mtimeMs, mode, version, target, access]
}
