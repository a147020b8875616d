/** `search_files`: the paths below a directory that match a glob. */
import { z } from 'zod'
import type { ScanOptions } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { relativePath } from '../../core/path.ts'
import { text, textList } from '../arguments.ts'
import { behindLink } from '../linked_entry.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { reading } from './answer.ts'
import { directoryPath, resolveDirectory } from './given_path.ts'
import { compileRelativeGlob, compileRelativeGlobs } from './relative_globs.ts'

/** Most paths of one answer. */
const MOST_FOUND = 10_000

const input = z.strictObject({
  path: directoryPath,
  pattern: text('Glob for paths relative to the directory: *.ts is directly in it, **/*.ts at any depth.'),
  excludePatterns: textList('Globs of the same kind for what to leave out; a directory with all that is in it.').default([]),
})

/** Finds files and directories by their paths. */
export const searchFiles: Tool = defineTool({
  name: 'search_files',
  title: 'Search Files',
  description: `Finds files and directories by a glob, and returns their absolute paths, at most ${MOST_FOUND}. It looks at names, not at what files hold. *.ts matches in the directory itself, **/*.ts at any depth; letter case counts. Only in the allowed directories.`,
  ...reading,
  input,
  targets: pathTarget('read'),
  async run(context, args) {
    const { found, more } = await find(context, args)
    if (found.length === 0) return { result: { content: 'No matches found' } }
    if (more) found.push(`… and more: only the first ${MOST_FOUND} are told. Narrow the pattern or the path.`)
    return { result: { content: found.join('\n') } }
  },
})

async function find({ view, signal, progress }: ToolContext, args: z.output<typeof input>): Promise<{ found: string[]; more: boolean }> {
  const matches = compileRelativeGlob(args.pattern, 'pattern')
  const excluded = compileRelativeGlobs(args.excludePatterns, 'excludePatterns')
  const { path: root } = await resolveDirectory(view, args.path)
  const scanning: ScanOptions = {
    signal,
    ...depthOf(args.pattern),
    ...(args.excludePatterns.length > 0 && {
      filter: (_: Path, children) => children.filter(({ path, kind }) => !excluded(relativePath(path, root), kind === 'directory')),
    }),
  }
  const found: string[] = []
  let looked = 0
  for await (const page of view.scan(root, scanning)) {
    for (const entry of page) {
      if (!matches(relativePath(entry.path, root), entry.kind === 'directory')) continue
      // A link that leads outside is of no use to anybody here.
      if (entry.kind === 'link' && !(await behindLink(view, entry))) continue
      if (found.length === MOST_FOUND) return { found, more: true }
      found.push(view.display(entry.path))
    }
    looked += page.length
    progress(looked, null)
  }
  return { found, more: false }
}

/** How deep a glob can reach: as deep as it has slashes, unless it has `**`. */
function depthOf(pattern: string): Pick<ScanOptions, 'maxDepth'> {
  if (pattern.includes('**') || pattern.startsWith('!')) return {}
  return { maxDepth: pattern.split('/').length }
}
