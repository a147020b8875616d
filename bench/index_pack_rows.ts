/** Rows 56 to 59: taking in a pack, against `git index-pack`, with isomorphic-git beside it, and the memory for it. */
import { spawnSync } from 'node:child_process'
import fs, { copyFileSync, createReadStream, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as isomorphic from 'isomorphic-git'
import { openNodeGitFiles } from '../src/fs/git/node_files.ts'
import { platformGit } from '../src/git/host_platform.ts'
import { takePack } from '../src/git/incoming/incoming_pack.ts'
import { GIT_ENVIRONMENT, makeGitCorpus } from './git_corpus.ts'
import { command, inProcess, mustAgree, peakMemory, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

/** Most memory that a pack of a gibibyte may take. */
const MOST_BYTES = 200e6

export async function indexPackRows({ scratch, corpus }: RowParts): Promise<Row[]> {
  const places = await makeGitCorpus(dirname(corpus.repository), ['small', 'large', 'heavy'])
  const packs = join(scratch, 'index-pack')
  mkdirSync(packs)

  /** A pack in a folder of its own, and both ways to index it. */
  const prepare = (name: keyof typeof places) => {
    const from = join(places[name], 'objects/pack')
    const pack = join(from, readdirSync(from).find((file) => file.endsWith('.pack')) as string)
    const theirs = join(packs, `${name}.pack`)
    copyFileSync(pack, theirs)
    const target = join(packs, name)
    let last = ''
    return {
      pack,
      anchor: command(`rm -f ${packs}/${name}.idx; env -i ${environment()} git index-pack ${theirs}`, join(scratch, 'out')),
      product: inProcess(async () => {
        rmSync(target, { recursive: true, force: true })
        last = await take(pack, target)
      }),
      check: () =>
        mustAgree('Indexes', readFileSync(`${target}/objects/pack/${last}.idx`, 'hex'), readFileSync(`${packs}/${name}.idx`, 'hex')),
    }
  }
  const [small, large, heavy] = [prepare('small'), prepare('large'), prepare('heavy')]
  const peer = inProcess(async () => {
    await isomorphic.indexPack({ fs, dir: packs, gitdir: places.small, filepath: 'small.pack' })
  })
  return [
    { number: '56', name: 'a pack of 5,000 files comes in', anchorName: 'git index-pack', gate: 2.2, ...small },
    { number: '57', name: 'a pack of 50,000 files comes in', anchorName: 'git index-pack', gate: 2.2, warm: 1, ...large },
    {
      ...small,
      number: '58',
      name: 'the same of 5,000 files by isomorphic-git',
      anchorName: 'git index-pack',
      gate: null,
      warm: 1,
      product: peer,
      check() {},
    },
    {
      number: '59',
      name: 'memory for a pack of 1 GiB that comes in',
      anchorName: '200 MB',
      unit: 'MB',
      gate: 1,
      warm: 0,
      anchor: () => MOST_BYTES,
      product: () => memoryOf(heavy.pack, join(packs, 'heavy')),
      check() {},
    },
  ]
}

async function take(pack: string, target: string): Promise<string> {
  const files = openNodeGitFiles(target, { create: 'bare', durability: 'process' })
  const read = (): never => {
    throw new Error('The pack is whole.')
  }
  return (await takePack({ files, platform: platformGit(), read }, createReadStream(pack))).name
}

/** The most memory that a process of its own had, in bytes. */
function memoryOf(pack: string, target: string): number {
  rmSync(target, { recursive: true, force: true })
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), pack, target], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}

function environment(): string {
  return Object.entries(GIT_ENVIRONMENT)
    .map(([name, value]) => `${name}='${value}'`)
    .join(' ')
}

// Run by itself, it takes in one pack and tells the memory for it.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await take(process.argv[2] as string, process.argv[3] as string)
  console.log(peakMemory())
}
