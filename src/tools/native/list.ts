/** `list` of the `native` profile: what is in a directory, or the files below it that a glob finds. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { compareText, nameOf, type Path, relativePath } from '../../core/path.ts'
import { compileExcludes, compilePathGlobs, type PathGlobs } from '../../text/glob/glob.ts'
import { boolean, integer, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { requireEntry } from './existing.ts'
import { globs } from './globs.ts'

/** Entries of an answer when the call does not say. */
const LIMIT = 200
/** Most entries that are looked at. */
const MAX_ENTRIES = 200_000
/** Longest time, in milliseconds. */
const MAX_MS = 10_000

const input = z.strictObject({
  path: text('').default('.'),
  glob: globs('Find below it: *.ts, src/**.').optional(),
  exclude: globs('Globs to leave out.').optional(),
  type: z.enum(['file', 'dir']).optional(),
  depth: integer('Levels; default 1, with glob all.', { min: 1 }).optional(),
  sort: z.enum(['name', 'newest', 'largest']).default('name'),
  limit: integer('Entries.', { min: 1, max: 1000 }).default(LIMIT),
  offset: integer('Entries to skip.', { min: 0 }).default(0),
  all: boolean('').default(false),
})

type Arguments = z.output<typeof input>

const output = z.object({
  path: z.string(),
  total: z.int(),
  shown: z.int(),
  next_offset: z.int().optional(),
  left_out: z.int().optional().describe('Hidden or ignored entries.'),
  truncated: z.boolean().optional(),
  content: z.string(),
})

/** Lists and finds. Links are not followed. */
export const list: Tool = defineTool({
  name: 'list',
  title: 'List',
  description: 'Lists a directory, or finds files by glob. Hidden and ignored ones only with all.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: pathTarget('read'),
  failed: () => ({}),
  async run(context, args) {
    const { view } = context
    const target = await view.resolve(args.path, { field: 'path' })
    const entry = await requireEntry(view, target)
    if (entry.kind !== 'directory')
      throw new FilewrightError('not_directory', `${args.path} is not a directory; use read.`, { field: 'path' })
    const found = await find(context, target.path, args)
    const page = found.entries.slice(args.offset, args.offset + args.limit)
    const end = args.offset + page.length
    const total = found.entries.length
    const more = end < total && page.length > 0
    const notes = [
      ...(total === 0 ? [args.glob === undefined ? 'empty' : 'nothing found'] : []),
      ...(more ? [`${args.offset + 1}-${end} of ${total}: go on with offset ${end}`] : []),
      ...(found.leftOut > 0
        ? [`${counted(found.leftOut, 'hidden or ignored entry', 'hidden or ignored entries')} left out: all shows them`]
        : []),
      ...(found.stopped ? ['stopped early: too many entries; narrow path or depth'] : []),
    ]
    const lines = [...page.map((one) => lineOf(one, args)), ...notes.map((note) => `[${note}]`)]
    return {
      result: {
        path: view.display(target.path),
        total,
        shown: page.length,
        ...(more && { next_offset: end }),
        ...(found.leftOut > 0 && { left_out: found.leftOut }),
        ...(found.stopped && { truncated: true }),
        content: lines.join('\n'),
      },
    }
  },
  text: ({ content }) => content,
})

interface Found {
  readonly entries: readonly Entry[]
  readonly leftOut: number
  readonly stopped: boolean
}

async function find(context: ToolContext, root: Path, args: Arguments): Promise<Found> {
  const { view, ignore, signal } = context
  const wanted = selection(args)
  const rules = await ignore.walk(root)
  const until = context.now() + MAX_MS
  const entries: Entry[] = []
  let [leftOut, seen, stopped] = [0, 0, false]
  const filter = (dir: Path, children: Entry[]): Entry[] | Promise<Entry[]> => {
    const test = rules.enter(dir, children)
    const keep = (ignored: (entry: Entry) => boolean): Entry[] => {
      const kept = children.filter(
        (entry) => !wanted.excluded(root, entry) && (args.all || !(nameOf(entry.path).startsWith('.') || ignored(entry))),
      )
      leftOut += args.all ? 0 : children.length - kept.length
      return kept
    }
    return test instanceof Promise ? test.then(keep) : keep(test)
  }
  const maxDepth = args.depth ?? (args.glob === undefined ? 1 : Number.POSITIVE_INFINITY)
  for await (const page of view.scan(root, { filter, maxDepth, stat: true, target: true, signal })) {
    signal.throwIfAborted()
    for (const entry of page) if (wanted.included(root, entry)) entries.push(entry)
    seen += page.length
    stopped = seen > MAX_ENTRIES || context.now() > until
    if (stopped) break
  }
  return { entries: ordered(entries, args.sort), leftOut, stopped }
}

interface Wanted {
  included(root: Path, entry: Entry): boolean
  excluded(root: Path, entry: Entry): boolean
}

function selection({ glob, exclude, type }: Arguments): Wanted {
  const include = glob?.length ? compilePathGlobs(glob, 'glob') : null
  const leave = exclude?.length ? compileExcludes(exclude, 'exclude') : null
  const matches = (globs: PathGlobs, root: Path, { path, kind }: Entry): boolean =>
    globs.matches(relativePath(path, root), kind === 'directory')
  return {
    included: (root, entry) =>
      (type === undefined || (type === 'dir') === (entry.kind === 'directory')) && (include === null || matches(include, root, entry)),
    excluded: (root, entry) => leave !== null && matches(leave, root, entry),
  }
}

function ordered(entries: Entry[], sort: Arguments['sort']): readonly Entry[] {
  if (sort === 'name') return entries
  const value = (entry: Entry): number => (sort === 'newest' ? entry.mtimeMs : entry.size) ?? 0
  return entries.sort((a, b) => value(b) - value(a) || compareText(a.path, b.path))
}

/** Paths are those of the workspace, ready for the next call. */
function lineOf({ path, kind, size, target, mtimeMs }: Entry, { sort }: Arguments): string {
  const time = sort === 'newest' && mtimeMs !== null ? `  ${new Date(mtimeMs).toISOString()}` : ''
  if (kind === 'directory') return `${path}/${time}`
  if (kind === 'link') return `${path} -> ${target ?? '?'}${time}`
  return `${path}  ${size ?? '?'}${time}`
}
