/** `filewright git push`: sends branches to a remote. */
import { ERRORS, FilewrightError } from '../../core/errors.ts'
import type { GitDirectory } from '../../git/directory.ts'
import { type PushedRef, type PushRef, pushRefs } from '../../git/wire/push.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { branchOf } from './places.ts'
import { shortOid } from './printed.ts'
import { withDirectory } from './remote.ts'

const MARKS: { readonly [kind in PushedRef['kind']]: string } = {
  new: '*',
  'fast-forward': ' ',
  forced: '+',
  removed: '-',
  'up-to-date': '=',
  rejected: '!',
}

/** Pushes, and prints what moved there; the exit status tells of references that could not. */
export async function push(
  settings: Settings,
  output: Output,
  remote: string | undefined,
  refs: readonly string[],
  force: boolean,
): Promise<number> {
  const chosen = refs.length > 0 ? refs : [branchOf(settings)]
  const pushed = await withDirectory(settings, output, 'a push', async (directory, speaking) => {
    const wanted: PushRef[] = []
    for (const ref of chosen) wanted.push(await pushRef(directory, ref, force))
    return pushRefs(directory, { ...speaking, ...(remote !== undefined && { remote }), refs: wanted })
  })
  const rejected = pushed.refs.filter(({ kind }) => kind === 'rejected')
  output.answer(pushed, () => [`Sent ${counted(pushed.objects, 'object')}.`, ...pushed.refs.map(line)].join('\n'))
  return rejected.length === 0
    ? 0
    : rejected.some(({ refusal }) => refusal === 'declined')
      ? ERRORS.permission_denied.exit
      : ERRORS.conflict.exit
}

/** `NAME`, `NAME:THERE`, `:THERE`: a branch, else a tag, or full names. */
async function pushRef({ refs }: GitDirectory, text: string, force: boolean): Promise<PushRef> {
  const [, own = '', there = own] = /^\+?([^:]*)(?::([^:]+))?$/.exec(text) ?? []
  if (there === '')
    throw new FilewrightError('invalid_argument', `${text} cannot be pushed: write NAME, NAME:THERE or :THERE.`, { field: 'refs' })
  const isTag = own !== '' && !own.startsWith('refs/') && !(await refs.read(`refs/heads/${own}`)) && (await refs.read(`refs/tags/${own}`))
  const full = (name: string): string => (name.startsWith('refs/') ? name : `refs/${isTag ? 'tags' : 'heads'}/${name}`)
  return { from: own === '' ? null : full(own), to: full(there), force: force || text.startsWith('+') }
}

function line({ kind, name, from, to, why }: PushedRef): string {
  const what = kind === 'up-to-date' ? '[same]' : from && to ? `${shortOid(from)}..${shortOid(to)}` : to ? '[new]' : '[removed]'
  return ` ${MARKS[kind]} ${what.padEnd(16)} ${visibleName(name.replace(/^refs\/heads\//, ''))}${why === undefined ? '' : `  (${visibleName(why)})`}`
}
