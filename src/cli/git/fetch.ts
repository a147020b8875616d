/** `filewright git fetch`: what a remote has new. */
import { ERRORS } from '../../core/errors.ts'
import { type FetchedRef, fetchRemote } from '../../git/wire/fetch.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { shortOid } from './printed.ts'
import { withDirectory } from './remote.ts'

/** What is fetched. */
export interface FetchFlags {
  readonly branches: readonly string[]
  readonly depth: number | undefined
  readonly prune: boolean
}

const MARKS: { readonly [kind in FetchedRef['kind']]: string } = {
  new: '*',
  'fast-forward': ' ',
  forced: '+',
  'up-to-date': '=',
  pruned: '-',
  rejected: '!',
}

/** Fetches, and prints what moved; the exit status tells of references that could not. */
export async function fetch(settings: Settings, output: Output, remote: string | undefined, flags: FetchFlags): Promise<number> {
  const { branches, depth, prune } = flags
  const fetched = await withDirectory(settings, output, 'a fetch', (directory, speaking) =>
    fetchRemote(directory, {
      ...speaking,
      ...(remote !== undefined && { remote }),
      ...(branches.length > 0 && { refspecs: branches.map((branch) => refspecOf(branch, remote ?? 'origin')) }),
      ...(depth !== undefined && { depth }),
      ...(prune && { prune }),
    }),
  )
  output.answer(fetched, () => {
    const moved = fetched.refs.filter(({ kind }) => kind !== 'up-to-date')
    if (moved.length === 0) return 'Nothing new.'
    return [`Fetched ${counted(fetched.objects, 'object')}.`, ...moved.map((ref) => line(ref))].join('\n')
  })
  return fetched.refs.some(({ kind }) => kind === 'rejected') ? ERRORS.conflict.exit : 0
}

/** A branch of a remote that has a name here is followed; of an address it only comes. */
function refspecOf(branch: string, remote: string): string {
  if (branch.includes(':')) return branch
  return remote.includes('/') ? `refs/heads/${branch}` : `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`
}

function line({ kind, name, remote, from, to, why }: FetchedRef): string {
  const what = from && to ? `${shortOid(from)}..${shortOid(to)}` : to ? '[new]' : '[gone]'
  return ` ${MARKS[kind]} ${what.padEnd(16)} ${visibleName(remote ?? '')} -> ${visibleName(name ?? 'FETCHED')}${why === undefined ? '' : `  (${visibleName(why)})`}`
}
