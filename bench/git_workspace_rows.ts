/** Rows 60 to 63: a workspace in a repository of 5,000 files after 25 edits, its status and its commits, against git with a worktree. */
import { execFileSync } from 'node:child_process'
import fs, { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as isomorphic from 'isomorphic-git'
import type { Change } from '../src/core/change.ts'
import type { FileSystem } from '../src/core/file_system.ts'
import { createIds } from '../src/core/id.ts'
import { type Path, ROOT } from '../src/core/path.ts'
import type { RecordDraft } from '../src/core/record.ts'
import type { Repository } from '../src/core/repository.ts'
import { openNodeGitDirectory } from '../src/fs/git/node_directory.ts'
import { createGitFs } from '../src/fs/git.ts'
import { GIT_ENVIRONMENT, makeGitCorpus } from './git_corpus.ts'
import { command, inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

const EDITS = 25
const AUTHOR = { name: 'Ada', email: 'ada@example.com', timeMs: 1_767_319_446_000, offsetMinutes: 0 }

type Workspace = FileSystem & { readonly repository: Repository }

export async function gitWorkspaceRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const { small } = await makeGitCorpus(dirname(corpus.repository), ['small'])
  const folder = join(scratch, 'git-workspace')
  mkdirSync(folder)
  // One repository for each, so that neither meets what the other leaves.
  const [ours, worktree] = [join(folder, 'ours.git'), join(folder, 'worktree')]
  cpSync(small, ours, { recursive: true })
  execFileSync('git', ['clone', '-q', small, worktree], { env: GIT_ENVIRONMENT })
  const workspace = (await createGitFs({ git: await openNodeGitDirectory(ours, { durability: 'process' }) })) as Workspace
  closing(workspace)
  const edited = await pathsOf(workspace)
  await workspace.commit(await editsOf(workspace, edited, 'for the status'), draft())
  for (const path of edited) writeFileSync(join(worktree, path), textOf(path, 'for the status'))
  execFileSync('git', ['status'], { cwd: worktree, env: GIT_ENVIRONMENT, stdio: 'ignore' })

  const out = join(folder, 'out')
  const environment = `cd ${worktree}; export HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null`
  const status = command(`${environment}; git status --porcelain`, out)
  const changedPaths = async (): Promise<string> => (await workspace.repository.status()).changes.map(({ path }) => path).join('\n')

  writeFileSync(join(folder, 'paths'), edited.map((path) => `${path}\n`).join(''))
  let turn = 0
  /** The same plumbing as in `git commit`, for files that are given; the times of git's processes count. */
  const plumbing = command(
    `${environment}; export GIT_INDEX_FILE=${folder}/index GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=e
    git hash-object -w --stdin-paths < ${folder}/paths > ${folder}/oids &&
    git read-tree main && paste -d' ' ${folder}/oids ${folder}/paths | sed 's/^\\(\\S*\\) /100644 \\1\\t/' | git update-index --index-info &&
    git update-ref refs/heads/edits $(git commit-tree -p main -m edits $(git write-tree))`,
    out,
  )
  const commits = inProcess(async () => {
    await workspace.commit(await editsOf(workspace, edited, `edit ${++turn}`), draft())
    await workspace.repository.makeCommit({ message: 'edits', author: AUTHOR }, draft())
  })
  const anchor = (): number | Promise<number> => {
    for (const path of edited) writeFileSync(join(worktree, path), textOf(path, `edit ${++turn}`))
    return plumbing()
  }
  return [
    {
      number: '60',
      name: `status of 5,000 files after ${EDITS} edits`,
      anchorName: 'git status',
      gate: 0.2,
      warm: 12,
      anchor: status,
      product: inProcess(changedPaths, 10),
      check: async () =>
        mustAgree(
          'Status',
          await changedPaths(),
          readFileSync(out, 'utf8')
            .replace(/^ M (.*)\n/gm, '$1\n')
            .trim(),
        ),
    },
    {
      number: '61',
      name: 'the same by isomorphic-git',
      anchorName: 'git status',
      gate: null,
      warm: 1,
      anchor: status,
      product: inProcess(() => isomorphic.statusMatrix({ fs, dir: worktree })),
      check() {},
    },
    {
      number: '62',
      name: `${EDITS} edits recorded and committed`,
      anchorName: "git's plumbing",
      gate: 0.6,
      // A server has done it before.
      warm: 12,
      anchor,
      product: commits,
      check: async () => mustAgree('Changes left', (await workspace.repository.status()).changes.length, 0),
    },
    {
      number: '63',
      name: 'one edit recorded',
      anchorName: 'git hash-object',
      gate: null,
      anchor: command(`${environment}; git hash-object -w ${edited[0]}`, out),
      product: inProcess(async () => workspace.commit(await editsOf(workspace, edited.slice(0, 1), `edit ${++turn}`), draft()), 5),
      check() {},
    },
  ]
}

const newId = createIds(Date.now)

function draft(): RecordDraft {
  return { id: newId(), time: new Date().toISOString(), kind: 'call', subject: 'bench', tool: 'bench', call: null }
}

/** Files from all over the tree. */
async function pathsOf(workspace: FileSystem): Promise<Path[]> {
  const files: Path[] = []
  for await (const page of workspace.scan(ROOT)) for (const { path, kind } of page) if (kind === 'file') files.push(path)
  return Array.from({ length: EDITS }, (_, index) => files[Math.floor((index * files.length) / EDITS)] as Path)
}

function textOf(path: Path, what: string): string {
  return `// ${what}\n${path.repeat(100)}\n`
}

async function editsOf(workspace: FileSystem, paths: readonly Path[], what: string): Promise<Change[]> {
  const changes: Change[] = []
  for (const path of paths) {
    const bytes = new TextEncoder().encode(textOf(path, what))
    const { version } = await workspace.stat(path)
    if (version === null) throw new Error(`${path} has no version.`)
    changes.push({ kind: 'write', path, content: { hash: workspace.hasher.hash(bytes), size: bytes.length, bytes }, expect: { version } })
  }
  return changes
}
