/** Repositories of ours in folders and in memory, and what the real git says of them. */
import { git, gitBytes } from '../real_git.ts'

/** Lets a repository be cloned in part, and be asked for single objects. */
export function serving(dir: string): void {
  git(dir, 'config', 'uploadpack.allowFilter', 'true')
  git(dir, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  git(dir, 'config', 'http.receivepack', 'true')
}

/** All references, as git lists them. */
export function refsOf(dir: string): string {
  return git(dir, 'for-each-ref', '--format=%(refname) %(objectname) %(symref)')
}

/** The objects that are here, in the order of their names; nothing is fetched. */
export function objectsOf(dir: string): string[] {
  const listed = gitBytes(dir, ['cat-file', '--batch-all-objects', '--batch-check', '--unordered'], { env: { GIT_NO_LAZY_FETCH: '1' } })
  return [...new Set(listed.toString().split('\n'))].sort()
}
