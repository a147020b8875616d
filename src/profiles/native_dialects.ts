/** How other tools spell the arguments of the `native` tools, as tables (contract W-5b). */
import type { SentArguments } from '../tools/arguments.ts'
import { inputSchema, type JsonSchema } from '../tools/json_schema.ts'
import { isNativeOperation, type NativeOperationName, OPERATIONS } from '../tools/native/operations.ts'
import type { Alias, Dialect, Reading } from './lenient.ts'

type Aliases = { readonly [foreign: string]: string | Alias }

/** Several foreign names of one argument. */
function names(to: string, foreign: readonly string[]): Aliases {
  return Object.fromEntries(foreign.map((name) => [name, to]))
}

/** A value that is taken only when it is true, and then for another. */
function when(to: string, meant: unknown): Alias {
  return { to, as: (value) => (isTrue(value) ? meant : undefined) }
}

/** As {@link when}, for the opposite. */
function unless(to: string, meant: unknown): Alias {
  return { to, as: (value) => (isTrue(value) ? undefined : meant) }
}

/** Names that say nothing about an argument, because what they ask for is always so. */
function granted(to: string, foreign: readonly string[]): Aliases {
  return Object.fromEntries(foreign.map((name) => [name, { to, as: () => undefined }]))
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

const FILE: Aliases = names('path', [
  'file_path',
  'filePath',
  'file',
  'filename',
  'file_name',
  'filepath',
  'target_file',
  'absolute_path',
  'relative_path',
  'notebook_path',
])

const DIRECTORY: Aliases = {
  ...names('path', [
    'directory',
    'dir',
    'dir_path',
    'directory_path',
    'folder',
    'root',
    'root_path',
    'search_path',
    'target_directory',
    'cwd',
  ]),
  ...FILE,
}

const OLD: Aliases = names('old', ['old_string', 'oldString', 'old_text', 'oldText', 'old_str', 'oldStr', 'old_content', 'search', 'find'])
const NEW: Aliases = names('new', [
  'new_string',
  'newString',
  'new_text',
  'newText',
  'new_str',
  'newStr',
  'new_content',
  'replace',
  'replacement',
])
const ALL: Aliases = names('all', ['replace_all', 'replaceAll'])

const CONTENT: Aliases = names('content', ['file_text', 'contents', 'text', 'data', 'body'])

const VERSION: Aliases = names('sha256', ['expected_sha256', 'expectedSha256', 'known_sha256', 'if_match', 'ifMatch', 'hash', 'checksum'])
const DRY_RUN: Aliases = names('dry_run', ['dryRun', 'preview'])

const LIMIT: Aliases = names('limit', ['max_results', 'maxResults', 'head_limit', 'max_count', 'max_matches', 'page_size', 'max_entries'])
const IGNORE_CASE: Aliases = {
  ...names('ignore_case', ['case_insensitive', 'caseInsensitive', 'ignoreCase', '-i', 'i']),
  case_sensitive: unless('ignore_case', true),
  caseSensitive: unless('ignore_case', true),
}
const GLOB: Aliases = names('glob', [
  'include',
  'include_pattern',
  'include_patterns',
  'glob_pattern',
  'file_pattern',
  'filePattern',
  'includes',
])
const EXCLUDE: Aliases = names('exclude', ['exclude_pattern', 'exclude_patterns', 'excludePatterns', 'excludes', 'ignore'])
const ALSO_HIDDEN: Aliases = names('all', ['show_hidden', 'include_hidden', 'includeHidden', 'hidden', 'no_ignore'])

const WRITING: Dialect = {
  aliases: {
    ...FILE,
    ...CONTENT,
    ...VERSION,
    ...DRY_RUN,
    append: when('mode', 'append'),
    overwrite: { to: 'mode', as: (value) => (isTrue(value) ? 'replace' : 'create') },
    create_only: when('mode', 'create'),
  },
  values: {
    mode: { overwrite: 'replace', rewrite: 'replace', w: 'replace', a: 'append', create_only: 'create', x: 'create' },
    encoding: { utf8: 'utf-8', 'UTF-8': 'utf-8', text: 'utf-8' },
  },
}

const LINES: Aliases = { ...names('insert_line', ['after_line']), ...names('start_line', ['line']) }

const ITEM: Dialect = { aliases: { ...OLD, ...NEW, ...ALL, ...LINES } }

const EDITING: Dialect = {
  aliases: {
    ...FILE,
    ...OLD,
    ...NEW,
    ...ALL,
    ...LINES,
    ...VERSION,
    ...DRY_RUN,
    ...names('edits', ['replacements', 'changes']),
    ...names('loose', ['ignore_whitespace', 'ignoreWhitespace', 'fuzzy']),
  },
  items: { edits: ITEM },
  single: {
    list: 'edits',
    by: ['start_line', 'insert_line'],
    keep: ['path', 'sha256', 'dry_run', 'loose', 'allow_ignored', 'allow_sensitive'],
  },
}

/** What the operations of a batch are called elsewhere. */
const OPS: { readonly [foreign: string]: string } = {
  rm: 'delete',
  remove: 'delete',
  delete_file: 'delete',
  mv: 'move',
  rename: 'move',
  move_file: 'move',
  cp: 'copy',
  copy_file: 'copy',
  create: 'write',
  write_file: 'write',
  create_file: 'write',
  edit_file: 'edit',
  replace: 'edit',
  str_replace: 'edit',
  create_directory: 'mkdir',
  rollback: 'restore',
  revert: 'undo',
  stat: 'info',
}

const OPERATION: Dialect = {
  aliases: {
    ...FILE,
    ...CONTENT,
    ...OLD,
    ...NEW,
    ...ALL,
    ...VERSION,
    ...names('path', ['source', 'source_path', 'from', 'old_path', 'directory_path']),
    ...names('to', ['destination', 'destination_path', 'target', 'new_path', 'dest', 'compare_path']),
    ...names('op', ['operation', 'type', 'action', 'command', 'tool', 'name']),
    ...names('backup', ['backup_id']),
    ...names('change', ['change_id', 'id']),
  },
  values: { op: OPS },
  further: ({ op }) => (typeof op === 'string' && isNativeOperation(op) ? readingOf(op) : undefined),
}

const { single } = EDITING
const SPELT: { readonly [op in NativeOperationName]?: Dialect } = {
  write: WRITING,
  edit: { ...EDITING, ...(single && { single: { ...single, keep: ['op', ...single.keep] } }) },
  // The number of a change is as good as its id.
  undo: { aliases: {}, fold: (args) => (typeof args.change === 'number' ? { ...args, change: String(args.change) } : args) },
}

const readings = new Map<NativeOperationName, Reading>()

/** An operation is spelt as its tool is, where it has one. */
function readingOf(op: NativeOperationName): Reading {
  const made = readings.get(op)
  if (made) return made
  const { tool, names: foreign } = OPERATIONS[op]
  const { properties: known = {} } = inputSchema(tool) as { readonly properties?: { readonly [name: string]: JsonSchema } }
  const own = Object.entries(foreign).map(([name, other]) => [name, known[other] ?? {}] as const)
  const properties = { ...known, ...Object.fromEntries(own), op: {} }
  const reading = { schema: { properties }, dialect: SPELT[op] ?? { aliases: {} } }
  readings.set(op, reading)
  return reading
}

/** The dialect of each tool. */
export const DIALECTS: { readonly [tool: string]: Dialect } = {
  read: {
    aliases: {
      ...FILE,
      ...VERSION,
      ...names('paths', ['files', 'file_paths']),
      ...names('offset', ['start_line', 'start', 'from_line', 'line']),
      ...names('limit', ['max_lines', 'num_lines', 'lines', 'line_count', 'head', 'length', 'count']),
      ...names('line_numbers', ['numbers', 'lineNumbers', 'show_line_numbers']),
      ...names('as', ['encoding', 'format']),
      tail: { to: 'offset', as: (value) => negative(value) },
      tail_lines: { to: 'offset', as: (value) => negative(value) },
    },
    values: { as: { text: 'lines', 'utf-8': 'lines', utf8: 'lines', raw: 'bytes', binary: 'base64' } },
    fold: linesOfRange,
  },
  write: WRITING,
  edit: EDITING,
  list: {
    aliases: {
      ...DIRECTORY,
      ...LIMIT,
      ...EXCLUDE,
      ...ALSO_HIDDEN,
      ...GLOB,
      ...names('glob', ['pattern', 'query', 'name']),
      ...names('depth', ['max_depth', 'maxDepth']),
      ...names('sort', ['sort_by', 'sortBy', 'order_by']),
    },
    fold: depthOfRecursive,
    values: {
      sort: { mtime: 'newest', modified: 'newest', time: 'newest', size: 'largest' },
      type: { files: 'file', f: 'file', directory: 'dir', directories: 'dir', dirs: 'dir', d: 'dir' },
    },
  },
  grep: {
    aliases: {
      ...DIRECTORY,
      ...LIMIT,
      ...IGNORE_CASE,
      ...GLOB,
      ...EXCLUDE,
      ...ALSO_HIDDEN,
      ...names('pattern', ['query', 'q', 'search', 'text', 'term', 'needle', 'substring', 'search_term']),
      ...names('regex', ['is_regex', 'isRegex', 'regexp', 'use_regex']),
      ...names('context', ['context_lines', 'contextLines', '-C', '-A', '-B']),
      ...names('mode', ['output_mode', 'outputMode']),
      literal: unless('regex', true),
      ...granted('mode', ['-n', 'line_numbers', 'show_line_numbers', 'lineNumbers']),
    },
    values: { mode: { files_with_matches: 'files', lines: 'content', matches: 'content', counts: 'count' } },
  },
  tree: {
    aliases: {
      ...DIRECTORY,
      ...GLOB,
      ...EXCLUDE,
      ...names('depth', ['max_depth', 'maxDepth', 'levels']),
      ...names('hidden', ['show_hidden', 'include_hidden', 'all']),
    },
  },
  batch: {
    aliases: { ...DRY_RUN, ...names('operations', ['ops', 'actions', 'steps']) },
    items: { operations: OPERATION },
    single: {
      list: 'operations',
      by: ['op', 'operation', 'action'],
      keep: ['dry_run', 'allow_ignored', 'allow_sensitive'],
    },
  },
  run: {
    aliases: {
      ...names('command', ['cmd', 'script', 'shell_command', 'commandLine']),
      ...names('cwd', ['workdir', 'working_directory', 'workingDirectory', 'dir', 'path']),
      ...names('timeout', ['timeout_seconds', 'timeout_s']),
      timeout_ms: { to: 'timeout', as: (value) => (Number.isFinite(Number(value)) ? Number(value) / 1000 : value) },
    },
  },
}

function negative(value: unknown): unknown {
  const lines = Number(value)
  return Number.isInteger(lines) && lines > 0 ? -lines : value
}

/** `recursive` means every depth, unless a depth is given. */
function depthOfRecursive(args: SentArguments): SentArguments {
  if (!Object.hasOwn(args, 'recursive')) return args
  const { recursive, ...others } = args
  return others.depth === undefined && isTrue(recursive) ? { ...others, depth: 256 } : others
}

/** `view_range: [2, 5]`, or an `end_line` beside the first line, as an offset and a limit. */
function linesOfRange(args: SentArguments): SentArguments {
  const { view_range: range, end_line: end, ...others } = args
  if (args.limit !== undefined || (range === undefined) === (end === undefined)) return args
  const text = typeof range === 'string' ? /^\[?\s*(\d+)\s*[,-]\s*(-?\d+)\s*\]?$/.exec(range)?.slice(1) : undefined
  const [first, last] = (Array.isArray(range) ? range : (text ?? [args.offset ?? 1, end])).map(Number)
  if (first === undefined || last === undefined || !Number.isInteger(first) || !Number.isInteger(last)) return args
  // A range that ends in -1 goes to the end of the file.
  if (last === -1 && range !== undefined) return { ...others, offset: first }
  return last < first ? args : { ...others, offset: first, limit: last - first + 1 }
}
