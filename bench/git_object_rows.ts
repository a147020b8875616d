/** Rows 46 to 55: objects read from a repository, against git, with isomorphic-git beside it, and the memory for it. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs, { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as isomorphic from 'isomorphic-git'
import type { Oid } from '../src/core/repository.ts'
import { openNodeGitFiles } from '../src/fs/git/node_files.ts'
import { parseCommit } from '../src/git/commit.ts'
import { platformGit } from '../src/git/host_platform.ts'
import { listTree } from '../src/git/list_tree.ts'
import { createObjectDatabase, type OwnedObjectDatabase } from '../src/git/object_database.ts'
import { GIT_ENVIRONMENT, makeGitCorpus } from './git_corpus.ts'
import { command, inProcess, mustAgree, peakMemory, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

/** Most memory of a process that reads 50,000 files, and a pack of a gibibyte. */
const [MOST_FILES_BYTES, MOST_PACK_BYTES] = [150e6, 200e6]
const COLD_READS = 20

export async function gitObjectRows({ corpus, scratch }: RowParts): Promise<Row[]> {
  const places = await makeGitCorpus(dirname(corpus.repository), ['small', 'large', 'heavy'])
  const out = join(scratch, 'git-objects')
  const [small, large] = [prepare(places.small, `${out}-small`), prepare(places.large, `${out}-large`)]
  return [
    { number: '46', name: 'tree of 5,000 files', anchorName: 'git ls-tree -r -t', gate: 3, ...small.listing },
    { number: '47', name: 'tree of 50,000 files', anchorName: 'git ls-tree -r -t', gate: 3, ...large.listing },
    {
      ...small.listing,
      number: '48',
      name: 'tree of 5,000 files by isomorphic-git',
      anchorName: 'git ls-tree -r -t',
      gate: null,
      ...small.peerListing,
    },
    { number: '49', name: 'all blobs of 5,000 files', anchorName: 'git cat-file --batch', gate: 1.2, ...small.blobs },
    { number: '50', name: 'all blobs of 50,000 files', anchorName: 'git cat-file --batch', gate: 1.2, warm: 1, ...large.blobs },
    {
      ...small.blobs,
      number: '51',
      name: 'all blobs of 5,000 files by isomorphic-git',
      anchorName: 'git cat-file --batch',
      gate: null,
      ...small.peerBlobs,
    },
    { number: '52', name: '20 files of 50,000, repository just opened', anchorName: 'git cat-file --batch', gate: 2.5, ...large.cold },
    { ...large.cold, number: '53', name: 'the same by isomorphic-git', anchorName: 'git cat-file --batch', gate: null, ...large.peerCold },
    memoryRow('54', 'memory for the tree of 50,000 files, held, and 1,000 of them read', places.large, 50, MOST_FILES_BYTES),
    memoryRow('55', 'memory for a pack of 1 GiB, read whole, large files as streams', places.heavy, 1, MOST_PACK_BYTES),
  ]
}

/** What is measured in one repository. A `product` opens it anew each time, as git does. */
function prepare(dir: string, out: string) {
  const environment = `export HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null; cd ${dir}`
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: dir, env: GIT_ENVIRONMENT, encoding: 'utf8', maxBuffer: 1e9 }).trim()
  const entries = git('ls-tree', '-r', '-t', 'main').split('\n')
  const blobs = git('ls-tree', '-r', 'main')
    .split('\n')
    .map((line) => line.slice(12, 52) as Oid)
  const few = Array.from({ length: COLD_READS }, (_, at) => blobs[Math.floor(((at + 0.5) * blobs.length) / COLD_READS)] as Oid)
  const bytesOf = (oids: readonly Oid[]): number => {
    const sizes = execFileSync('git', ['cat-file', '--batch-check=%(objectsize)'], {
      cwd: dir,
      env: GIT_ENVIRONMENT,
      input: `${oids.join('\n')}\n`,
    })
    return sizes
      .toString()
      .trim()
      .split('\n')
      .map(Number)
      .reduce((sum, size) => sum + size, 0)
  }
  writeFileSync(`${out}.all`, `${blobs.join('\n')}\n`)
  writeFileSync(`${out}.few`, `${few.join('\n')}\n`)

  const list = async (): Promise<number> => {
    let characters = 0
    let count = 0
    const objects = open(dir)
    await listTree(objects, await mainTree(dir, objects), (path, mode, oid) => {
      characters += path.length + mode.length + oid.length
      count++
      return true
    })
    await objects.close()
    return characters > 0 ? count : 0
  }
  const readAll = async (): Promise<number> => {
    let bytes = 0
    const objects = open(dir)
    await objects.readEach(blobs, 1e9, (_, object) => {
      bytes += object.bytes?.length ?? 0
      return true
    })
    await objects.close()
    return bytes
  }
  const readFew = async (): Promise<number> => {
    let bytes = 0
    const objects = open(dir)
    for (const oid of few) {
      const object = objects.read(oid)
      bytes += (object instanceof Promise ? await object : object).bytes.length
    }
    await objects.close()
    return bytes
  }
  const peerRead = async (oids: readonly Oid[]): Promise<void> => {
    const cache = {}
    for (const oid of oids) await isomorphic.readBlob({ fs, gitdir: dir, oid, cache })
  }
  const none = { check() {}, warm: 1 }
  return {
    listing: {
      anchor: command(`${environment}; git ls-tree -r -t main`, `${out}.out`),
      product: inProcess(list, 3),
      check: async () => mustAgree('Entries', await list(), entries.length),
    },
    peerListing: {
      ...none,
      product: inProcess(async () => {
        const map = async (path: string, [entry]: (isomorphic.WalkerEntry | null)[]): Promise<unknown> => [
          path,
          await entry?.mode(),
          await entry?.oid(),
        ]
        await isomorphic.walk({ fs, gitdir: dir, cache: {}, trees: [isomorphic.TREE({ ref: 'main' })], map })
      }),
    },
    blobs: {
      anchor: command(`${environment}; git cat-file --batch < ${out}.all`, `${out}.out`),
      product: inProcess(readAll),
      check: async () => mustAgree('Bytes', await readAll(), bytesOf(blobs)),
    },
    peerBlobs: { ...none, product: inProcess(() => peerRead(blobs)) },
    cold: {
      // Ten times over, since once is less than is measured exactly.
      anchor: tenth(command(`${environment}; for i in 0 1 2 3 4 5 6 7 8 9; do git cat-file --batch < ${out}.few; done`, `${out}.out`)),
      product: inProcess(readFew, 10),
      check: async () => mustAgree('Bytes', await readFew(), bytesOf(few)),
    },
    peerCold: { ...none, product: inProcess(() => peerRead(few)) },
  }
}

function tenth(run: () => Promise<number> | number): () => Promise<number> {
  return async () => (await run()) / 10
}

function open(dir: string): OwnedObjectDatabase {
  return createObjectDatabase(openNodeGitFiles(dir), platformGit())
}

async function mainTree(dir: string, objects: OwnedObjectDatabase): Promise<Oid> {
  const main = fs.readFileSync(join(dir, 'refs/heads/main'), 'utf8').trim() as Oid
  return parseCommit(await objects.readAs(main, 'commit'), main).tree
}

/** The most memory that a process of its own has, against a limit. */
function memoryRow(number: string, name: string, dir: string, share: number, limit: number): Row {
  const product = (): number => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), dir, String(share)], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
    return Number(stdout)
  }
  return { number, name, anchorName: `${limit / 1e6} MB`, unit: 'MB', gate: 1, warm: 0, anchor: () => limit, product, check() {} }
}

// Run by itself, it lists one repository, reads one of so many of its files, large ones as streams, and tells the memory for it.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [dir, share, largest] = [process.argv[2] as string, Number(process.argv[3]), 512 * 1024]
  const objects = open(dir)
  const files: { readonly path: string; readonly oid: Oid }[] = []
  await listTree(objects, await mainTree(dir, objects), (path, mode, oid) => {
    if (mode !== '040000') files.push({ path, oid })
    return true
  })
  const wanted = files.filter((_, at) => at % share === 0).map(({ oid }) => oid)
  const streamed: Oid[] = []
  await objects.readEach(wanted, largest, (oid, { bytes }) => {
    if (bytes === null) streamed.push(oid)
    return true
  })
  for (const oid of streamed)
    for await (const chunk of (await objects.stream(oid)).chunks) if (chunk.length === 0) throw new Error('Empty.')
  if (files.length === 0) throw new Error('Nothing was read.')
  console.log(peakMemory())
}
