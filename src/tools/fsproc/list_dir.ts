/** `list_dir` of the `fsproc` profile: names, types and sizes below a directory. */
import { z } from 'zod'
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { nameOf, type Path, relativePath } from '../../core/path.ts'
import { integer } from '../arguments.ts'
import { behindLink } from '../linked_entry.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { projectPath, projectRoot } from './project_root.ts'

/** Entries of one answer (F-51). */
const MAX_ENTRIES = 200
/** Build artefacts, beside hidden names (F-52). */
const LEFT_OUT: ReadonlySet<string> = new Set(['__pycache__', 'node_modules'])

const input = z.object({
  path: projectPath,
  max_depth: integer('Levels below the directory; less than 1 counts as 1.')
    .overwrite((depth) => Math.max(depth, 1))
    .default(1),
})

const listed = z.object({
  name: z.string(),
  path: z.string().describe('Relative to the listed directory.'),
  type: z.enum(['file', 'dir']),
  size_bytes: z.int().nullable(),
})

const output = z.object({ entries: z.array(listed), count: z.int(), truncated: z.boolean().describe('There are more entries.') })

type Listed = z.output<typeof listed>

/** Lists a directory, depth first (F-50 to F-55). */
export const listDir: Tool = defineTool({
  name: 'list_dir',
  title: 'List directory',
  description: `Lists a directory, by default only what is directly in it. Hidden names, build artefacts and links that lead outside are left out. At most ${MAX_ENTRIES} entries.`,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  root: projectRoot,
  targets: () => [],
  failed: () => ({}),
  async run(context, { max_depth }) {
    const root = (await context.view.resolve('.')).path
    const entries: Listed[] = []
    let truncated = false
    for await (const entry of walk(context, root, root, max_depth)) {
      truncated = entries.length === MAX_ENTRIES
      if (truncated) break
      entries.push(entry)
    }
    return { result: { entries, count: entries.length, truncated } }
  },
  text: ({ entries, count, truncated }) => {
    const names = entries.map(
      ({ path, type, size_bytes }) => `${path}${type === 'dir' ? '/' : ''}${size_bytes === null ? '' : ` (${size_bytes})`}`,
    )
    return [...names, `[${count} entries${truncated ? ', and more' : ''}]`].join('\n')
  },
})

/** The entries below a directory in code-point order, each directory followed by what is in it. */
async function* walk(context: ToolContext, root: Path, dir: Path, levels: number): AsyncGenerator<Listed> {
  const { view, signal } = context
  signal.throwIfAborted()
  for (const entry of await view.list(dir, { stat: true })) {
    const name = nameOf(entry.path)
    if (name.startsWith('.') || LEFT_OUT.has(name)) continue
    const behind = await behindLink(view, entry)
    if (!behind) continue
    yield describe(root, entry.path, behind)
    if (entry.kind === 'directory' && levels > 1) yield* walkReadable(context, root, entry.path, levels - 1)
  }
}

/** As {@link walk}; nothing for a directory that may not be read, or is gone (F-53). */
async function* walkReadable(context: ToolContext, root: Path, dir: Path, levels: number): AsyncGenerator<Listed> {
  try {
    yield* walk(context, root, dir, levels)
  } catch (error) {
    if (!isFilewrightError(error, 'permission_denied') && !isFilewrightError(error, 'not_found')) throw error
  }
}

function describe(root: Path, path: Path, { kind, size }: Entry): Listed {
  const type = kind === 'directory' ? 'dir' : 'file'
  return { name: nameOf(path), path: relativePath(path, root), type, size_bytes: kind === 'file' ? size : null }
}
