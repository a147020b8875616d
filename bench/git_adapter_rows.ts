/** Rows 67 to 75: a workspace in a repository as its users read it, through the adapter and a view, against git and memory. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileSystem } from '../src/core/file_system.ts'
import { type Path, ROOT } from '../src/core/path.ts'
import { readAll } from '../src/core/read.ts'
import type { View } from '../src/core/view.ts'
import { openNodeGitDirectory } from '../src/fs/git/node_directory.ts'
import { createGitFs } from '../src/fs/git.ts'
import { createMemoryFs } from '../src/fs/memory.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { createView } from '../src/workspace/view.ts'
import type { ImportedFile, Workspace } from '../src/workspace/workspace.ts'
import { call, WHOLE_SEARCH } from './call.ts'
import { GIT_ENVIRONMENT, makeGitCorpus } from './git_corpus.ts'
import { command, inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

const MOST_BYTES = 150e6
const COLD_READS = 20
const NO_LIMIT = { maxBytes: 1e9 }
/** Runs before the first round: a server has done it before. */
const WARM = 8

export async function gitAdapterRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const { small, large } = await makeGitCorpus(dirname(corpus.repository), ['small', 'large'])
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: large, env: GIT_ENVIRONMENT, encoding: 'utf8', maxBuffer: 1e9 })
  const entries = git('ls-tree', '-r', '-t', 'main').trim().split('\n').length
  const files = git('ls-tree', '-r', 'main')
    .trim()
    .split('\n')
    .map((line) => ({ oid: line.slice(12, 52), path: line.slice(53) as Path }))
  const few = Array.from(
    { length: COLD_READS },
    (_, at) => files[Math.floor(((at + 0.5) * files.length) / COLD_READS)] as (typeof files)[0],
  )
  const paths = files.map(({ path }) => path)
  const bytes = git('ls-tree', '-r', '-l', 'main')
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line.slice(53, line.indexOf('\t'))), 0)

  const out = join(scratch, 'git-adapter')
  writeFileSync(`${out}.all`, files.map(({ oid }) => `${oid}\n`).join(''))
  // By their paths, as the adapter finds them.
  writeFileSync(`${out}.few`, few.map(({ path }) => `main:${path}\n`).join(''))
  const environment = `export HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null; cd ${large}`
  const tree = command(`${environment}; git ls-tree -r -t main`, `${out}.out`)
  // Ten times over, since once is less than is measured exactly.
  const tenReads = command(`${environment}; for i in 0 1 2 3 4 5 6 7 8 9; do git cat-file --batch < ${out}.few; done`, `${out}.out`)

  const scanned = () => opened(large, (fs) => countOf(fs))
  const viewed = () => opened(large, (fs) => countOf(createView(fs)))
  const everyFile = () => opened(large, (fs) => readEvery(createView(fs), paths))
  const fewFiles = () =>
    opened(large, async (fs) => {
      for (const { path } of few) await readOne(fs, path)
    })
  const drawn = () =>
    opened(large, async (fs) => {
      const workspace = await openWorkspace({ profile: 'fileops', fs })
      return call(workspace, 'file_tree', { root_path: '.', max_scanned_files: 1_000_000 })
    })
  const pair = await searched(small, closing)
  const memory = (number: string, name: string, share: number, gate: number | null): Row => ({
    number,
    name,
    anchorName: `${MOST_BYTES / 1e6} MB`,
    unit: 'MB',
    gate,
    warm: 0,
    anchor: () => MOST_BYTES,
    product: () => peakOf(large, share),
    check() {},
  })

  return [
    {
      number: '67',
      name: 'scan of 50,000 files in git, just opened',
      anchorName: 'git ls-tree -r -t',
      gate: 3,
      warm: WARM,
      anchor: tree,
      product: inProcess(scanned, 3),
      check: async () => mustAgree('Entries', await scanned(), entries),
    },
    {
      number: '68',
      name: 'the same through a view',
      anchorName: 'git ls-tree -r -t',
      gate: 3,
      warm: WARM,
      anchor: tree,
      product: inProcess(viewed, 3),
      check: async () => mustAgree('Entries', await viewed(), entries),
    },
    {
      number: '69',
      name: 'file_tree of 50,000 files in git, just opened',
      anchorName: 'git ls-tree -r -t',
      gate: null,
      warm: WARM,
      anchor: tree,
      product: inProcess(drawn),
      check: async () => mustAgree('Files', (await drawn()).scanned_files, files.length),
    },
    {
      number: '70',
      name: 'every file of 50,000 in git, just opened',
      anchorName: 'git cat-file --batch',
      gate: 1.2,
      warm: 2,
      anchor: command(`${environment}; git cat-file --batch < ${out}.all`, `${out}.out`),
      product: inProcess(everyFile),
      check: async () => mustAgree('Bytes', await everyFile(), bytes),
    },
    {
      number: '71',
      name: '20 files of 50,000 in git by their paths, just opened',
      anchorName: 'git cat-file --batch',
      gate: 2.5,
      // So short that the engine would still compile beside it.
      warm: 4 * WARM,
      anchor: async () => (await tenReads()) / 10,
      product: inProcess(fewFiles, 10),
      check() {},
    },
    memory('72', 'memory for a scan of 50,000 files in git, held, and 1,000 of them read', 50, 1),
    memory('73', 'memory for every file of 50,000 in git, 200 MB, one after another', 1, null),
    pair('74', 'search in 5,000 files in git', 'search_files', { search_path: '.', query: 'limitQueue', ...WHOLE_SEARCH }, 'total_matches'),
    pair('75', 'find in 5,000 files in git', 'file_tree', { root_path: '.', include_patterns: ['source*99.ts'] }, 'tree'),
  ]
}

/** Rows of one tool on the same files in git and in memory, both opened long ago. */
async function searched(dir: string, closing: RowParts['closing']) {
  const git = await openWorkspace({ profile: 'fileops', fs: await open(dir) })
  const memory = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  closing(git)
  closing(memory)
  const files: ImportedFile[] = []
  const paths: Path[] = []
  for await (const page of git.fs.scan(ROOT)) {
    for (const { path, kind } of page) {
      if (kind === 'directory') files.push({ path, directory: true })
      else paths.push(path)
    }
  }
  const contents: (readonly [Path, Uint8Array])[] = []
  await git.fs.readEach(paths, NO_LIMIT, (path, bytes) => {
    if (bytes) contents.push([path, bytes])
    return true
  })
  for (const [path, bytes] of contents) files.push({ path, content: await memory.stage(bytes) })
  await memory.importFiles(files, { operator: true })
  return (number: string, name: string, tool: string, args: object, key: string): Row => {
    const run = (workspace: Workspace) => call(workspace, tool, args)
    return {
      number,
      name,
      anchorName: 'the same in memory',
      gate: null,
      warm: WARM,
      anchor: inProcess(() => run(memory)),
      product: inProcess(() => run(git)),
      check: async () => mustAgree(key, (await run(git))[key], (await run(memory))[key]),
    }
  }
}

async function open(dir: string): Promise<FileSystem> {
  return createGitFs({ git: await openNodeGitDirectory(dir) })
}

async function opened<T>(dir: string, work: (fs: FileSystem) => Promise<T>): Promise<T> {
  const fs = await open(dir)
  const result = await work(fs)
  await fs.close()
  return result
}

async function countOf(files: FileSystem | View): Promise<number> {
  let count = 0
  for await (const page of files.scan(ROOT)) count += page.length
  return count
}

async function readEvery(files: FileSystem | View, paths: readonly Path[]): Promise<number> {
  let count = 0
  await files.readEach(paths, NO_LIMIT, (_, bytes) => {
    count += bytes?.length ?? 0
    return true
  })
  return count
}

async function readOne(fs: FileSystem, path: Path): Promise<void> {
  const reader = await fs.open(path)
  if ((await readAll(reader, NO_LIMIT.maxBytes, path)).length === 0) throw new Error(`${path} is empty.`)
  await reader.close()
}

/** The most memory that a process of its own has. */
function peakOf(dir: string, share: number): number {
  const program = join(import.meta.dirname, 'git_adapter_memory.ts')
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, dir, String(share)], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}
