/** `search_files`: which lines of which files hold a text or match a regular expression. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { Resolved } from '../core/resolve.ts'
import { compileExcludes, compilePathGlobs } from '../text/glob/glob.ts'
import { compileQuery } from '../text/search/query.ts'
import { type SearchLimit, type SearchOutcome, searchFiles as searchContent } from '../text/search/search.ts'
import { isSelected, type Selection, walkFiles } from '../text/search/walk.ts'
import { boolean, integer, text, textList } from './arguments.ts'
import { counted } from './counted.ts'
import { extensionsOf } from './file_types.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const MODES = ['content', 'files_with_matches', 'count'] as const

const input = z.strictObject({
  search_path: text('A directory, or a single file.'),
  query: text('The text to find; with is_regex, a regular expression.').min(1, 'must not be empty'),
  is_regex: boolean('JavaScript syntax with the u flag; (?i), (?P<name>…), \\A and \\Z work too. No pattern can hang.').default(false),
  case_insensitive: boolean('Ignore case, also beyond ASCII.').default(false),
  multiline: boolean('Search whole texts: matches may span lines, ^ and $ still match at lines.').default(false),
  output_mode: z
    .enum(MODES)
    .default('content')
    .describe('content: the lines; files_with_matches: the files and their counts; count: the counts alone.'),
  context_lines: integer('Lines shown before and after each match.', { min: 0, max: 3 }).default(0),
  include_patterns: textList(
    'Gitignore-style globs, relative to search_path: only these files, even where they are ignored (*.ts, src/**, !*.d.ts).',
  ).optional(),
  exclude_patterns: textList('Gitignore-style globs, relative to search_path: not these (target/**).').optional(),
  file_types: textList('Types such as rust, js, ts, py, md, yaml; any other name is an extension.').optional(),
  max_results: integer('Matches returned.', { min: 1, max: 1000 }).default(200),
  max_files: integer('Files with matches returned.', { min: 1, max: 5000 }).default(500),
  max_scanned_files: integer('Files read.', { min: 1 }).default(50_000),
  max_scanned_bytes: integer('Bytes read.', { min: 1 }).default(256 * 1024 * 1024),
  timeout_ms: integer('Milliseconds.', { min: 1, max: 30_000 }).default(5000),
  max_match_span_lines: integer('Multiline: pass over matches of more lines.', { min: 1 }).optional(),
  max_match_span_bytes: integer('Multiline: pass over matches of more bytes.', { min: 1 }).optional(),
})

type Arguments = z.output<typeof input>

const match = z.object({
  file_path: z.string().describe('Relative to the workspace.'),
  line_number: z.int(),
  end_line: z.int().optional().describe('Multiline: the last line of the match.'),
  column: z.int().describe('Of the first hit in the line, in characters from 1.'),
  line_content: z.string().describe('Cut to 500 characters around the hit, with … where it is cut.'),
  context_before: z.array(z.string()),
  context_after: z.array(z.string()),
})

const output = z.object({
  matches: z.array(match),
  total_matches: z.int().describe('Matches returned; in the other modes all matching lines (multiline: all matches).'),
  matched_files: z.int(),
  searched_files: z.int().describe('Text files that were read to their end.'),
  files_with_matches: z.array(z.string()).optional(),
  file_match_counts: z.array(z.object({ file_path: z.string(), count: z.int() })).optional(),
  truncated: z.boolean(),
  truncated_reason: z.string().optional(),
  elapsed_ms: z.int(),
})

type Result = z.output<typeof output>

/** Searches file contents (P-130 to P-135). */
export const searchFiles: Tool = defineTool({
  name: 'search_files',
  title: 'Search files',
  description:
    'Finds a text, or with is_regex a regular expression, in the files below a directory or in one file. Respects .gitignore and .ignore; skips hidden, binary and non-UTF-8 files, and does not follow links. Results are sorted by path and line, with paths relative to the workspace. Narrow by include_patterns, exclude_patterns and file_types; use files_with_matches or count to see where there are matches before reading them.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: ({ search_path }) => [{ path: search_path, field: 'search_path', use: 'read' }],
  failed: (): Result => ({ matches: [], total_matches: 0, matched_files: 0, searched_files: 0, truncated: false, elapsed_ms: 0 }),
  async run(context, args) {
    const start = context.now()
    const { view, signal } = context
    const search = compileQuery({
      text: args.query,
      isRegex: args.is_regex,
      fold: args.case_insensitive,
      multiline: args.multiline,
      maxSpanLines: args.max_match_span_lines,
      maxSpanBytes: args.max_match_span_bytes,
      field: 'query',
    })
    const selection = selectionOf(context, args)
    const target = await view.resolve(args.search_path, { field: 'search_path' })
    const outcome = await searchContent(view, await filesOf(context, target, selection, performance.now() + args.timeout_ms), {
      search,
      mode: args.output_mode === 'content' ? 'content' : 'count',
      context: args.context_lines,
      budget: {
        maxResults: args.max_results,
        maxFiles: args.max_files,
        maxScannedFiles: args.max_scanned_files,
        maxScannedBytes: args.max_scanned_bytes,
        timeout: args.timeout_ms,
        maxFileBytes: view.traits.limits.textBytes,
      },
      signal,
      progress: (files) => context.progress(files, null),
    })
    return { result: resultOf(outcome, args, Math.round(context.now() - start)) }
  },
  text: (result) => [...linesOf(result), summaryOf(result)].join('\n'),
})

function selectionOf({ ignore }: ToolContext, { include_patterns, exclude_patterns, file_types }: Arguments): Selection {
  return {
    ignore,
    hidden: false,
    include: include_patterns?.length ? compilePathGlobs(include_patterns, 'include_patterns') : null,
    exclude: exclude_patterns?.length ? compileExcludes(exclude_patterns, 'exclude_patterns') : null,
    extensions: file_types?.length ? extensionsOf(file_types) : null,
  }
}

/** The files to search. One that is named is searched whatever the ignore rules say (P-132). */
async function filesOf(
  { view, signal }: ToolContext,
  target: Resolved,
  selection: Selection,
  until: number,
): Promise<AsyncIterable<readonly Entry[]>> {
  const { entry, path, given } = target
  if (!entry) throw new FilewrightError('not_found', `${given} does not exist.`, { field: 'search_path' })
  if (entry.kind === 'directory') return walkFiles(view, path, selection, { signal, until })
  // Says so when it is not a regular file, or may not be read: in a walk such files are passed over.
  await (await view.open(path)).close()
  return onePage(isSelected(path, selection) ? [entry] : [])
}

async function* onePage(files: readonly Entry[]): AsyncGenerator<readonly Entry[]> {
  yield files
}

function resultOf(outcome: SearchOutcome, args: Arguments, elapsed: number): Result {
  const reasons = [...outcome.limits.map((limit) => LIMITS[limit](args)), ...passedOver(outcome)]
  return {
    matches: outcome.matches.map((found) => ({
      file_path: found.path,
      line_number: found.line,
      ...(found.endLine !== undefined && { end_line: found.endLine }),
      column: found.column,
      line_content: found.content,
      context_before: [...found.before],
      context_after: [...found.after],
    })),
    total_matches: outcome.totalMatches,
    matched_files: outcome.matchedFiles,
    searched_files: outcome.searchedFiles,
    ...(args.output_mode === 'files_with_matches' && { files_with_matches: outcome.counts.map(({ path }) => path) }),
    ...(args.output_mode !== 'content' && { file_match_counts: outcome.counts.map(({ path, count }) => ({ file_path: path, count })) }),
    truncated: reasons.length > 0,
    ...(reasons.length > 0 && { truncated_reason: reasons.join('; ') }),
    elapsed_ms: elapsed,
  }
}

const LIMITS: { readonly [limit in SearchLimit]: (args: Arguments) => string } = {
  maxResults: ({ max_results }) => `max_results: there are more than ${max_results} matches`,
  maxFiles: ({ max_files }) => `max_files: more than ${max_files} files match`,
  maxScannedFiles: ({ max_scanned_files }) => `max_scanned_files: there are more than ${max_scanned_files} files`,
  maxScannedBytes: ({ max_scanned_bytes }) => `max_scanned_bytes: there are more than ${max_scanned_bytes} bytes`,
  timeout: ({ timeout_ms }) => `timeout_ms: ${timeout_ms} ms are over`,
}

function passedOver({ passedOver: skipped }: SearchOutcome): string[] {
  if (!skipped) return []
  const cause = skipped.lacking === null ? 'for this pattern' : `for a pattern with ${skipped.lacking}`
  return [`lines that are too long ${cause} were not searched, the first in ${skipped.path}`]
}

/** As grep prints them: `path:line: text`, and `path-line- text` around it. */
function linesOf({ matches, file_match_counts = [] }: Result): string[] {
  const around = matches.some((found) => found.context_before.length + found.context_after.length > 0)
  const lines = matches.flatMap((found, i) => {
    const { file_path, line_number, end_line = line_number, line_content, context_before, context_after } = found
    return [
      ...(around && i > 0 ? ['--'] : []),
      ...context_before.map((line, n) => `${file_path}-${line_number - context_before.length + n}- ${line}`),
      `${file_path}:${line_number}: ${line_content}`,
      ...context_after.map((line, n) => `${file_path}-${end_line + 1 + n}- ${line}`),
    ]
  })
  return [...lines, ...file_match_counts.map(({ file_path, count }) => `${file_path}: ${count}`)]
}

function summaryOf({ total_matches, matched_files, searched_files, truncated_reason }: Result): string {
  const more = truncated_reason === undefined ? '' : `; not all: ${truncated_reason}`
  const found = total_matches === 1 ? '1 match' : `${total_matches} matches`
  return `[${found} in ${matched_files} of ${counted(searched_files, 'file')}${more}]`
}
