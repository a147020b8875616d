/** Rows 64 to 66: clones from a server on this machine, partial and whole, beside git's own and isomorphic-git's. */
import { fork, spawn } from 'node:child_process'
import fs, { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as isomorphic from 'isomorphic-git'
import http from 'isomorphic-git/http/node'
import { openNodeGitFiles } from '../src/fs/git/node_files.ts'
import { parseCommit } from '../src/git/commit.ts'
import { listTree } from '../src/git/list_tree.ts'
import { cloneRepository } from '../src/git/wire/clone.ts'
import { GIT_ENVIRONMENT, makeGitCorpus } from './git_corpus.ts'
import { elapsed, mustAgree, type Row, type Run } from './measure.ts'
import type { RowParts } from './row_parts.ts'

export async function cloneRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const { small } = await makeGitCorpus(dirname(corpus.repository), ['small'])
  const folder = join(scratch, 'clone')
  const root = join(folder, 'served')
  mkdirSync(root, { recursive: true })
  cpSync(small, join(root, 'small'), { recursive: true })
  const server = fork(join(import.meta.dirname, 'git_server.ts'), [root])
  closing({ close: async () => server.disconnect() })
  const base = await new Promise<string>((resolve) => server.once('message', (url) => resolve(url as string)))
  const url = `${base}/small`
  await shell(`git -C ${root}/small config uploadpack.allowFilter true`)

  const [theirs, ours, out] = [join(folder, 'theirs'), join(folder, 'ours'), join(folder, 'out')]
  /** Clocks a clone into an empty place: what waits for the server counts on both sides. */
  const into = (place: string, work: () => Promise<unknown>): Run => {
    return () => {
      rmSync(place, { recursive: true, force: true })
      return elapsed(work)
    }
  }
  let listing: string[] = []
  const partial = into(ours, async () => {
    const git = await cloneRepository(openNodeGitFiles(ours, { create: 'bare', durability: 'process' }), url, { filter: 'blob:none' })
    const head = (await git.refs.head()).oid
    if (head === null) throw new Error('The clone has no commit.')
    listing = []
    await listTree(git.objects, parseCommit(await git.objects.readAs(head, 'commit'), head).tree, (path, mode, oid) => {
      listing.push(`${mode} ${oid} ${path}`)
      return true
    })
    await git.close()
  })
  const whole = into(ours, async () => {
    const git = await cloneRepository(openNodeGitFiles(ours, { create: 'bare', durability: 'process' }), url)
    await git.close()
  })
  const peer = into(theirs, () => isomorphic.clone({ fs, http, dir: theirs, url, noCheckout: true }))
  const headOf = async (place: string): Promise<string> => {
    await shell(`git -C ${place} rev-parse main > ${out}`)
    return readFileSync(out, 'utf8')
  }
  const sameHead = async (): Promise<void> => mustAgree('Heads', await headOf(ours), await headOf(theirs))
  const plain = { unit: 'ms', warm: 2 } as const
  return [
    {
      ...plain,
      number: '64',
      name: 'partial clone of 5,000 files, to its full listing',
      anchorName: 'git clone --filter=blob:none, git ls-tree -r -t',
      gate: 1.5,
      anchor: into(theirs, () =>
        shell(`git clone -q -n --filter=blob:none ${url} ${theirs} && git -C ${theirs} ls-tree -r -t HEAD > ${out}`),
      ),
      product: partial,
      check: () => mustAgree('Entries', listing.length, readFileSync(out, 'utf8').trimEnd().split('\n').length),
    },
    {
      ...plain,
      number: '65',
      name: 'whole clone of 5,000 files',
      anchorName: 'git clone --bare',
      gate: null,
      anchor: into(theirs, () => shell(`git clone -q --bare ${url} ${theirs}`)),
      product: whole,
      check: sameHead,
    },
    {
      ...plain,
      number: '66',
      name: 'whole clone of 5,000 files',
      anchorName: 'isomorphic-git',
      gate: null,
      anchor: peer,
      product: whole,
      check: sameHead,
    },
  ]
}

/** Runs a command while this process goes on. */
function shell(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { env: GIT_ENVIRONMENT, stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', reject)
    child.on('close', (status) => (status === 0 ? resolve() : reject(new Error(`${line} ended with ${status}.`))))
  })
}
