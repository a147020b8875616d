/** `tree` of the `native` profile: a picture of a directory. */
import { z } from 'zod'
import { boolean, checkValue, integer, text } from '../arguments.ts'
import { fileTree } from '../file_tree.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { globs } from './globs.ts'
import { inOwnNames } from './own_names.ts'

const input = z.strictObject({
  path: text('').default('.'),
  depth: integer('Levels.', { min: 0, max: 64 }).optional(),
  glob: globs('Only these files: *.ts, src/**.').optional(),
  exclude: globs('Not these.').optional(),
  hidden: boolean('').default(false),
  offset: integer('Entries to skip.', { min: 0 }).default(0),
})

const output = z.object({
  path: z.string(),
  files: z.int(),
  dirs: z.int(),
  next_offset: z.int().optional(),
  truncated: z.string().optional(),
  content: z.string(),
})

/** The arguments of the tool that draws. */
const NAMES = {
  path: 'root_path',
  depth: 'max_depth',
  glob: 'include_patterns',
  exclude: 'exclude_patterns',
  hidden: 'show_hidden',
  offset: 'offset',
} as const

interface Drawn {
  readonly root_path: string
  readonly tree: string
  readonly rendered_files: number
  readonly rendered_dirs: number
  readonly next_offset?: number
  readonly truncated_reason?: string
}

/** Draws a tree without what is ignored. */
export const tree: Tool = defineTool({
  name: 'tree',
  title: 'Tree',
  description: 'Draws what is below a directory, without ignored entries.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  performs: true,
  input,
  output,
  targets: pathTarget('read'),
  failed: () => ({}),
  run: (context, args) =>
    inOwnNames(NAMES, async () => {
      const entries = Object.entries(args).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value] as const)
      const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
      const plan = await context.perform(fileTree, checkValue(fileTree.input, given, ''))
      const drawn = plan.result as Drawn
      const more = drawn.next_offset === undefined ? '' : `: go on with offset ${drawn.next_offset}`
      return {
        result: {
          path: drawn.root_path,
          files: drawn.rendered_files,
          dirs: drawn.rendered_dirs,
          ...(drawn.next_offset !== undefined && { next_offset: drawn.next_offset }),
          ...(drawn.truncated_reason !== undefined && { truncated: drawn.truncated_reason }),
          content: drawn.truncated_reason === undefined ? drawn.tree : `${drawn.tree}\n[cut by ${drawn.truncated_reason}${more}]`,
        },
      }
    }),
  text: ({ content }) => content,
})
