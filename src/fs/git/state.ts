/** The state of a workspace, and the commit of the product's own that holds it: the one thing that a reference points to. */
import { FilewrightError } from '../../core/errors.ts'
import type { RecordDraft } from '../../core/record.ts'
import type { Oid, Signature } from '../../core/repository.ts'
import { formatCommit, parseCommit } from '../../git/commit.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { parseTree, type TreeEntry } from '../../git/tree.ts'
import { countRecent, parseRecent, recentBytes } from './facts.ts'
import { createFanOut } from './fan_out.ts'
import { createJournal, type Journal } from './journal.ts'
import { createKept, type Kept, readKept } from './kept.ts'
import { loadUnsettled } from './load.ts'
import { type GitDirectoryNode, storedDirectory } from './nodes.ts'
import { type Savings, saveDirectory, saveTrees } from './save.ts'

/** Raised with every change of the format that older programs would not understand. */
const FORMAT = 1
const ROOT_ID = ''
const STATE_MESSAGE = /^Workspace [^\n]*\n\n(\{[^\n]*\})\n(.*)$/s
/** Who makes the commits of states. */
const OWN = { name: 'Filewright', email: 'filewright@localhost' } as const
/** When there are recent facts of so many files and directories, they are stored where they belong. */
const MOST_RECENT = 400

/** An explicit commit under way: the branch is moved to it next. */
export interface Pending {
  readonly commit: Oid
  /** What the branch is until then: once it is anything else, this commit has come too late. */
  readonly from: Oid | null
  /** The record of it, which is appended when the branch is there. */
  readonly draft: RecordDraft
}

/** How a workspace stands to the history of its repository. */
export interface Standing {
  /** Full: `refs/heads/filewright/main`. */
  readonly branch: string
  /** The commit that status compares with. */
  readonly base: Oid | null
  /** The other parent of the next commit. */
  readonly merging: Oid | null
  /** More than one where several processes commit at once, and where one did not live to see what came of it. */
  readonly pending: readonly Pending[]
}

/** All there is of a workspace at one time. */
export interface State {
  /** What the workspace's reference is; null while nothing was stored. */
  readonly commit: Oid | null
  readonly root: GitDirectoryNode
  /** The blob of its recent facts. */
  readonly recent: Oid | null
  readonly standing: Standing
  /** Contents that history holds. */
  readonly kept: Kept
  readonly journal: Journal
  /** The change that led here put files and links into directories that were there, and did nothing else. */
  readonly isPlain?: boolean
}

/** A workspace that nothing was written to yet, with the files of a tree. */
export function newState(objects: ObjectDatabase, tree: Oid | null, standing: Standing): State {
  const root = storedDirectory({ tree, facts: null, beside: false }, ROOT_ID, null)
  const journal = createJournal(objects, createFanOut(objects, null), '')
  return { commit: null, root, recent: null, standing, kept: createKept(createFanOut(objects, null), null, new Map()), journal }
}

/**
 * The standing after an act that moves what the next commit begins with. Throws `conflict` when it is not what the act began with,
 * `not_found` for a commit that is not here.
 */
export async function movedStanding(objects: ObjectDatabase, standing: Standing, { basis }: RecordDraft): Promise<Standing> {
  if (!basis) return standing
  const { before, after } = basis
  if (before.base !== standing.base || before.merging !== standing.merging) {
    throw new FilewrightError('conflict', 'Another commit or merge came in between; look at the status again.')
  }
  const moved = { base: after.base as Oid | null, merging: after.merging as Oid | null }
  for (const oid of [moved.base, moved.merging]) if (oid !== null) await objects.readAs(oid, 'commit')
  return { ...standing, ...moved }
}

/** Reads the state in a commit. What did not change since `earlier` is taken from there. Throws `corrupt`, `unsupported`. */
export async function readState(objects: ObjectDatabase, commit: Oid, name: string, earlier?: State): Promise<State> {
  const object = await objects.read(commit)
  if (object.type !== 'commit') throw notOurs(commit, name)
  const { tree, message } = parseCommit(object.bytes, commit)
  const { standing, newest } = parseMessage(message, commit, name)
  const items = new Map(parseTree(await objects.readAs(tree, 'tree'), tree).map((item) => [item.name, item.oid]))
  const oidOf = (part: string): Oid | null => items.get(part) ?? null
  const recent = oidOf('recent')
  const stored = { tree: oidOf('files'), facts: oidOf('facts'), beside: false }
  return {
    commit,
    recent,
    root: storedDirectory(stored, ROOT_ID, recent === null ? null : parseRecent(await objects.readAs(recent, 'blob')), earlier?.root),
    standing,
    kept: await readKept(objects, oidOf('kept'), oidOf('kept-recently')),
    journal: createJournal(objects, createFanOut(objects, oidOf('records')), newest),
  }
}

/**
 * Stores a state: in a commit that leads to all that must stay, also the base, and what is about to become it. What changes with every
 * act stands in its message, so that acts on references write nothing else.
 */
export async function saveState(
  objects: ObjectDatabase,
  savings: Savings,
  state: State,
  name: string,
  now: number,
): Promise<State & { readonly commit: Oid }> {
  const { root, standing, kept, journal } = state
  let { recent } = state
  if (root.changed) {
    await saveRoot(objects, savings, state)
    recent = root.recent && savings.add('blob', recentBytes(root.recent))
  }
  const { tree, facts } = root.stored
  const parts: readonly (readonly [name: string, mode: TreeEntry['mode'], oid: Oid | null])[] = [
    ['files', '040000', tree],
    ['facts', '040000', facts],
    ['recent', '100644', recent],
    ['kept', '040000', kept.settled.tree],
    ['kept-recently', '040000', kept.recent],
    ['records', '040000', journal.chunks.tree],
  ]
  const items = parts.flatMap(([part, mode, oid]) => (oid === null ? [] : [{ name: part, mode, oid }]))
  const by: Signature = { ...OWN, timeMs: now, offsetMinutes: 0 }
  const parents = [standing.base, ...standing.pending.map(({ commit }) => commit), standing.merging].filter((oid) => oid !== null)
  const message = `Workspace ${name}, record ${journal.head().sequence}\n\n${JSON.stringify({ format: FORMAT, ...standing })}\n${journal.newest}`
  const made = {
    tree: savings.addTree(items) ?? savings.add('tree', new Uint8Array(0)),
    parents: [...new Set(parents)],
    author: by,
    committer: by,
    message,
  }
  return { ...state, recent, commit: savings.add('commit', formatCommit(made)) }
}

async function saveRoot(objects: ObjectDatabase, savings: Savings, { root, journal, isPlain }: State): Promise<void> {
  if (isPlain && countRecent(root.recent) < MOST_RECENT) {
    saveTrees(savings, root, journal.head().sequence)
    return
  }
  await loadUnsettled(objects, root)
  saveDirectory(savings, root, ROOT_ID, false)
}

/** Whether a commit is the state of a workspace, by whom it is and what it says. */
export function isStateCommit({ author, message }: { readonly author: Pick<Signature, 'email'>; readonly message: string }): boolean {
  return author.email === OWN.email && STATE_MESSAGE.test(message)
}

/** What the message of a state's commit says, after its title. */
function parseMessage(message: string, commit: Oid, name: string): { readonly standing: Standing; readonly newest: string } {
  const [, json = '', newest = ''] = STATE_MESSAGE.exec(message) ?? []
  let found: Standing & { readonly format: number }
  try {
    found = JSON.parse(json)
  } catch (cause) {
    throw notOurs(commit, name, cause)
  }
  const { format, branch, base, merging, pending } = found
  if (typeof format !== 'number' || typeof branch !== 'string') throw notOurs(commit, name)
  if (format > FORMAT) {
    throw new FilewrightError(
      'unsupported',
      `The workspace ${name} has format ${format}, and this program knows ${FORMAT}. Open it with a newer version of the program.`,
    )
  }
  return { standing: { branch, base, merging, pending }, newest }
}

function notOurs(commit: Oid, name: string, cause?: unknown): FilewrightError {
  return new FilewrightError('corrupt', `The reference of the workspace ${name} leads to ${commit}, which is none.`, {
    cause,
    details: { oid: commit },
  })
}
