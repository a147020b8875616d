/** The rows: what is measured against what. Gates are the product's targets; rows 1 to 3 have 0.3 on top, for confinement by handles. */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Expect } from '../src/core/change.ts'
import type { FileSystem } from '../src/core/file_system.ts'
import { createIds } from '../src/core/id.ts'
import type { Path } from '../src/core/path.ts'
import { createMemoryFs } from '../src/fs/memory.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type Corpus, NEEDLE } from './corpus.ts'
import { command, inProcess, type Row } from './measure.ts'

/** The largest budgets, so that nothing is cut but what a row wants cut. */
const SCAN = { max_scanned_files: 1_000_000, max_scanned_bytes: 1e10, timeout_ms: 30_000 }

const newId = createIds(Date.now)

/** Makes the rows; `close` gives everything back. */
export async function createRows(corpus: Corpus, scratch: string): Promise<{ readonly rows: Row[]; close(): Promise<void> }> {
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  const out = join(scratch, 'anchor-output')
  const repository = await openNodeFs({ root: corpus.repository })
  const searching = await openWorkspace({ fs: repository })
  const logs = await openWorkspace({ fs: await openNodeFs({ root: join(corpus.log, '..') }) })
  const open: Workspace[] = [searching, logs]
  const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0) ?? 'fdfind'
  const search = (query: string, more: object = {}) => call(searching, 'search_files', { search_path: '.', query, ...SCAN, ...more })
  const rg = (query: string): string => `rg -j1 --no-heading -n ${query} ${corpus.repository}`

  const rows: Row[] = [
    {
      number: '1',
      name: 'walk all',
      anchorName: 'fd -I -j1 -H',
      gate: 1.3,
      anchor: command(`${fd} -I -j1 -H . ${corpus.repository}`, out),
      product: inProcess(() => countEntries(repository)),
    },
    {
      number: '2',
      name: 'tree honouring nested ignore files, sorted',
      anchorName: 'fd -j1 -H',
      gate: 1.1,
      anchor: command(`${fd} -j1 -H . ${corpus.repository}`, out),
      product: inProcess(() =>
        call(searching, 'file_tree', {
          root_path: '.',
          show_hidden: true,
          max_scanned_files: 1_000_000,
          max_scan_ms: 60_000,
          max_chars: 200_000,
        }),
      ),
    },
    {
      number: '3',
      name: 'search, rare literal',
      anchorName: 'rg -j1',
      gate: 1.3,
      anchor: command(rg(NEEDLE), out),
      product: inProcess(() => search(NEEDLE)),
    },
    {
      number: '3',
      name: 'search, no match',
      anchorName: 'rg -j1',
      gate: 1.3,
      anchor: command(`${rg('zzqqNothing')} || true`, out),
      product: inProcess(() => search('zzqqNothing')),
    },
    {
      number: '9',
      name: 'search, common word, first 200 lines',
      anchorName: 'rg -j1, all lines',
      gate: 0.15,
      anchor: command(rg('return'), out),
      product: inProcess(() => search('return', { max_results: 200 })),
    },
    await memoryRow(corpus, open),
    ...logRows(corpus, logs, out),
    ...(await smallRows(corpus, scratch, open)),
  ]
  return { rows, close: async () => void (await Promise.all(open.map((workspace) => workspace.close()))) }
}

async function countEntries(fs: FileSystem): Promise<number> {
  let count = 0
  for await (const page of fs.scan('' as Path)) count += page.length
  return count
}

/** Calls a tool, and does not measure failures. */
async function call(workspace: Workspace, tool: string, args: object): Promise<{ readonly [key: string]: unknown }> {
  const { result, error } = await workspace.call(tool, args)
  if (error) throw new Error(`${tool}: ${error.message}`)
  return result
}

/** Row 14: search in memory, against a plain loop over the same bytes. */
async function memoryRow(corpus: Corpus, open: Workspace[]): Promise<Row> {
  const workspace = await openWorkspace({ fs: createMemoryFs() })
  open.push(workspace)
  const contents = new Map<string, Buffer>()
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: corpus.repository, encoding: 'utf8', maxBuffer: 1e9 })
  const files = []
  for (const path of listed.stdout.split('\n').filter((name) => name !== '')) {
    const bytes = readFileSync(join(corpus.repository, path))
    contents.set(path, bytes)
    files.push({ path, content: await workspace.stage(bytes) })
  }
  await workspace.importFiles(files, { operator: true })
  const needle = Buffer.from(NEEDLE)
  return {
    number: '14',
    name: 'search in memory, rare literal',
    anchorName: 'Map and Buffer.indexOf',
    gate: 2,
    anchor: inProcess(() => {
      let found = 0
      for (const bytes of contents.values()) if (bytes.indexOf(needle) >= 0) found++
      return found
    }, 5),
    product: inProcess(() => call(workspace, 'search_files', { search_path: '.', query: NEEDLE, ...SCAN }), 5),
  }
}

/** Rows 16 to 18: windows and totals of one GiB. A window without a cache needs a workspace of its own. */
function logRows(corpus: Corpus, logs: Workspace, out: string): Row[] {
  const [from, to] = [5_000_000, 5_000_200]
  const deep = { file_path: 'big.log', start_line: from, end_line: to }
  const sed = command(`sed -n '${from},${to}p;${to}q' ${corpus.log}`, out)
  const fresh = async (args: object): Promise<void> => {
    const workspace = await openWorkspace({ fs: await openNodeFs({ root: join(corpus.log, '..') }) })
    await call(workspace, 'view_file', args)
    await workspace.close()
  }
  return [
    {
      number: '16',
      name: 'lines deep in 1 GiB, first time',
      anchorName: 'sed -n A,Bp',
      gate: 0.4,
      anchor: sed,
      product: inProcess(() => fresh(deep)),
      warm: 1,
    },
    {
      number: '16',
      name: 'lines deep in 1 GiB, again',
      anchorName: 'sed -n A,Bp',
      gate: 0.01,
      anchor: sed,
      product: inProcess(() => call(logs, 'view_file', deep), 20),
    },
    {
      number: '17',
      name: 'total_lines of 1 GiB',
      anchorName: 'wc -l',
      gate: 1.2,
      anchor: command(`wc -l ${corpus.log}`, out),
      product: inProcess(() => fresh({ file_path: 'big.log', tail_lines: 1 })),
      warm: 1,
    },
    {
      number: '18',
      name: 'total_lines and SHA-256 of 1 GiB',
      anchorName: 'openssl dgst -sha256',
      gate: 1.1,
      anchor: command(`openssl dgst -sha256 ${corpus.log}`, out),
      product: inProcess(() => fresh({ file_path: 'big.log', tail_lines: 1, known_sha256: 'a'.repeat(64) })),
      warm: 1,
    },
  ]
}

/** Rows 19, 20 and 22: small views, edits of 10 MB, small writes; where they write, at both durabilities. */
async function smallRows(corpus: Corpus, scratch: string, open: Workspace[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const durability of ['process', 'power'] as const) {
    const root = join(scratch, durability)
    mkdirSync(root)
    copyFileSync(corpus.edit, join(root, 'edit.ts'))
    writeFileSync(join(root, 'view.ts'), readFileSync(corpus.edit).subarray(0, 6144))
    const workspace = await openWorkspace({ fs: await openNodeFs({ root, durability }) })
    open.push(workspace)
    if (durability === 'process') rows.push(viewRow(workspace, root))
    rows.push(editRow(workspace, corpus, scratch, durability), ...writeRows(workspace, root, durability))
  }
  return rows
}

function viewRow(workspace: Workspace, root: string): Row {
  const file = join(root, 'view.ts')
  return {
    number: '19',
    name: 'view of 6 KB, a call',
    anchorName: 'readFileSync',
    gate: 4,
    anchor: inProcess(() => readFileSync(file, 'utf8'), 2000),
    product: inProcess(() => call(workspace, 'view_file', { file_path: 'view.ts' }), 2000),
  }
}

function editRow(workspace: Workspace, corpus: Corpus, scratch: string, durability: string): Row {
  let value = 1
  const edit = (): Promise<unknown> => {
    const before = `const uniqueAnchor_4711 = ${value}\n`
    value++
    return call(workspace, 'edit_file', {
      file_path: 'edit.ts',
      replacements: [{ old_content: before, new_content: `const uniqueAnchor_4711 = ${value}\n` }],
    })
  }
  return {
    number: '20',
    name: `edit of 10 MB with hashes and before-image, durability ${durability}`,
    anchorName: durability === 'power' ? 'cp and sync of the copy' : 'cp',
    gate: 3,
    anchor: command(`cp ${corpus.edit} ${scratch}/copy.ts${durability === 'power' ? ` && sync ${scratch}/copy.ts` : ''}`, '/dev/null'),
    product: inProcess(edit),
    warm: 6,
  }
}

function writeRows(workspace: Workspace, root: string, durability: string): Row[] {
  const bodies = ['a', 'b'].map((letter) => `${letter.repeat(4095)}\n`)
  let turn = 0
  const raw = (): void => {
    const temporary = join(root, `raw.${turn}.tmp`)
    const descriptor = openSync(temporary, 'wx')
    writeSync(descriptor, bodies[turn++ % 2] as string)
    if (durability === 'power') fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(temporary, join(root, 'raw.txt'))
    if (durability !== 'power') return
    const directory = openSync(root, 'r')
    fsyncSync(directory)
    closeSync(directory)
  }
  const { fs } = workspace
  let expect: Expect = 'absent'
  const commit = async (): Promise<void> => {
    const bytes = Buffer.from(bodies[turn++ % 2] as string)
    const content = { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
    const time = new Date().toISOString()
    await fs.commit([{ kind: 'write', path: 'commit.txt' as Path, content, expect }], {
      id: newId(),
      time,
      kind: 'call',
      subject: 'bench',
      tool: 'bench',
      call: null,
    })
    expect = { hash: content.hash }
  }
  const write = (): Promise<unknown> =>
    call(workspace, 'write_file', { file_path: 'call.txt', content: bodies[turn++ % 2] as string, force_overwrite: true })
  const shared = {
    number: '22',
    anchorName: durability === 'power' ? 'write, fsync, rename, fsync' : 'write and rename',
    gate: 1.2,
    anchor: inProcess(raw, 100),
  }
  return [
    { ...shared, name: `commit of 4 KB with journal and before-image, durability ${durability}`, product: inProcess(commit, 100) },
    { ...shared, name: `write_file of 4 KB, the whole call, durability ${durability}`, product: inProcess(write, 100) },
  ]
}
