/** Every kind of single change and a batch, each on a folder of its own: what the crash tests are run on. */
import { createHash } from 'node:crypto'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Change } from '../../../src/core/change.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { EMPTY_CHAIN, headAfter, type JournalRecord, verifyRecord } from '../../../src/core/record.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import {
  allRecords,
  backUp,
  bytesOf,
  commit,
  copy,
  draft,
  hashOf,
  inline,
  link,
  makeDirectory,
  move,
  plant,
  remove,
  write,
} from '../../../src/testing/setup.ts'

/** One thing that is done to a folder. */
export interface Scenario {
  readonly name: string
  /** Makes the folder what it is before; what it returns is handed to `changes`. */
  prepare(fs: FileSystem, root: string): Promise<void>
  /** The changes of the commit under test. May stage content. */
  changes(fs: FileSystem): Change[] | Promise<Change[]>
}

const LONG = 'a line that is long enough to be something\n'.repeat(2000)
/** Enough for the kernel to copy it. */
const LARGE = LONG.repeat(12)
const tree = (fs: FileSystem): Promise<unknown> =>
  plant(fs, {
    'a.txt': 'a old',
    'b.txt': 'b old',
    dir: null,
    'dir/c.txt': 'c old',
    'dir/sub': null,
    'dir/sub/d.txt': 'd old',
    empty: null,
    link: { link: 'a.txt' },
  })

const on = (name: string, changes: Scenario['changes'], prepare: Scenario['prepare'] = async (fs) => void (await tree(fs))): Scenario => ({
  name,
  prepare,
  changes,
})

/** Content of many bytes, in pieces. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 4; i++) yield new TextEncoder().encode(LONG)
}

export const SCENARIOS: readonly Scenario[] = [
  on(
    'the first commit of a folder',
    (fs) => [write(fs, 'new.txt', 'new')],
    async () => {},
  ),
  on('a file is created', (fs) => [write(fs, 'dir/new.txt', LONG)]),
  on('a file is replaced', (fs) => [write(fs, 'a.txt', LONG, hashOf(fs, 'a old'))]),
  on('a file is replaced and not kept', (fs) => [{ ...write(fs, 'a.txt', 'a new', hashOf(fs, 'a old')), keep: false }]),
  on(
    'a file with another name is replaced',
    (fs) => [write(fs, 'a.txt', 'a new', hashOf(fs, 'a old'))],
    async (fs, root) => {
      await tree(fs)
      linkSync(join(root, 'a.txt'), `${root}.twin`)
    },
  ),
  on('a file gets a mode and a time', (fs) => [{ ...write(fs, 'a.txt', 'a new', hashOf(fs, 'a old')), mode: 0o750, mtimeMs: 1e12 }]),
  on('staged content is written', async (fs) => {
    const content = await fs.stage(pieces())
    return [
      { ...write(fs, 'big', ''), content },
      { ...write(fs, 'big too', ''), content },
    ]
  }),
  on(
    'a before-image is brought back',
    (fs) => {
      const { hash, size } = inline(fs, 'a old')
      return [{ ...write(fs, 'a.txt', '', hashOf(fs, 'a mid')), content: { hash, size } }]
    },
    async (fs) => {
      await tree(fs)
      await commit(fs, write(fs, 'a.txt', 'a mid', hashOf(fs, 'a old')))
    },
  ),
  on('a file is removed', (fs) => [remove('a.txt', hashOf(fs, 'a old'))]),
  on('a file is removed and not kept', (fs) => [{ ...remove('a.txt', hashOf(fs, 'a old')), keep: false } as Change]),
  on('a directory is made', () => [makeDirectory('dir/new')]),
  on('a directory is removed', () => [remove('empty', 'directory')]),
  on('a link is made', () => [link('new link', 'dir')]),
  on('a link is replaced', () => [link('link', 'b.txt', { link: 'a.txt' })]),
  on('a link is removed', () => [remove('link', { link: 'a.txt' })]),
  on('a file is moved', (fs) => [move('a.txt', 'dir/a.txt', hashOf(fs, 'a old'))]),
  on('a tree is moved', () => [move('dir', 'empty/dir', 'directory')]),
  on('a file is copied', (fs) => [copy('a.txt', 'dir/copy.txt', hashOf(fs, 'a old'))]),
  on('a file is copied over another', (fs) => [copy('a.txt', 'b.txt', hashOf(fs, 'a old'), hashOf(fs, 'b old'))]),
  on(
    'a file is copied by the kernel',
    (fs) => [{ ...copy('large', 'dir/large', hashOf(fs, LARGE)), mode: 0o640 }],
    async (fs) => void (await plant(fs, { large: LARGE, dir: null })),
  ),
  on('a file gets a backup', (fs) => [backUp('a.txt', hashOf(fs, 'a old')), makeDirectory('mark')]),
  on(
    'what another program wrote gets a backup',
    (fs) => [backUp('a.txt', hashOf(fs, 'a other')), backUp('link', { link: 'a.txt' }), makeDirectory('mark')],
    async (fs, root) => {
      await tree(fs)
      writeFileSync(join(root, 'a.txt'), 'a other')
      linkSync(join(root, 'a.txt'), `${root}.twin`)
    },
  ),
  on(
    'another program changed a file',
    (fs) => [write(fs, 'a.txt', 'a new', hashOf(fs, 'a other'))],
    async (fs, root) => {
      await tree(fs)
      writeFileSync(join(root, 'a.txt'), 'a other')
    },
  ),
  on('a batch of everything', (fs) => [
    write(fs, 'a.txt', LONG, hashOf(fs, 'a old')),
    makeDirectory('made'),
    write(fs, 'made/new.txt', 'new'),
    { ...write(fs, 'b.txt', 'b new', hashOf(fs, 'b old')), keep: false },
    move('dir/c.txt', 'made/c.txt', hashOf(fs, 'c old')),
    remove('dir/sub/d.txt', hashOf(fs, 'd old')),
    remove('dir/sub', 'directory'),
    link('link', 'made', { link: 'a.txt' }),
    remove('empty', 'directory'),
    copy('made/new.txt', 'made/copy.txt', hashOf(fs, 'new')),
    copy('made/c.txt', 'b.txt', hashOf(fs, 'c old'), hashOf(fs, 'b new')),
    backUp('made/copy.txt', hashOf(fs, 'new')),
    backUp('b.txt', hashOf(fs, 'c old')),
    move('made', 'dir/made', 'directory'),
    copy('dir/made/copy.txt', 'copy.txt', hashOf(fs, 'new')),
  ]),
  on('a batch that takes places over', (fs) => [
    move('a.txt', 'swap', hashOf(fs, 'a old')),
    move('b.txt', 'a.txt', hashOf(fs, 'b old')),
    move('swap', 'b.txt', hashOf(fs, 'a old')),
    move('dir', 'moved', 'directory'),
    write(fs, 'moved/c.txt', 'c new', hashOf(fs, 'c old')),
    makeDirectory('dir'),
    write(fs, 'dir/c.txt', 'c mid'),
    write(fs, 'dir/c.txt', 'c other', hashOf(fs, 'c mid')),
    remove('moved/sub/d.txt', hashOf(fs, 'd old')),
    write(fs, 'moved/sub/d.txt', 'd new'),
  ]),
  on('a batch that makes what it removed', (fs) => [
    write(fs, 'a.txt', 'a mid', hashOf(fs, 'a old')),
    { ...remove('a.txt', hashOf(fs, 'a mid')), keep: false } as Change,
    write(fs, 'a.txt', 'a new'),
    write(fs, 'b.txt', 'b new', hashOf(fs, 'b old')),
    makeDirectory('made'),
    remove('made', 'directory'),
    move('b.txt', 'made', hashOf(fs, 'b new')),
  ]),
]

/** A batch whose record does not fit into the journal. */
export const MANY: Scenario = on('many files at once', (fs) =>
  Array.from({ length: 700 }, (_, i) => write(fs, `dir/${'n'.repeat(60)}${i}`, `${i}`)),
)

/** A folder of its own, which `remove` takes away with what lies beside it. */
export function newFolder(): { readonly root: string; remove(): void } {
  const base = mkdtempSync(join(statSync('/dev/shm', { throwIfNoEntry: false }) ? '/dev/shm' : tmpdir(), 'filewright-'))
  const root = join(base, 'root')
  mkdirSync(root)
  return { root, remove: () => rmSync(base, { recursive: true, force: true }) }
}

/** Makes the folder of a scenario. */
export async function prepare(scenario: Scenario, root: string): Promise<void> {
  const fs = await openNodeFs({ root, durability: 'process' })
  await scenario.prepare(fs, root)
  await fs.close()
}

/** Does what the scenario does. */
export async function act(scenario: Scenario, fs: FileSystem): Promise<JournalRecord> {
  return fs.commit(await scenario.changes(fs), draft({ id: 'the-one' }))
}

/** Everything in a folder but the store, as text: paths, kinds, modes, contents. */
export function snapshot(root: string, dir = ''): string {
  const lines: string[] = []
  for (const name of readdirSync(join(root, dir)).sort()) {
    if (dir === '' && name === '.filewright') continue
    const path = join(dir, name)
    const stats = lstatSync(join(root, path))
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isDirectory()) lines.push(`${path}/ ${mode}`, snapshot(root, path))
    else if (stats.isSymbolicLink()) lines.push(`${path} -> ${readlinkSync(join(root, path))}`)
    else
      lines.push(
        `${path} ${mode} ${createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex')}`,
      )
  }
  return lines.join('\n')
}

/**
 * What is wrong with the store of a folder: leftovers, a broken chain, kept content that is not what its name says, and `backups`
 * that are not there.
 */
export async function problemsOf(fs: FileSystem, root: string, backups = true): Promise<string[]> {
  const problems: string[] = []
  const store = join(root, '.filewright')
  const has = (name: string): string[] => (statSync(join(store, name), { throwIfNoEntry: false }) ? readdirSync(join(store, name)) : [])
  for (const name of has('staged')) problems.push(`left over: staged/${name}`)
  for (const name of has('objects')) {
    const path = join(store, 'objects', name)
    if (statSync(path).nlink > 1) problems.push(`kept content is also a live file: ${name}`)
    if (createHash('sha256').update(readFileSync(path)).digest('hex') !== name)
      problems.push(`kept content is not what its name says: ${name}`)
  }
  let head = EMPTY_CHAIN
  for (const record of await allRecords(fs)) {
    const changes = record.changes ?? JSON.parse(new TextDecoder().decode(await bytesOf(await fs.object(record.changesHash))))
    verifyRecord(fs.hasher, record, head, changes)
    head = headAfter(record)
    for (const change of changes) {
      if (backups && change.backup && change.before?.kind === 'file') await (await fs.object(change.before.hash)).close()
    }
  }
  return problems
}
