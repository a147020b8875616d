/** `directory_tree`: what is below a directory as nested JSON, the upper levels first when it is too much. */
import { z } from 'zod'
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import { nameOf, type Path, relativePath } from '../../core/path.ts'
import type { View } from '../../core/view.ts'
import { createPacer } from '../../text/pause.ts'
import { textList } from '../arguments.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { reading } from './answer.ts'
import { directoryPath, resolveDirectory } from './given_path.ts'
import { compileRelativeGlobs, type RelativeGlob } from './relative_globs.ts'

/** Most entries of one tree. */
const MOST_ENTRIES = 2000

const input = z.strictObject({
  path: directoryPath,
  excludePatterns: textList('What to leave out: names or paths at any depth, or with * globs of paths relative to the directory.').default(
    [],
  ),
})

/** One entry. `omitted` stands for others, and its name says for which. */
interface Node {
  readonly name: string
  readonly type: 'file' | 'directory' | 'omitted'
  readonly children?: Node[]
}

/** Draws the tree below a directory. */
export const directoryTree: Tool = defineTool({
  name: 'directory_tree',
  title: 'Directory Tree',
  description: `Shows everything below a directory as JSON: name, type (file or directory) and the children of directories. Of more than ${MOST_ENTRIES} entries the upper levels are shown, and an entry of the type omitted stands where some are left out. Links are not followed. Only in the allowed directories.`,
  ...reading,
  input,
  targets: pathTarget('read'),
  async run(context, { path, excludePatterns }) {
    const excluded = compileRelativeGlobs(excludePatterns.flatMap(anywhere), 'excludePatterns')
    const { path: root } = await resolveDirectory(context.view, path)
    return { result: { content: JSON.stringify(await treeBelow(context, root, excluded), null, 2) } }
  },
})

/** A pattern without a star means a name or path wherever it is, with all that is in it. */
function anywhere(pattern: string): readonly string[] {
  return pattern.includes('*') ? [pattern] : [pattern, `**/${pattern}`, `**/${pattern}/**`]
}

/** Level by level, so that what is left out is what lies deepest. */
async function treeBelow({ view, signal }: ToolContext, root: Path, excluded: RelativeGlob): Promise<Node[]> {
  const top: Node[] = []
  const waiting: { readonly dir: Path; readonly children: Node[] }[] = [{ dir: root, children: top }]
  const pacer = createPacer(signal)
  let left = MOST_ENTRIES
  for (let at = 0; at < waiting.length; at++) {
    signal.throwIfAborted()
    const { dir, children } = waiting[at] as (typeof waiting)[number]
    if (left === 0) {
      children.push(omitted('not shown here: call directory_tree with this directory'))
      continue
    }
    const entries = dir === root ? await view.list(dir) : await listBelow(view, dir)
    if (!entries) {
      children.push(omitted('cannot be read'))
      continue
    }
    const kept: Entry[] = []
    for (const entry of entries) {
      if (pacer.isDue()) await pacer.pause()
      if (!excluded(relativePath(entry.path, root), entry.kind === 'directory')) kept.push(entry)
    }
    for (const { path, kind } of kept.slice(0, left)) {
      const node: Node = kind === 'directory' ? { name: nameOf(path), type: kind, children: [] } : { name: nameOf(path), type: 'file' }
      children.push(node)
      if (node.children) waiting.push({ dir: path, children: node.children })
    }
    if (kept.length > left) children.push(omitted(`${kept.length - left} more entries: call list_directory for them`))
    left = Math.max(0, left - kept.length)
  }
  return top
}

/** The entries of a directory that was there a moment ago; null when it cannot be read. */
async function listBelow(view: View, dir: Path): Promise<Entry[] | null> {
  try {
    return await view.list(dir)
  } catch (error) {
    if (isFilewrightError(error)) return null
    throw error
  }
}

function omitted(what: string): Node {
  return { name: `… ${what}`, type: 'omitted' }
}
