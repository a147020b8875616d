/** Paths of files in a git directory: which are allowed, and which belong to one worktree alone. */
import { FilewrightError } from '../core/errors.ts'

/** Throws `invalid_name` for a path that is not a plain one below the git directory. */
export function checkGitPath(path: string): void {
  if (
    path === '' ||
    path.includes('\0') ||
    path.includes('\\') ||
    path.split('/').some((name) => name === '' || name === '.' || name === '..')
  ) {
    throw new FilewrightError('invalid_name', `${JSON.stringify(path)} is no path in a git directory.`)
  }
}

/** What all worktrees share, by first name. */
const SHARED = new Set(
  'branches common config gc.pid hooks info logs lost-found modules objects packed-refs refs remotes rr-cache shallow svn worktrees'.split(
    ' ',
  ),
)
/** What is nevertheless of one worktree. */
const OWN = /^(?:info\/sparse-checkout$|logs\/HEAD$|(?:logs\/)?refs\/(?:bisect|rewritten|worktree)(?:\/|$))/

/** The first name of paths that lead from any worktree to the main one: `main-worktree/HEAD`. */
export const MAIN_WORKTREE = 'main-worktree/'

/** True when a linked worktree has its own file at a path, such as HEAD; all others are those of the repository. */
export function isOfWorktree(path: string): boolean {
  return OWN.test(path) || !SHARED.has(path.split('/', 1)[0] as string)
}

/** True when symbolic links may stand at a path: people keep objects and settings elsewhere. References never lead out. */
export function mayLeadOut(path: string): boolean {
  return path === 'config' || path === 'objects' || path.startsWith('objects/')
}
