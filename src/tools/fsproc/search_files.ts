/** `search_files` of the `fsproc` profile: the lines that hold a text, in the files of a project. */
import { z } from 'zod'
import { relativePath } from '../../core/path.ts'
import { compileNameGlob } from '../../text/glob/glob.ts'
import type { Subject } from '../../text/search/subject.ts'
import { boolean, text, textList } from '../arguments.ts'
import { searchLines } from '../line_search.ts'
import { defineTool, type Tool } from '../tool.ts'
import { projectPath, projectRoot } from './project_root.ts'

/** Matches of one answer (F-42). */
const MAX_MATCHES = 50
/** Characters shown of a line (F-43). */
const MAX_CHARS = 500
/** Not entered, beside hidden directories (F-45). */
const LEFT_OUT: ReadonlySet<string> = new Set(['__pycache__', 'venv', 'node_modules'])

const input = z.object({
  path: projectPath,
  pattern: text('The text to find; with is_regex, a regular expression.').min(1, 'must not be empty'),
  is_regex: boolean('JavaScript syntax with the u flag; (?i), (?P<name>…), \\A and \\Z work too.').default(false),
  include: textList('Globs for file names, such as *.py; any one suffices.').optional(),
})

const output = z.object({
  matches: z.array(z.object({ file: z.string().describe('Relative to path.'), line: z.int(), content: z.string() })),
  count: z.int(),
  truncated: z.boolean().describe('There are more matches.'),
})

/** Searches the lines of a project's files (F-40 to F-47). */
export const searchFiles: Tool = defineTool({
  name: 'search_files',
  title: 'Search files',
  description: `Finds the lines that hold a text, case-sensitively, or match a regular expression. Hidden names, build and cache directories and binary files are passed over; ignore files are not consulted. At most ${MAX_MATCHES} matches: narrow by path and include.`,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  root: projectRoot,
  targets: () => [],
  failed: () => ({}),
  async run(context, { pattern, is_regex, include }) {
    const root = (await context.view.resolve('.')).path
    const isIncluded = namesMatching(include ?? [])
    const { matches, truncated } = await searchLines(context, root, {
      pattern,
      isRegex: is_regex,
      entersDirectory: (name) => !name.startsWith('.') && !LEFT_OUT.has(name),
      readsFile: (name) => !name.startsWith('.') && isIncluded(name),
      maxResults: MAX_MATCHES,
      show: beginning,
    })
    const found = matches.map(({ path, line, content }) => ({ file: relativePath(path, root), line, content }))
    return { result: { matches: found, count: found.length, truncated } }
  },
  text: ({ matches, count, truncated }) => {
    const lines = matches.map(({ file, line, content }) => `${file}:${line}: ${content}`)
    return [...lines, `[${count} matches${truncated ? ', and more' : ''}]`].join('\n')
  },
})

/** Globs are compared with names: one with a slash fits none (F-41). */
function namesMatching(globs: readonly string[]): (name: string) => boolean {
  if (globs.length === 0) return () => true
  const tests = globs.flatMap((glob, i) => (glob.includes('/') ? [] : compileNameGlob(glob, `include[${i}]`)))
  return (name) => tests.some((matches) => matches(name))
}

/** A line without the white space at its end, cut to its first characters. */
function beginning(subject: Subject, start: number, end: number): string {
  const line = subject.text(start, end).trimEnd()
  if (line.length <= MAX_CHARS) return line
  const chars = Array.from(line.slice(0, 2 * MAX_CHARS + 2))
  return chars.length <= MAX_CHARS ? line : `${chars.slice(0, MAX_CHARS).join('')}…[truncated]`
}
