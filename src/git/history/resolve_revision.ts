/** What a text names in a repository: `HEAD~2`, `v1.0^{tree}`, `a1b2c3d`, `main:src/index.ts`. */
import { FilewrightError } from '../../core/errors.ts'
import type { Path } from '../../core/path.ts'
import type { Oid } from '../../core/repository.ts'
import { parseCommit, parseTag } from '../commit.ts'
import type { ObjectDatabase, ObjectType } from '../objects.ts'
import { isOid } from '../oid.ts'
import { isStoredName } from '../ref_names.ts'
import type { Refs } from '../refs.ts'
import { commitGraph } from './commit_graph.ts'
import { entryAt } from './diff_trees.ts'

/** Where revisions are looked up. */
export interface RevisionSource {
  readonly objects: Pick<ObjectDatabase, 'readAs' | 'header' | 'has' | 'withPrefix'>
  readonly refs: Pick<Refs, 'read'>
  /** Commits at which a shallow clone ends. */
  readonly shallow?: ReadonlySet<string>
}

/** Longest revision, UTF-16 units. */
const MAX_REVISION = 1000
/** Longest chain of tags of tags. */
const MAX_TAGS = 100
/** Candidates that an ambiguous name lists at most. */
const MAX_CANDIDATES = 20

/** Where git looks for a name, in this order. */
const PLACES: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `refs/${name}`,
  (name) => `refs/tags/${name}`,
  (name) => `refs/heads/${name}`,
  (name) => `refs/remotes/${name}`,
  (name) => `refs/remotes/${name}/HEAD`,
]

/** The steps behind a name: to a parent, back along first parents, to what an object stands for. */
type Step =
  | { readonly kind: 'parent' | 'back'; readonly count: number }
  | { readonly kind: 'peel'; readonly type: ObjectType | 'any' | 'object' }

/**
 * The object that a text names, as `git rev-parse` finds it: a tag object where a tag has one. Throws `not_found`, `ambiguous_match`
 * with `details` `{candidates}` for the first digits of several objects, `invalid_argument` for what can be no revision, `unsupported`
 * for what needs a reflog or a search.
 */
export async function resolveRevision(source: RevisionSource, text: string): Promise<Oid> {
  return resolve(source, text, null)
}

/** As {@link resolveRevision}, and the commit that it stands for: tags are followed. */
export async function resolveCommit(source: RevisionSource, text: string): Promise<Oid> {
  return peel(source, await resolve(source, text, 'commit'), 'commit', text)
}

async function resolve(source: RevisionSource, text: string, wanted: ObjectType | null): Promise<Oid> {
  checkText(text)
  const colon = text.indexOf(':')
  const revision = colon < 0 ? text : text.slice(0, colon)
  const start = revision.search(/[~^]/)
  const name = start < 0 ? revision : revision.slice(0, start)
  const steps = parseSteps(start < 0 ? '' : revision.slice(start), text)
  if (name === '') throw invalid(text, colon === 0 ? 'names no commit before the colon' : 'names nothing before ~ or ^')
  const hint = steps.length > 0 ? typeBefore(steps[0] as Step) : colon < 0 ? wanted : 'tree'
  let oid = await resolveName(source, name, hint, text)
  for (const step of steps) oid = await take(source, oid, step, text)
  if (colon < 0) return oid
  const tree = await peel(source, oid, 'tree', text)
  const path = text.slice(colon + 1).replace(/\/$/, '')
  const entry = await entryAt(source.objects, tree, path as Path)
  if (!entry) throw new FilewrightError('not_found', `There is no ${path} in ${revision}.`, { field: 'revision' })
  return entry.oid
}

function checkText(text: string): void {
  if (text === '' || text.length > MAX_REVISION) throw invalid(text, `must have 1 to ${MAX_REVISION} characters`)
  if (text.startsWith('-')) throw invalid(text, 'must not begin with a dash')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no name in git holds one.
  if (/[\x00-\x1f\x7f]/.test(text)) throw invalid(text, 'holds a control character')
  const revision = text.split(':', 1)[0] as string
  if (revision.includes('..')) throw invalid(text, 'is a range, where one commit is asked for')
  if (revision.includes('@{')) throw unsupported(text, 'Reflogs are not read: name a commit')
  if (text.startsWith(':')) throw unsupported(text, 'There is no index, and messages are not searched: name a commit')
}

function parseSteps(text: string, whole: string): Step[] {
  const steps: Step[] = []
  const pattern = /~(\d*)|\^\{([^}]*)\}|\^(\d*)/y
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (!match) throw invalid(whole, 'holds what no revision does')
    const [, back, type, parent] = match
    if ((back ?? parent ?? '').length > 9) throw missing(whole)
    if (type !== undefined) steps.push({ kind: 'peel', type: peelType(type, whole) })
    else if (back !== undefined) steps.push({ kind: 'back', count: back === '' ? 1 : Number(back) })
    else steps.push({ kind: 'parent', count: parent ? Number(parent) : 1 })
  }
  return steps
}

function peelType(type: string, whole: string): ObjectType | 'any' | 'object' {
  if (type === '') return 'any'
  if (type === 'commit' || type === 'tree' || type === 'blob' || type === 'tag' || type === 'object') return type
  if (type.startsWith('/')) throw unsupported(whole, 'Messages are not searched: name a commit')
  throw invalid(whole, `asks for ${type}, which is no kind of object`)
}

/** What kind of object a step can start from; null for any. */
function typeBefore(step: Step): ObjectType | null {
  if (step.kind !== 'peel') return 'commit'
  return step.type === 'any' || step.type === 'object' ? null : step.type
}

async function resolveName(source: RevisionSource, name: string, hint: ObjectType | null, whole: string): Promise<Oid> {
  const lower = name.toLowerCase()
  if (isOid(lower)) return lower
  if (name === '@' || name === 'HEAD') return (await source.refs.read('HEAD')) ?? unborn()
  for (const place of PLACES) {
    const oid = isStoredName(place(name)) ? await source.refs.read(place(name)) : null
    if (oid) return oid
  }
  // The end of what `git describe` says names a commit.
  const described = /.-g([0-9a-f]{4,39})$/i.exec(name)
  const prefix = described ? (described[1] as string).toLowerCase() : lower
  if (!/^[0-9a-f]{4,39}$/.test(prefix)) throw missing(whole)
  return fromDigits(source, prefix, described ? 'commit' : hint, whole)
}

function unborn(): never {
  throw new FilewrightError('not_found', 'There is no commit yet.', { field: 'revision' })
}

async function fromDigits(source: RevisionSource, prefix: string, hint: ObjectType | null, whole: string): Promise<Oid> {
  const found = await source.objects.withPrefix(prefix, MAX_CANDIDATES)
  if (found.length === 0) throw missing(whole)
  let candidates = found
  if (found.length > 1 && hint !== null) {
    const leading: Oid[] = []
    for (const oid of found) if (await leadsTo(source, oid, hint)) leading.push(oid)
    if (leading.length > 0) candidates = leading
  }
  if (candidates.length === 1) return candidates[0] as Oid
  throw new FilewrightError('ambiguous_match', `${whole} begins the names of ${candidates.length} objects: give more digits.`, {
    field: 'revision',
    details: { candidates },
  })
}

async function leadsTo(source: RevisionSource, oid: Oid, wanted: ObjectType): Promise<boolean> {
  const { type } = await source.objects.header(oid)
  if (type === wanted) return true
  if (type === 'commit') return wanted === 'tree'
  if (type !== 'tag') return false
  const tag = parseTag(await source.objects.readAs(oid, 'tag'), oid)
  return tag.type === wanted || tag.type === 'tag' || (tag.type === 'commit' && wanted === 'tree')
}

async function take(source: RevisionSource, from: Oid, step: Step, whole: string): Promise<Oid> {
  if (step.kind === 'peel') return step.type === 'object' ? existing(source, from, whole) : peel(source, from, step.type, whole)
  const graph = commitGraph(source.objects, source.shallow)
  let oid = await peel(source, from, 'commit', whole)
  if (step.kind === 'parent') return step.count === 0 ? oid : ((await graph.node(oid)).parents[step.count - 1] ?? none(whole))
  for (let count = 0; count < step.count; count++) oid = (await graph.node(oid)).parents[0] ?? none(whole)
  return oid
}

async function existing(source: RevisionSource, oid: Oid, whole: string): Promise<Oid> {
  if (await source.objects.has(oid)) return oid
  throw missing(whole)
}

/** Follows tags, and goes from a commit to its tree. */
async function peel(source: RevisionSource, from: Oid, wanted: ObjectType | 'any', whole: string): Promise<Oid> {
  let oid = from
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    const { type } = await source.objects.header(oid)
    if (type === wanted || (wanted === 'any' && type !== 'tag')) return oid
    if (type === 'commit' && wanted === 'tree') return parseCommit(await source.objects.readAs(oid, 'commit'), oid).tree
    if (type !== 'tag') throw new FilewrightError('not_found', `${whole} is a ${type}, and leads to no ${wanted}.`, { field: 'revision' })
    oid = parseTag(await source.objects.readAs(oid, 'tag'), oid).object
  }
  throw new FilewrightError('corrupt', `${whole} is a tag of tags without end.`, { field: 'revision' })
}

function none(text: string): never {
  throw missing(text)
}

function missing(text: string): FilewrightError {
  return new FilewrightError('not_found', `There is no commit or object ${text} here.`, { field: 'revision' })
}

function invalid(text: string, why: string): FilewrightError {
  return new FilewrightError('invalid_argument', `The revision ${JSON.stringify(text.slice(0, 100))} ${why}.`, { field: 'revision' })
}

function unsupported(text: string, why: string): FilewrightError {
  return new FilewrightError('unsupported', `The revision ${JSON.stringify(text)} is not understood. ${why}.`, { field: 'revision' })
}
