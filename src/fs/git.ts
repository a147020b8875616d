/** The `git` adapter: a workspace whose files are a commit's, changed without a checkout, and committed when somebody says so. */
import type { Change } from '../core/change.ts'
import { bareEntry } from '../core/entry.ts'
import { FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import { type Hasher, platformHasher } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import { ROOT } from '../core/path.ts'
import { sealRecord } from '../core/record.ts'
import { INLINE_BYTES, type Limits, TEXT_BYTES, type Traits, VIRTUAL_TRAITS } from '../core/traits.ts'
import { childrenByName, regular } from '../core/tree/nodes.ts'
import { scanTree } from '../core/tree/scan.ts'
import type { GitDirectory } from '../git/directory.ts'
import { branchRef } from '../git/ref_names.ts'
import { type Acting, finishPending } from './git/acts.ts'
import { applyChanges, type Committing } from './git/commit.ts'
import { createStaged, findKept } from './git/contents.ts'
import { firstState } from './git/first_state.ts'
import { keptContents } from './git/kept.ts'
import { learnTarget } from './git/learn.ts'
import { checkWorkspaceName, shortName } from './git/names.ts'
import { entryOf, type GitNode } from './git/nodes.ts'
import { createNotes } from './git/notes.ts'
import { adoptPast, forgetContents } from './git/past.ts'
import { createFinderIn, directoryIn, entriesIn, findIn, holderIn, learnFor } from './git/places.ts'
import { learnSize, openBlob, readFiles } from './git/reads.ts'
import { createRepository } from './git/repository.ts'
import { movedStanding, type Standing } from './git/state.ts'
import { openStore } from './git/store.ts'
import { walkedIn } from './git/walked.ts'

const LIMITS: Limits = { fileBytes: 1024 * 1024 * 1024, textBytes: TEXT_BYTES, inlineBytes: INLINE_BYTES, changes: 100_000 }
const STAT = { stat: true, target: true } as const

/** Options of {@link createGitFs}. */
export interface GitFsOptions {
  /** Closed with the storage. */
  readonly git: GitDirectory
  /** The workspace's name; a repository has any number of them. Default `main`. */
  readonly workspace?: string
  /** The branch that its commits go to, as a short name. Default `filewright/` and the workspace's name. */
  readonly branch?: string
  /** Where a new workspace begins: a commit, branch or tag. Default: its branch where there is one, else HEAD. */
  readonly from?: string
  /** Default: the platform's own ({@link platformHasher}). */
  readonly hasher?: Hasher
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
  /** Makes the ids of backups that a change does not name; default: from the clock and chance. */
  readonly newId?: () => string
}

/**
 * A workspace in a git repository. Nothing is checked out, and no index is used: its state is one commit of the product's own, to which
 * `refs/filewright/workspaces/<workspace>` leads, and which every change replaces in one step; a workspace that nothing was written to
 * leaves no trace. Its own branch moves when `repository.makeCommit` is called, and no other ever does. What git cannot hold (times,
 * all permission bits, empty directories, files called `.git`) is kept beside. Several processes may use one workspace.
 *
 * Objects that nothing leads to any more, such as former states and what `forget` dropped, are there until the repository is cleaned
 * (`git gc`; one in memory or SQLite cleans itself of what has been needless for an hour). Git spares new ones for two weeks;
 * `git gc --prune=now` also removes what is staged and not committed yet.
 *
 * Throws `invalid_name` for a workspace's name, `not_found` for `from`, `conflict` when the workspace has another branch already,
 * `unsupported` for a state that a newer program wrote, `corrupt` when the reference is no workspace.
 */
export async function createGitFs(options: GitFsOptions): Promise<FileSystem> {
  const { git, workspace = 'main' } = options
  const { objects } = git
  checkWorkspaceName(workspace, 'workspace')
  const hasher = options.hasher ?? platformHasher()
  const now = options.now ?? Date.now
  const limits = { ...LIMITS, ...options.limits }
  const traits: Traits = { ...VIRTUAL_TRAITS, adapter: 'git', durability: git.files.durability, shared: false, limits }
  const staged = createStaged(objects, hasher)
  const parts: Committing = { objects, hasher, staged, fileBytes: limits.fileBytes, now, newId: options.newId ?? createIds(now) }
  const store = await openStore(git, workspace, now, () => firstState(git, workspace, options))
  checkBranch((await store.latest()).standing, options)
  const acting: Acting = { git, store, hasher, now }
  await finishPending(acting)
  let open = true

  const checkOpen = (): void => {
    if (!open) throw new FilewrightError('unsupported', 'The storage is closed.')
  }
  const latestRoot = async () => {
    checkOpen()
    return (await store.latest()).root
  }
  const checkCount = ({ length }: readonly Change[]): void => {
    if (length <= limits.changes) return
    throw new FilewrightError('too_large', `${length} changes are more than the ${limits.changes} of one commit.`)
  }
  /** Learns what an entry of its own tells: here a size may be fetched. */
  const learn = async (node: GitNode): Promise<GitNode> => {
    await learnFor(objects, [node], STAT)
    if (node.kind === 'file') await learnSize(objects, node)
    return node
  }
  const object: FileSystem['object'] = async (hash) => {
    checkOpen()
    const { kept, root } = await store.latest()
    const held = (await staged.get(hash)) ?? (await findKept(objects, kept, hash)) ?? (await holderIn(objects, root, hash))
    if (!held) throw new FilewrightError('not_found', `No content ${hash} is kept.`)
    const size = held.size ?? (await objects.header(held.oid)).size
    return openBlob(objects, { ...bareEntry(ROOT, 'file'), size, hash }, held.oid, size)
  }

  return {
    traits,
    hasher,
    async stat(path, want) {
      return entryOf(path, await learn(await findIn(objects, await latestRoot(), path)), { ...want, ...STAT })
    },
    async statMany(paths) {
      const find = createFinderIn(objects, await latestRoot())
      const answers: Awaited<ReturnType<FileSystem['statMany']>> = []
      for (const path of paths) {
        const node = await find(path)
        answers.push(node instanceof FilewrightError ? node : entryOf(path, await learn(node), STAT))
      }
      return answers
    },
    async list(dir, want = {}) {
      const directory = await directoryIn(objects, await latestRoot(), dir)
      return entriesIn(objects, dir, childrenByName(directory), want)
    },
    async *scan(dir, scanOptions = {}) {
      const directory = await directoryIn(objects, await latestRoot(), dir)
      yield* scanTree(walkedIn(objects, scanOptions), dir, directory, scanOptions)
    },
    async open(path) {
      const node = regular(path, await findIn(objects, await latestRoot(), path))
      const size = await learnSize(objects, node)
      return openBlob(objects, entryOf(path, node, STAT), node.oid, size)
    },
    async readEach(paths, readOptions, visit) {
      await readFiles(objects, paths, createFinderIn(objects, await latestRoot()), readOptions, visit)
    },
    async readLink(path) {
      const node = await findIn(objects, await latestRoot(), path)
      if (node.kind !== 'link') throw new FilewrightError('invalid_argument', `${path} is not a link.`)
      return learnTarget(objects, node)
    },
    async stage(body) {
      checkOpen()
      return staged.stage(body, limits.fileBytes)
    },
    async commit(changes, draft) {
      checkOpen()
      checkCount(changes)
      if (draft.basis) await finishPending(acting)
      const record = await store.act(async (state, savings) => {
        const standing = await movedStanding(objects, state.standing, draft)
        const { root, recorded, kept, isPlain } = await applyChanges(parts, state, savings, changes)
        const { record: sealed, object: apart } = sealRecord(hasher, draft, recorded, state.journal.head())
        const added = apart ? [...kept, [sealed.changesHash, savings.add('blob', apart)] as const] : kept
        const journal = await state.journal.with(savings, [sealed])
        return [{ root, journal, standing, isPlain, kept: await state.kept.with(savings, added) }, sealed]
      })
      for (const change of changes) if (change.kind === 'write') staged.used(change.content.hash)
      return record
    },
    async records(query = {}) {
      checkOpen()
      return (await store.latest()).journal.read(query)
    },
    object,
    async *contents() {
      checkOpen()
      for await (const page of keptContents(objects, (await store.latest()).kept)) {
        yield page
        checkOpen()
      }
    },
    async forget(hashes) {
      checkOpen()
      return forgetContents(parts, store, hashes)
    },
    async adopt(changes, records) {
      checkOpen()
      checkCount(changes)
      await adoptPast(parts, store, object, changes, records)
    },
    notes: createNotes(git, workspace, checkOpen),
    repository: createRepository(acting, workspace, checkOpen),
    async close() {
      if (open) await git.close()
      open = false
    },
  }
}

function checkBranch({ branch }: Standing, { branch: wanted, workspace = 'main' }: GitFsOptions): void {
  if (wanted === undefined || branchRef(wanted) === branch) return
  throw new FilewrightError('conflict', `The workspace ${workspace} commits to ${shortName(branch)}; open it without another branch.`, {
    field: 'branch',
  })
}
