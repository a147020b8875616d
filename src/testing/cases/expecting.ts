/** Cases about what a change expects to replace: every kind of change, on every kind of thing, with every expectation. */
import type { Change, Expect, Version } from '../../core/change.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { check, fails, same } from '../assert.ts'
import { at, backUp, commit, copy, hashOf, link, listNames, makeDirectory, move, plant, readText, remove, utf8, write } from '../setup.ts'
import { unchangedBy } from '../snapshot.ts'
import { type CaseTable, withLinks } from './case.ts'

type State = 'nothing' | 'file' | 'empty directory' | 'full directory' | 'link'

const STATES: readonly State[] = ['nothing', 'file', 'empty directory', 'full directory', 'link']
const KINDS: readonly Change['kind'][] = ['write', 'link', 'remove', 'move', 'makeDirectory', 'copy', 'snapshot']

interface Expectation {
  readonly name: string
  readonly expect: Expect
  /** The states in which it holds. */
  readonly holds: readonly State[]
}

async function arrange(fs: FileSystem, state: State): Promise<Version | null> {
  if (state === 'file') await plant(fs, { x: 'first' })
  if (state === 'link') await plant(fs, { x: { link: 'first' } })
  if (state.endsWith('directory')) await plant(fs, { x: null })
  if (state === 'full directory') await plant(fs, { 'x/in': 'y' })
  return state === 'nothing' ? null : (await fs.stat(at('x'))).version
}

function expectations(fs: FileSystem, state: State, version: Version | null, stale: Version): Expectation[] {
  const directories: State[] = ['empty directory', 'full directory']
  const all: Expectation[] = [
    { name: 'absent', expect: 'absent', holds: ['nothing'] },
    { name: 'a directory', expect: 'directory', holds: directories },
    { name: 'its content', expect: hashOf(fs, 'first'), holds: ['file'] },
    { name: 'another content', expect: hashOf(fs, 'other'), holds: [] },
    { name: 'its link text', expect: { link: 'first' }, holds: ['link'] },
    { name: 'another link text', expect: { link: 'other' }, holds: [] },
    { name: 'the version of something else', expect: { version: stale }, holds: [] },
  ]
  if (version !== null) all.push({ name: 'its version', expect: { version }, holds: [state] })
  return all
}

function changeOf(fs: FileSystem, kind: Change['kind'], expect: Expect): Change {
  if (kind === 'write') return write(fs, 'x', 'second', expect)
  if (kind === 'link') return link('x', 'second', expect)
  if (kind === 'remove') return remove('x', expect)
  if (kind === 'move') return move('x', 'y', expect)
  if (kind === 'copy') return copy('stale', 'x', hashOf(fs, 'first'), expect)
  if (kind === 'snapshot') return backUp('x', expect)
  return makeDirectory('x')
}

/** How the change fails when its expectation holds; null when it does not fail. */
function structural(kind: Change['kind'], state: State): ErrorCode | null {
  const directory = state.endsWith('directory')
  if (kind === 'snapshot' && state === 'nothing') return 'not_found'
  if (kind === 'write' || kind === 'link' || kind === 'copy' || kind === 'snapshot') return directory ? 'is_directory' : null
  if (state === 'nothing' && (kind === 'remove' || kind === 'move')) return 'not_found'
  return kind === 'remove' && state === 'full directory' ? 'conflict' : null
}

/** One change of one kind on one state, once for every expectation. */
function matrixCase(kind: Change['kind'], state: State): CaseTable[string] {
  return async (fs) => {
    await plant(fs, { stale: 'first' })
    const stale = (await fs.stat(at('stale'))).version
    check(stale !== null, 'a file has a version')
    let version = await arrange(fs, state)
    for (const { name, expect, holds } of expectations(fs, state, version, stale)) {
      const label = `${kind} that expects ${name}, on ${state}`
      const expected: Expect =
        typeof expect === 'object' && 'version' in expect && version && expect.version !== stale ? { version } : expect
      const change = changeOf(fs, kind, expected)
      const met = kind === 'makeDirectory' ? state === 'nothing' : holds.includes(state)
      const code = met ? structural(kind, state) : 'conflict'
      if (code !== null) {
        await unchangedBy(fs, label, async () => {
          const { details } = await fails(() => commit(fs, change), code, label)
          if (code !== 'conflict') return
          check(details?.path === 'x', `${label}: the error names the path`)
          same(
            (details.current as { kind?: string } | null)?.kind ?? 'nothing',
            state.split(' ').at(-1),
            `${label}: what the error says is there`,
          )
        })
        continue
      }
      await commit(fs, change)
      await reset(fs)
      version = await arrange(fs, state)
    }
  }
}

/** Clears everything but `stale` away. */
async function reset(fs: FileSystem): Promise<void> {
  const changes: Change[] = []
  for (const entry of (await fs.list(at(''), { stat: true })).filter(({ path }) => path !== 'stale')) {
    for (const child of entry.kind === 'directory' ? await listNames(fs, entry.path) : []) {
      changes.push(remove(`${entry.path}/${child}`, hashOf(fs, await readText(fs, `${entry.path}/${child}`))))
    }
    check(entry.version !== null, `${entry.path} has a version`)
    changes.push(remove(entry.path, entry.kind === 'directory' ? 'directory' : { version: entry.version }))
  }
  await commit(fs, ...changes)
}

const matrix: CaseTable = Object.fromEntries(
  KINDS.flatMap((kind) =>
    STATES.map((state): [string, CaseTable[string]] => {
      const run = matrixCase(kind, state)
      return [`expect: ${kind} on ${state}`, kind === 'link' || state === 'link' ? withLinks(run) : run]
    }),
  ),
)

export const expectingCases: CaseTable = {
  ...matrix,

  'expect: a conflict says what is there': async (fs) => {
    await commit(fs, { ...write(fs, 'f', 'content'), mode: 0o640 })
    const { details } = await fails(() => commit(fs, write(fs, 'f', 'x')), 'conflict', 'write where nothing is expected')
    const record = (await fs.records({ limit: 1 }))[0]
    same(details, { path: 'f', current: record?.changes?.[0]?.after }, 'details')
    const gone = await fails(() => commit(fs, remove('nope', hashOf(fs, 'x'))), 'conflict', 'remove of what is gone')
    same(gone.details, { path: 'nope', current: null }, 'details')
  },

  'expect: below something missing, or below a file, there is nothing': async (fs) => {
    await plant(fs, { f: 'x' })
    for (const [path, code] of [
      ['nope/x', 'not_found'],
      ['f/x', 'not_directory'],
    ] as const) {
      const gone = await fails(() => commit(fs, remove(path, hashOf(fs, 'y'))), 'conflict', `remove of ${path}`)
      same(gone.details, { path, current: null }, 'details')
      await fails(() => commit(fs, write(fs, path, 'y', hashOf(fs, 'y'))), 'conflict', `write over ${path}`)
      await fails(() => commit(fs, write(fs, path, 'y')), code, `write of ${path}`)
      await fails(() => commit(fs, makeDirectory(path)), code, `makeDirectory ${path}`)
      await fails(() => commit(fs, remove(path, 'absent')), code, `remove of ${path} that expects nothing`)
      await fails(() => commit(fs, move('f', `${path.slice(0, -2)}2/x`, hashOf(fs, 'x'))), 'not_found', 'move to a missing directory')
    }
  },

  'expect: a version is not fooled by an equal size and time': async (fs) => {
    const mtimeMs = Date.UTC(2020, 0, 1)
    await commit(fs, { ...write(fs, 'f', 'aaaa'), mtimeMs })
    const { version } = await fs.stat(at('f'))
    check(version !== null, 'a file has a version')
    await commit(fs, { ...write(fs, 'f', 'bbbb', hashOf(fs, 'aaaa')), mtimeMs })
    check((await fs.stat(at('f'))).version !== version, 'other bytes have another version')
    await fails(() => commit(fs, write(fs, 'f', 'cccc', { version })), 'conflict', 'write over a newer version')
    await fails(() => commit(fs, remove('f', { version })), 'conflict', 'remove of a newer version')
    await fails(() => commit(fs, move('f', 'g', { version })), 'conflict', 'move of a newer version')
    same(await readText(fs, 'f'), 'bbbb', 'the file')
  },

  'expect: a version is not fooled by what is moved there': async (fs) => {
    const mtimeMs = Date.UTC(2020, 0, 1)
    const files = ['a', 'b', 'd/a'].map((path) => ({ ...write(fs, path, path.padEnd(4)), mtimeMs }))
    await commit(fs, makeDirectory('d'), makeDirectory('e'), ...files, { ...write(fs, 'e/a', 'e/a!'), mtimeMs })
    const versionOf = async (path: string): Promise<{ readonly version: Version }> => {
      const { version } = await fs.stat(at(path))
      check(version !== null, `${path} has a version`)
      return { version }
    }
    const [b, ofD, inD] = [await versionOf('b'), await versionOf('d'), await versionOf('d/a')]
    await commit(fs, remove('b', b), move('a', 'b', hashOf(fs, 'a   ')))
    await fails(() => commit(fs, write(fs, 'b', 'x', b)), 'conflict', 'write over another file of the same commit')
    await commit(fs, move('d', 'away', 'directory'), move('e', 'd', 'directory'))
    await fails(() => commit(fs, write(fs, 'd/a', 'x', inD)), 'conflict', 'write over a file whose directory was exchanged')
    await fails(() => commit(fs, move('d', 'x', ofD)), 'conflict', 'move of another directory of the same commit')
    same([await readText(fs, 'b'), await readText(fs, 'd/a')], ['a   ', 'e/a!'], 'the files')
  },

  'expect: a version changes with the mode': async (fs) => {
    await commit(fs, { ...write(fs, 'f', 'a'), mode: 0o644 })
    const { version } = await fs.stat(at('f'))
    check(version !== null, 'a file has a version')
    await commit(fs, { ...write(fs, 'f', 'a', hashOf(fs, 'a')), mode: 0o755 })
    if (fs.traits.modes === 'none') return
    await fails(() => commit(fs, remove('f', { version })), 'conflict', 'remove of a version with another mode')
  },

  'expect: a version stays while nothing changes': async (fs) => {
    await plant(fs, { f: 'a', d: null })
    const before = await fs.statMany([at('f'), at('d')])
    await plant(fs, { g: 'b' })
    await readText(fs, 'f')
    await fails(() => commit(fs, write(fs, 'f', 'x')), 'conflict', 'a write that fails')
    const versions = (entries: typeof before) => entries.map((entry) => ('version' in entry ? entry.version : null))
    same(versions(await fs.statMany([at('f'), at('d')])), versions(before), 'versions')
  },

  "expect: a directory's version is its identity, whatever is in it": async (fs) => {
    await plant(fs, { d: null })
    const { version } = await fs.stat(at('d'))
    check(version !== null, 'a directory has a version')
    await plant(fs, { 'd/f': 'x' })
    await commit(fs, move('d', 'e', { version }))
    same(await readText(fs, 'e/f'), 'x', 'a file in the moved directory')
    await plant(fs, { d: null })
    const { version: other } = await fs.stat(at('d'))
    check(other !== null && other !== version, 'a new directory has a new version')
  },

  'expect: the later of two steps expects what the earlier left': async (fs) => {
    await commit(fs, write(fs, 'f', 'one'), write(fs, 'f', 'two', hashOf(fs, 'one')))
    same(await readText(fs, 'f'), 'two', 'a file written twice')
    await fails(
      () => commit(fs, write(fs, 'f', '3', hashOf(fs, 'two')), write(fs, 'f', '4', hashOf(fs, 'two'))),
      'conflict',
      'a stale second step',
    )
    same(await readText(fs, 'f'), 'two', 'the file after a commit that failed')
  },

  'expect: of parallel commits on one state, one wins': async (fs) => {
    await plant(fs, { f: 'start' })
    const attempts = Array.from({ length: 12 }, (_, index) => commit(fs, write(fs, 'f', `writer ${index}`, hashOf(fs, 'start'))))
    const results = await Promise.allSettled(attempts)
    same(results.filter(({ status }) => status === 'fulfilled').length, 1, 'commits that succeeded')
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as { code?: string }).code] : []))
    same(
      codes,
      codes.map(() => 'conflict'),
      'how the others failed',
    )
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    same(await readText(fs, 'f'), `writer ${winner}`, 'the file')
  },

  'expect: parallel commits on different files all count': async (fs) => {
    const records = await Promise.all(Array.from({ length: 20 }, (_, index) => commit(fs, write(fs, `f${index}`, `${index}`))))
    same(
      records.map(({ sequence }) => sequence).sort((a, b) => a - b),
      records.map((_, index) => index + 1),
      'sequence numbers',
    )
    for (let index = 0; index < 20; index++) same(await readText(fs, `f${index}`), `${index}`, `f${index}`)
  },

  'commit: content that is not there, or not as long as it says': async (fs) => {
    const bytes = utf8('never stored')
    const content = { hash: fs.hasher.hash(bytes), size: bytes.length }
    const path = at('f')
    await unchangedBy(fs, 'missing content', async () => {
      await fails(() => commit(fs, { kind: 'write', path, content, expect: 'absent' }), 'not_found', 'content without bytes')
    })
    const wrong = { ...content, size: 5, bytes }
    await unchangedBy(fs, 'content of another size', async () => {
      await fails(
        () => commit(fs, { kind: 'write', path, content: wrong, expect: 'absent' }),
        'invalid_argument',
        'content of another size',
      )
    })
  },

  'commit: more changes than the limit': async (fs) => {
    const { changes } = fs.traits.limits
    if (changes > 200_000) return
    const many = Array.from({ length: changes + 1 }, (_, index) => makeDirectory(`d${index}`))
    await fails(() => commit(fs, ...many), 'too_large', 'a commit beyond the limit')
    same(await listNames(fs, ''), [], 'the tree')
  },
}
