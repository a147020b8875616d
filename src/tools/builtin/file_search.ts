/** `builtin/file-search`: the lines that match a regular expression. */
import { z } from 'zod'
import { relativePath } from '../../core/path.ts'
import { compileNameGlob } from '../../text/glob/glob.ts'
import { integer, text } from '../arguments.ts'
import { requireDirectory } from '../existing_directory.ts'
import { searchLines } from '../line_search.ts'
import { defineTool, type Tool } from '../tool.ts'
import { sandboxOf, sandboxRoot, targetsOf } from './sandbox.ts'

/** Not entered (B-60). */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.venv'])

const input = z.object({
  path: text('The directory.'),
  pattern: text('Regular expression, in JavaScript syntax with the u flag; (?i), (?P<name>…), \\A and \\Z work too.').min(
    1,
    'must not be empty',
  ),
  include: text('Glob for file names.').default('*'),
  max_results: integer('Matches returned.', { min: 1 }).default(100),
  sandbox_root: sandboxRoot,
})

const output = z.object({
  matches: z.array(z.object({ file: z.string().describe('Relative to the sandbox root.'), line: z.int(), content: z.string() })),
})

/** Searches the lines of the files below a directory (B-60). */
export const fileSearch: Tool = defineTool({
  name: 'builtin/file-search',
  title: 'Search files',
  description: 'Finds the lines that match a regular expression, in the text files below a directory. It stops after max_results.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  root: sandboxOf,
  targets: targetsOf('read'),
  failed: () => ({}),
  async run(context, { path, pattern, include, max_results }) {
    const { view } = context
    const readsFile = compileNameGlob(include, 'include')
    const { path: dir } = await requireDirectory(view, path, 'path')
    const root = (await view.resolve('.')).path
    const { matches } = await searchLines(context, dir, {
      pattern,
      isRegex: true,
      entersDirectory: (name) => !LEFT_OUT.has(name),
      readsFile,
      maxResults: max_results,
      show: (subject, start, end) => subject.text(start, end),
    })
    return { result: { matches: matches.map(({ path: file, line, content }) => ({ file: relativePath(file, root), line, content })) } }
  },
  text: ({ matches }) =>
    [...matches.map(({ file, line, content }) => `${file}:${line}: ${content}`), `[${matches.length} matches]`].join('\n'),
})
