/** Which branches worktrees use: nobody else may move those. */
import type { GitFiles } from './files.ts'
import { MAIN_WORKTREE } from './git_paths.ts'

const decoder = new TextDecoder()

/** Full names of the branches that a worktree has checked out, or is about to go back to after a rebase or a bisection. */
export async function checkedOutBranches(files: GitFiles, isBare: boolean): Promise<ReadonlySet<string>> {
  const branches = new Set<string>()
  // Of a linked worktree, the files are its own; the main one's are beside them.
  const isLinked = (await files.read(`${MAIN_WORKTREE}HEAD`)) !== null
  const places = isLinked ? [MAIN_WORKTREE] : ['']
  for (const entry of await files.list('worktrees')) if (entry.endsWith('/')) places.push(`worktrees/${entry}`)
  for (const place of places) await gather(files, place, isBare && !place.startsWith('worktrees/'), branches)
  return branches
}

/** What one worktree uses, into `branches`. */
async function gather(files: GitFiles, place: string, isBare: boolean, branches: Set<string>): Promise<void> {
  const read = async (path: string): Promise<string> => {
    const bytes = await files.read(place + path)
    return bytes ? decoder.decode(bytes) : ''
  }
  const add = (name: string): void => {
    if (name.startsWith('refs/heads/')) branches.add(name)
  }
  if (!isBare) add(/^ref:\s*(.*?)\s*$/s.exec(await read('HEAD'))?.[1] ?? '')
  add((await read('rebase-merge/head-name')).trim())
  add((await read('rebase-apply/head-name')).trim())
  const started = (await read('BISECT_START')).trim()
  if (started !== '') add(started.startsWith('refs/') ? started : `refs/heads/${started}`)
  // Other branches that a rebase will move: a name and two commits each.
  for (const line of (await read('rebase-merge/update-refs')).split('\n')) add(line)
}
