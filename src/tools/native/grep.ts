/** `grep` of the `native` profile: which lines of which files hold a text, page by page. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { compareText, type Path } from '../../core/path.ts'
import { compileExcludes, compilePathGlobs } from '../../text/glob/glob.ts'
import type { IgnoreRules } from '../../text/glob/ignore.ts'
import type { LineMatch } from '../../text/search/match.ts'
import { compileQuery } from '../../text/search/query.ts'
import { type SearchOutcome, searchFiles } from '../../text/search/search.ts'
import { isSelected, type Selection, walkFiles } from '../../text/search/walk.ts'
import { boolean, integer, text } from '../arguments.ts'
import { counted } from '../counted.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { requireEntry } from './existing.ts'
import { globs } from './globs.ts'

/** Matches of an answer when the call does not say. */
const LIMIT = 100
/** Most characters of one answer. */
const MAX_CHARS = 50_000
/** Longest time of one search, in milliseconds (C-30). */
const TIMEOUT_MS = 5000

const input = z.strictObject({
  pattern: text('Text to find.').min(1, 'must not be empty'),
  path: text('Directory or file.').default('.'),
  regex: boolean('pattern is a regular expression.').default(false),
  ignore_case: boolean('').default(false),
  multiline: boolean('Matches may span lines.').default(false),
  mode: z.enum(['content', 'files', 'count']).default('content'),
  context: integer('Lines around each match.', { min: 0, max: 10 }).default(0),
  glob: globs('Only these: *.ts, src/**.').optional(),
  exclude: globs('Not these.').optional(),
  limit: integer('Matches or files.', { min: 1, max: 1000 }).default(LIMIT),
  cursor: text('To go on, from the answer before.').optional(),
  all: boolean('').default(false),
})

type Arguments = z.output<typeof input>

const output = z.object({
  matches: z.int().describe('Shown; for files and count, all in these files.'),
  files: z.int(),
  searched: z.int(),
  cursor: z.string().optional(),
  truncated: z.string().optional().describe('Why not all was searched.'),
  content: z.string(),
})

type Result = z.output<typeof output>

/** Searches contents. */
export const grep: Tool = defineTool({
  name: 'grep',
  title: 'Grep',
  description: 'Finds text in files. Binary ones are skipped; hidden and ignored ones searched only with all.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: pathTarget('read'),
  failed: () => ({}),
  async run(context, args) {
    const { view, signal } = context
    const search = compileQuery({
      text: args.pattern,
      isRegex: args.regex,
      fold: args.ignore_case,
      multiline: args.multiline,
      field: 'pattern',
    })
    const after = args.cursor === undefined ? null : readCursor(args.cursor, args.mode)
    const files = await filesOf(context, args)
    const outcome = await searchFiles(view, after ? startingAt(files, after) : files, {
      search,
      mode: args.mode === 'content' ? 'content' : 'count',
      context: args.context,
      budget: {
        // What stands in the first file before the cursor is found again, and is left out below: at most a match a line.
        maxResults: args.limit + (after?.line ?? 0) + 1,
        maxFiles: args.mode === 'content' ? Number.POSITIVE_INFINITY : args.limit + 1,
        maxScannedFiles: Number.POSITIVE_INFINITY,
        maxScannedBytes: Number.POSITIVE_INFINITY,
        timeout: TIMEOUT_MS,
        maxFileBytes: view.traits.limits.textBytes,
      },
      signal,
      progress: (done) => context.progress(done, null),
    })
    return { result: args.mode === 'content' ? contentOf(outcome, args, after) : countsOf(outcome, args) }
  },
  text: ({ content }) => content,
})

/** Where an answer ended: the last line that was shown, or the last file. */
interface Cursor {
  readonly path: string
  readonly line: number
}

function readCursor(cursor: string, mode: Arguments['mode']): Cursor {
  if (mode !== 'content') return { path: cursor, line: 0 }
  const [, path, line] = /^(.+):(\d{1,9})$/s.exec(cursor) ?? []
  if (path === undefined) throw new FilewrightError('invalid_argument', 'cursor must be the one of an earlier answer.', { field: 'cursor' })
  return { path, line: Number(line) }
}

/** The files from the cursor on; its own file only when it ended within it. */
async function* startingAt(pages: AsyncIterable<readonly Entry[]>, { path, line }: Cursor): AsyncGenerator<readonly Entry[]> {
  for await (const page of pages) {
    yield page.filter((entry) => {
      const order = compareText(entry.path, path)
      return order > 0 || (order === 0 && line > 0)
    })
  }
}

/** Every file counts as wanted. */
const NO_RULES: IgnoreRules = {
  check: async () => ({ ignored: false, pattern: null, source: null, line: null }),
  walk: async () => ({ enter: () => () => false }),
}

async function filesOf(context: ToolContext, args: Arguments): Promise<AsyncIterable<readonly Entry[]>> {
  const { view, signal } = context
  const selection: Selection = {
    ignore: args.all ? NO_RULES : context.ignore,
    hidden: args.all,
    include: args.glob?.length ? compilePathGlobs(args.glob, 'glob') : null,
    exclude: args.exclude?.length ? compileExcludes(args.exclude, 'exclude') : null,
    extensions: null,
  }
  const target = await view.resolve(args.path, { field: 'path' })
  const entry = await requireEntry(view, target)
  if (entry.kind === 'directory') return walkFiles(view, target.path, selection, { signal, until: performance.now() + TIMEOUT_MS })
  // Says so when it is not a regular file, or may not be read: in a walk such files are passed over.
  await (await view.open(target.path)).close()
  return onePage(isSelected(target.path, selection) ? [entry] : [])
}

async function* onePage(files: readonly Entry[]): AsyncGenerator<readonly Entry[]> {
  yield files
}

function contentOf(outcome: SearchOutcome, args: Arguments, after: Cursor | null): Result {
  const found = outcome.matches.filter(({ path, line }) => !after || path !== after.path || line > after.line)
  const lines: string[] = []
  let [count, chars] = [0, 0]
  let last: LineMatch | null = null
  for (const match of found) {
    const sameLine = last !== null && last.path === match.path && last.line === match.line
    if ((count >= args.limit || chars > MAX_CHARS) && !sameLine) break
    const shown = linesOf(match, last, args.context)
    chars += shown.reduce((sum, line) => sum + line.length + 1, 0)
    lines.push(...shown)
    last = match
    count++
  }
  const more = last !== null && (count < found.length || outcome.limits.includes('maxResults'))
  const files = new Set(found.slice(0, count).map(({ path }) => path)).size
  return resultOf(outcome, lines, { matches: count, files, ...(more && last && { cursor: `${last.path}:${last.line}` }) })
}

/** Under the name of their file; `12: ` is a match, `13- ` stands beside one. */
function linesOf(match: LineMatch, last: LineMatch | null, context: number): string[] {
  const { path, line, endLine = line, content, before, after } = match
  const sameFile = last?.path === path
  return [
    ...(sameFile ? (context > 0 ? ['--'] : []) : [...(last === null ? [] : ['']), path]),
    ...before.map((text, index) => `${line - before.length + index}- ${text}`),
    `${line}: ${content}`,
    ...after.map((text, index) => `${endLine + 1 + index}- ${text}`),
  ]
}

function countsOf(outcome: SearchOutcome, args: Arguments): Result {
  const counts = outcome.counts.slice(0, args.limit)
  const last: Path | undefined = counts[counts.length - 1]?.path
  const more = counts.length < outcome.counts.length
  const lines = counts.map(({ path, count }) => (args.mode === 'count' ? `${path}: ${count}` : path))
  const matches = counts.reduce((sum, { count }) => sum + count, 0)
  return resultOf(outcome, lines, { matches, files: counts.length, ...(more && last !== undefined && { cursor: last }) })
}

function resultOf(
  outcome: SearchOutcome,
  lines: readonly string[],
  { matches, files, cursor }: { readonly matches: number; readonly files: number; readonly cursor?: string },
): Result {
  const truncated = outcome.limits.includes('timeout') ? `stopped after ${TIMEOUT_MS} ms: narrow path or glob` : skipped(outcome)
  const counts = `${counted(matches, 'match', 'matches')} in ${counted(files, 'file')}`
  const note = cursor === undefined ? counts : `${counts}, and more: go on with cursor ${JSON.stringify(cursor)}`
  return {
    matches,
    files,
    searched: outcome.searchedFiles,
    ...(cursor !== undefined && { cursor }),
    ...(truncated !== null && { truncated }),
    content: [...lines, ...(lines.length > 0 ? [''] : []), `[${note}]`, ...(truncated === null ? [] : [`[not all: ${truncated}]`])].join(
      '\n',
    ),
  }
}

function skipped({ passedOver, unread }: SearchOutcome): string | null {
  if (unread) return `${counted(unread.count, 'file')} could not be read, the first is ${unread.path}: read it to learn why`
  if (!passedOver) return null
  const cause = passedOver.lacking === null ? 'for this pattern' : `for a pattern with ${passedOver.lacking}`
  return `lines that are too long ${cause} were not searched, the first in ${passedOver.path}`
}
