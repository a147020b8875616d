/** Cases about copies: what they bring along, the steps around them, and in which order they fail. */
import type { Version } from '../../core/change.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { check, fails, same } from '../assert.ts'
import {
  at,
  commit,
  copy,
  hashOf,
  keptContents,
  link,
  makeDirectory,
  move,
  objectText,
  pattern,
  plant,
  readBytes,
  readText,
  remove,
  scanPaths,
  write,
} from '../setup.ts'
import { unchangedBy } from '../snapshot.ts'
import { type CaseTable, sameMode, withLinks } from './case.ts'

async function versionOf(fs: FileSystem, path: string): Promise<{ readonly version: Version }> {
  const { version } = await fs.stat(at(path))
  check(version !== null, `${path} has a version`)
  return { version }
}

export const copyingCases: CaseTable = {
  'copy: content and mode of the source, a time of its own': async (fs) => {
    const mtimeMs = Date.UTC(2010, 5, 6)
    await commit(fs, makeDirectory('d'), { ...write(fs, 'a', 'text'), mode: 0o640, mtimeMs }, write(fs, 'empty', ''))
    await commit(fs, copy('a', 'd/b', hashOf(fs, 'text')), copy('empty', 'none', hashOf(fs, '')))
    same([await readText(fs, 'a'), await readText(fs, 'd/b'), await readText(fs, 'none')], ['text', 'text', ''], 'the files')
    const [source, made] = [await fs.stat(at('a')), await fs.stat(at('d/b'))]
    sameMode(fs, made.mode, 0o640, 'the mode of the copy')
    sameMode(fs, source.mode, 0o640, 'the mode of the source')
    check(source.mtimeMs === null || Math.abs(source.mtimeMs - mtimeMs) < 0.001, 'the time of the source')
    check(made.mtimeMs === null || made.mtimeMs > mtimeMs + 1000, 'the time of the copy')
  },

  'copy: another mode, and over another file': async (fs) => {
    await commit(fs, { ...write(fs, 'a', 'text'), mode: 0o640 }, { ...write(fs, 'b', 'old'), mode: 0o755 })
    await commit(fs, { ...copy('a', 'c', hashOf(fs, 'text')), mode: 0o600 })
    await commit(fs, copy('a', 'b', hashOf(fs, 'text'), hashOf(fs, 'old')))
    sameMode(fs, (await fs.stat(at('c'))).mode, 0o600, 'the mode that was asked for')
    sameMode(fs, (await fs.stat(at('b'))).mode, 0o640, 'the mode of the source, not of what was replaced')
    same([await readText(fs, 'b'), await readText(fs, 'c')], ['text', 'text'], 'the copies')
  },

  'copy: its record, and what it replaces': async (fs) => {
    await plant(fs, { a: 'text', b: 'kept', c: 'not kept' })
    const text = hashOf(fs, 'text')
    const record = await commit(
      fs,
      copy('a', 'new', text),
      { ...copy('a', 'b', text, hashOf(fs, 'kept')), keep: { id: '20200101T000000000Z-00000000', label: 'a label' } },
      { ...copy('a', 'c', text, hashOf(fs, 'not kept')), keep: false },
    )
    const [made, over, lost] = record.changes ?? []
    check(made?.after?.kind === 'file' && over?.before?.kind === 'file' && lost?.before?.kind === 'file', 'the sides are files')
    same([made.kind, made.path, made.from, made.to ?? null], ['copy', 'new', 'a', null], 'what the record says')
    same([made.before, made.after.hash, made.after.size, made.kept, made.backup ?? null], [null, text.hash, 4, true, null], 'a new copy')
    same([over.before.hash, over.after, over.kept], [hashOf(fs, 'kept').hash, made.after, true], 'a copy over a file')
    same(over.backup, { id: '20200101T000000000Z-00000000', label: 'a label' }, 'the backup')
    same([lost.before.hash, lost.kept, lost.backup ?? null], [hashOf(fs, 'not kept').hash, false, null], 'a copy that keeps nothing')
    same(await objectText(fs, hashOf(fs, 'kept').hash), 'kept', 'the before-image')
    await fails(() => fs.object(hashOf(fs, 'not kept').hash), 'not_found', 'the object of what was not kept')
  },

  'copy: a file of several MiB, apart from its source': async (fs, { sizes }) => {
    const bytes = pattern(sizes.bigBytes, 3)
    const { hash, size } = await fs.stage(bytes)
    await commit(fs, { kind: 'write', path: at('a'), content: { hash, size }, expect: 'absent' })
    await commit(fs, copy('a', 'b', { hash }))
    await commit(fs, copy('b', 'c', { hash }), { ...write(fs, 'a', 'short', { hash }), keep: false })
    same(await readBytes(fs, 'b'), bytes, 'the copy after its source was replaced')
    await commit(fs, { ...remove('b', { hash }), keep: false })
    same(await readBytes(fs, 'c'), bytes, 'the copy of the copy')
    await commit(fs, { ...remove('c', { hash }), keep: false })
    await fails(() => fs.object(hash), 'not_found', 'the content when no copy is left')
  },

  'copy: what an earlier step made, edited, moved or copied': async (fs) => {
    await plant(fs, { edited: 'first', moved: 'moving', d: null, 'd/in': 'inside', kept: 'old' })
    await commit(
      fs,
      write(fs, 'made', 'fresh'),
      copy('made', 'made2', hashOf(fs, 'fresh')),
      write(fs, 'edited', 'second', hashOf(fs, 'first')),
      copy('edited', 'edited2', hashOf(fs, 'second')),
      move('moved', 'there', hashOf(fs, 'moving')),
      copy('there', 'moved', hashOf(fs, 'moving')),
      move('d', 'e', 'directory'),
      copy('e/in', 'in2', hashOf(fs, 'inside')),
      copy('in2', 'in3', hashOf(fs, 'inside')),
      copy('in3', 'kept', hashOf(fs, 'inside'), hashOf(fs, 'old')),
    )
    const expected = { made: 'fresh', made2: 'fresh', edited: 'second', edited2: 'second', there: 'moving', moved: 'moving' }
    for (const [path, text] of Object.entries({ ...expected, 'e/in': 'inside', in2: 'inside', in3: 'inside', kept: 'inside' })) {
      same(await readText(fs, path), text, path)
    }
    same(await objectText(fs, hashOf(fs, 'old').hash), 'old', 'what a copy replaced')
  },

  'copy: then its source is changed, moved or removed in the same commit': async (fs) => {
    await plant(fs, { a: 'one', b: 'two', c: 'three', x: '1', y: '2' })
    await commit(
      fs,
      copy('a', 'a2', hashOf(fs, 'one')),
      write(fs, 'a', 'changed', hashOf(fs, 'one')),
      copy('b', 'b2', hashOf(fs, 'two')),
      move('b', 'away', hashOf(fs, 'two')),
      copy('c', 'c2', hashOf(fs, 'three')),
      { ...remove('c', hashOf(fs, 'three')), keep: false },
      // Two files change places by copies.
      copy('x', 't', hashOf(fs, '1')),
      copy('y', 'x', hashOf(fs, '2'), hashOf(fs, '1')),
      copy('t', 'y', hashOf(fs, '1'), hashOf(fs, '2')),
      { ...remove('t', hashOf(fs, '1')), keep: false },
    )
    const expected = { a: 'changed', a2: 'one', away: 'two', b2: 'two', c2: 'three', x: '2', y: '1' }
    same(await scanPaths(fs, ''), Object.keys(expected), 'the tree')
    for (const [path, text] of Object.entries(expected)) same(await readText(fs, path), text, path)
  },

  'copy: the copy is changed or removed in the same commit': async (fs) => {
    await plant(fs, { a: 'one' })
    const one = hashOf(fs, 'one')
    const steps = [
      copy('a', 'b', one),
      write(fs, 'b', 'two', one),
      copy('a', 'c', one),
      { ...remove('c', one), keep: false as const },
      makeDirectory('c'),
    ]
    await commit(fs, ...steps)
    same([await readText(fs, 'a'), await readText(fs, 'b'), await scanPaths(fs, '')], ['one', 'two', ['a', 'b', 'c']], 'the tree')
  },

  'copy: the source must be what is expected': async (fs) => {
    await commit(fs, { ...write(fs, 'a', 'one'), mode: 0o640 }, write(fs, 'other', 'other'))
    const [old, other] = [await versionOf(fs, 'a'), await versionOf(fs, 'other')]
    await commit(fs, copy('a', 'b', old))
    same(await readText(fs, 'b'), 'one', 'a copy by version')
    await commit(fs, write(fs, 'a', 'two', old))
    const current = (await fs.records({ limit: 1 }))[0]?.changes?.[0]?.after
    const wrong = { 'a stale version': old, 'a stale hash': hashOf(fs, 'one'), nothing: 'absent', 'a directory': 'directory' } as const
    for (const [name, source] of Object.entries(wrong)) {
      await unchangedBy(fs, name, async () => {
        const { details } = await fails(() => commit(fs, copy('a', 'c', source)), 'conflict', `a copy of ${name}`)
        same(details, { path: 'a', current }, `details of a copy of ${name}`)
      })
    }
    await commit(fs, remove('a', hashOf(fs, 'two')), move('other', 'a', other))
    await fails(() => commit(fs, copy('a', 'c', old)), 'conflict', 'a copy of what was moved there')
    await commit(fs, copy('a', 'c', await versionOf(fs, 'a'), 'absent'), copy('b', 'd', hashOf(fs, 'one')))
    same([await readText(fs, 'c'), await readText(fs, 'd')], ['other', 'one'], 'the copies')
  },

  'copy: order of failures': async (fs) => {
    await plant(fs, { a: 'one', d: null, 'd/in': 'x', e: null })
    const [one, two] = [hashOf(fs, 'one'), hashOf(fs, 'two')]
    const cases = [
      ['what is at the goal comes before a missing source', copy('nope', 'a', one), 'conflict', 'a'],
      ['what is at the goal comes before a source that is a directory', copy('d', 'a', one, two), 'conflict', 'a'],
      ['nothing is at a goal below something missing', copy('nope', 'lost/x', one, two), 'conflict', 'lost/x'],
      ['a missing source', copy('nope', 'x', one), 'not_found', null],
      ['a missing source comes before a goal below a file', copy('nope', 'a/x', one), 'not_found', null],
      ['a source that is a directory comes before a missing parent', copy('d', 'lost/x', one), 'is_directory', null],
      ['a source that is the root', copy('', 'x', one), 'is_directory', null],
      ['a source that is not as expected comes before a missing parent', copy('a', 'lost/x', two), 'conflict', 'a'],
      ['a source that is not as expected comes before a goal that is a directory', copy('a', 'e', two, 'directory'), 'conflict', 'a'],
      ['a missing parent', copy('a', 'lost/x', one), 'not_found', null],
      ['a parent that is a file', copy('d/in', 'a/x', hashOf(fs, 'x')), 'not_directory', null],
      ['a goal that is a directory', copy('a', 'e', one, 'directory'), 'is_directory', null],
      ['a goal that is the root', copy('a', '', one, 'directory'), 'is_directory', null],
    ] as const
    for (const [name, change, code, path] of cases) {
      await unchangedBy(fs, name, async () => {
        const { details } = await fails(() => commit(fs, change), code, name)
        if (path !== null) same(details?.path, path, `${name}: the path`)
      })
    }
  },

  'copy: onto itself is refused': async (fs) => {
    await plant(fs, { a: 'one' })
    const one = hashOf(fs, 'one')
    await unchangedBy(fs, 'a copy onto itself', () => fails(() => commit(fs, copy('a', 'a', one, one)), 'invalid_argument', 'itself'))
    await fails(() => commit(fs, copy('a', 'a', one)), 'conflict', 'a copy onto itself that expects nothing')
  },

  'copy: a link is no source, and may be replaced': withLinks(async (fs) => {
    await plant(fs, { a: 'one', l: { link: 'a' } })
    await fails(() => commit(fs, copy('l', 'x', hashOf(fs, 'one'))), 'not_regular', 'a copy of a link')
    await fails(() => commit(fs, copy('l', 'x', { link: 'a' })), 'not_regular', 'a copy of a link, by its text')
    const record = await commit(fs, copy('a', 'l', hashOf(fs, 'one'), { link: 'a' }), link('m', 'l'))
    same(record.changes?.[0]?.before, { kind: 'link', target: 'a' }, 'what was replaced')
    same([(await fs.stat(at('l'))).kind, await readText(fs, 'l')], ['file', 'one'], 'the file in the place of the link')
  }),

  'copy: history holds nothing for it': async (fs) => {
    await plant(fs, { a: 'one' })
    await commit(fs, copy('a', 'b', hashOf(fs, 'one')))
    same(await keptContents(fs), [], 'what history holds')
    await commit(fs, remove('a', hashOf(fs, 'one')))
    same(await keptContents(fs), [{ hash: hashOf(fs, 'one').hash, size: 3 }], 'what history holds of the source')
    await fs.forget([hashOf(fs, 'one').hash])
    same(await readText(fs, 'b'), 'one', 'the copy, whatever history gives up')
  },
}
