/** Merges, switches and forks, through the workspace's queue and into its journal. */
import type { Change } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { type Path, parentOf, ROOT } from '../../core/path.ts'
import type { Basis, JournalRecord, RecordDraft } from '../../core/record.ts'
import type { MergedPath, Oid, Repository, RepositoryStatus, TreeChange } from '../../core/repository.ts'
import { commitAndVerify } from '../commit.ts'
import { guardRestored } from '../guards.ts'
import type { Queue } from '../queue.ts'
import type { OperatorSettings } from '../workspace.ts'
import type { Brought, WorkspaceGit } from './git.ts'
import { stepsFor } from './steps.ts'

/** What the repository's side shares with the rest of its workspace. */
export interface GitParts {
  readonly fs: FileSystem
  readonly settings: OperatorSettings
  readonly queue: Queue
  draft(parts: Pick<RecordDraft, 'kind' | 'tool'> & Partial<RecordDraft>, subject: string | undefined): RecordDraft
  announce(record: JournalRecord): JournalRecord
  /** Throws `read_only` where nothing may be changed. */
  requireWritable(act: string): void
}

export function createGit(repository: Repository, { fs, settings, queue, draft, announce, requireWritable }: GitParts): WorkspaceGit {
  /** Commits what came from another commit, together with where the next one begins. */
  async function bring(
    wanted: readonly MergedPath[],
    parts: Pick<RecordDraft, 'tool' | 'note'> & { readonly basis: { readonly before: Basis; readonly after: Basis } },
    { oid, subject, dryRun }: { readonly oid: Oid; readonly subject: string | undefined; readonly dryRun: boolean },
  ): Promise<Brought> {
    const changes: readonly Change[] = await stepsFor(fs, repository, wanted)
    guardRestored(changes, settings)
    const paths = wanted.map(({ path }) => path)
    if (dryRun) return { oid, paths, record: null }
    const { record } = await commitAndVerify(fs, changes, draft({ kind: 'call', ...parts }, subject))
    return { oid, paths, record: announce(record) }
  }

  return {
    async merge(revision, { subject, dryRun = false } = {}) {
      if (!dryRun) requireWritable('a merge')
      return queue(async () => {
        const theirs = await repository.resolve(revision)
        const status = await repository.status()
        requireNoMerge(status)
        const merged = await repository.merge(theirs, { ours: status.branch, theirs: revision })
        const { kind, changes, conflicts } = merged
        if (kind === 'up-to-date') {
          requireNotBehind(status, theirs)
          return { kind, oid: theirs, paths: [], record: null, conflicts: [] }
        }
        const after = basisAfterMerge(status, theirs, kind)
        const note = `Merge of ${revision} (${theirs.slice(0, 10)})${conflicts.length > 0 ? `, with conflicts in ${conflicts.length} paths` : ''}`
        const parts = { tool: 'git_merge', note, basis: { before: basisOf(status), after } }
        const brought = await bring(changes, parts, { oid: theirs, subject, dryRun })
        return { kind: after.merging === null ? 'fast-forward' : 'merge', ...brought, conflicts }
      })
    },
    async abandonMerge({ subject } = {}) {
      requireWritable('the end of a merge')
      return queue(async () => {
        const status = await repository.status({ paths: [] })
        if (status.merging === null) throw new FilewrightError('not_found', 'There is no merge under way.')
        const before = basisOf(status)
        const note = `Merge of ${status.merging.slice(0, 10)} abandoned`
        const parts = { kind: 'git', tool: 'git_merge', note, basis: { before, after: { ...before, merging: null } } } as const
        return announce(await fs.commit([], draft(parts, subject)))
      })
    },
    async switchTo(revision, { subject, dryRun = false } = {}) {
      if (!dryRun) requireWritable('going to another commit')
      return queue(async () => {
        const target = await repository.resolve(revision)
        const status = await repository.status()
        requireNoMerge(status)
        if (status.tip !== null && status.tip !== target) {
          const advice = 'merge the other one, or begin another workspace there'
          throw new FilewrightError('unsupported', `The workspace has commits of its own on ${status.branch}: ${advice}.`)
        }
        const differing = await repository.diff(status.base, target)
        const lost = touched(status.changes, differing)
        if (lost) {
          throw new FilewrightError(
            'conflict',
            `${lost.path} was changed and not committed, and ${revision} has another one; nothing was changed.`,
            {
              details: { path: lost.path },
            },
          )
        }
        const before = basisOf(status)
        const parts = {
          tool: 'git_switch',
          note: `To ${revision} (${target.slice(0, 10)})`,
          basis: { before, after: { base: target, merging: null } },
        }
        if (before.base === target) return { oid: target, paths: [], record: null }
        const wanted = differing.map(({ path, after }): MergedPath => ({ path, entry: after }))
        return bring(wanted, parts, { oid: target, subject, dryRun })
      })
    },
    async fork(name, { subject } = {}) {
      requireWritable('a fork')
      return queue(async () =>
        announce(await repository.fork(name, draft({ kind: 'git', tool: 'git_fork', note: `Fork ${name}` }, subject))),
      )
    },
  }
}

function basisOf({ base, merging }: RepositoryStatus): Basis {
  return { base, merging }
}

/** The first change at, above or below a path of others. */
function touched(changes: readonly TreeChange[], others: readonly TreeChange[]): TreeChange | undefined {
  const paths = new Set(others.map(({ path }) => path))
  const above = new Set(others.flatMap(({ path }) => [...parentsOf(path)]))
  return changes.find(({ path }) => paths.has(path) || above.has(path) || [...parentsOf(path)].some((dir) => paths.has(dir)))
}

function* parentsOf(path: Path): Generator<Path> {
  for (let at = parentOf(path); at !== ROOT; at = parentOf(at)) yield at
}

function requireNoMerge({ merging }: RepositoryStatus): void {
  if (merging === null) return
  throw new FilewrightError('conflict', `A merge of ${merging.slice(0, 10)} is under way: commit it, undo it, or abandon it.`)
}

/** Where somebody put the branch back, no merge brings the two together. Throws `conflict`. */
function requireNotBehind({ branch, base, tip }: RepositoryStatus, theirs: Oid): void {
  if (tip !== theirs || base === null || tip === base) return
  throw new FilewrightError(
    'conflict',
    `${branch} was put back to ${tip.slice(0, 10)}, which this workspace has already: switch to ${branch} to go back there too, or put the branch at ${base.slice(0, 10)} again.`,
    { details: { base, tip } },
  )
}

/**
 * A branch is only moved by a commit. So the workspace goes to their commit itself where it has no branch yet, or where its branch was
 * moved there by somebody else; else a commit of both is to be made.
 */
function basisAfterMerge({ base, tip }: RepositoryStatus, theirs: Oid, kind: 'fast-forward' | 'merge'): Basis {
  const forward = kind === 'fast-forward' || base === null
  if (tip === theirs) return { base: theirs, merging: forward ? null : base }
  return forward && tip === null ? { base: theirs, merging: null } : { base, merging: theirs }
}
