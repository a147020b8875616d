/** Names of workspaces and of their branches. */
import { FilewrightError } from '../../core/errors.ts'

const WORKSPACE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws `invalid_name` on the field unless a text can be the name of a workspace. */
export function checkWorkspaceName(name: string, field: 'workspace' | 'name'): void {
  if (WORKSPACE.test(name) && !name.includes('..') && !/\.(lock)?$/.test(name)) return
  throw new FilewrightError(
    'invalid_name',
    `${JSON.stringify(name)} cannot be the name of a workspace: 1 to 64 letters, digits, ., _ and -, first a letter or digit.`,
    { field },
  )
}

/** The branch of a workspace where no other was chosen, as a short name. */
export function ownBranch(workspace: string): string {
  return `filewright/${workspace}`
}

/** The short name of a branch. */
export function shortName(ref: string): string {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref
}
