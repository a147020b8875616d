/** `builtin/file-list`: the entries of a directory, or of all below it. */
import { z } from 'zod'
import type { Entry } from '../../core/file_system.ts'
import { compareText, nameOf, relativePath } from '../../core/path.ts'
import { compileNameGlob, compilePathGlob } from '../../text/glob/glob.ts'
import { boolean, text } from '../arguments.ts'
import { requireDirectory } from '../existing_directory.ts'
import { behindLink } from '../linked_entry.ts'
import { defineTool, type Tool } from '../tool.ts'
import { sandboxOf, sandboxRoot, targetsOf } from './sandbox.ts'

/** Entries of one answer (B-50). */
const MAX_ENTRIES = 10_000

const input = z.object({
  path: text('The directory.'),
  pattern: text('Glob for names; with a slash, for paths below the directory.').default('*'),
  recursive: boolean('List what is in subdirectories, too.').default(false),
  sandbox_root: sandboxRoot,
})

const listed = z.object({ name: z.string(), path: z.string().describe('Absolute.'), size: z.int(), is_dir: z.boolean() })

const output = z.object({ files: z.array(listed), truncated: z.boolean().optional().describe('There are more entries.') })

/** Lists a directory (B-50). */
export const fileList: Tool = defineTool({
  name: 'builtin/file-list',
  title: 'List files',
  description: `Lists a directory, hidden names included; with recursive, everything below it. At most ${MAX_ENTRIES} entries.`,
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  root: sandboxOf,
  targets: targetsOf('read'),
  failed: () => ({}),
  async run({ view, signal }, args) {
    const matches = compilePattern(args.pattern)
    const { path: dir } = await requireDirectory(view, args.path, 'path')
    const found: { readonly relative: string; readonly listed: z.output<typeof listed> }[] = []
    for await (const page of view.scan(dir, { stat: true, signal, ...(!args.recursive && { maxDepth: 1 }) })) {
      for (const entry of page) {
        const relative = relativePath(entry.path, dir)
        if (!matches(relative, entry)) continue
        const behind = await behindLink(view, entry)
        if (!behind) continue
        const isDirectory = behind.kind === 'directory'
        const size = isDirectory ? 0 : (behind.size ?? 0)
        found.push({ relative, listed: { name: nameOf(entry.path), path: view.display(entry.path), size, is_dir: isDirectory } })
      }
      if (found.length > MAX_ENTRIES) break
    }
    const files = found
      .slice(0, MAX_ENTRIES)
      .sort((a, b) => compareText(a.relative, b.relative))
      .map((one) => one.listed)
    return { result: found.length > MAX_ENTRIES ? { files, truncated: true } : { files } }
  },
  text: ({ files, truncated }) => {
    const lines = files.map(({ path, size, is_dir }) => (is_dir ? `${path}/` : `${path} (${size})`))
    return [...lines, `[${files.length} entries${truncated ? ', and more' : ''}]`].join('\n')
  },
})

function compilePattern(pattern: string): (relative: string, entry: Entry) => boolean {
  if (pattern.includes('/')) {
    const globs = compilePathGlob(pattern, 'pattern')
    return (relative, { kind }) => globs.matches(relative, kind === 'directory')
  }
  const names = compileNameGlob(pattern, 'pattern')
  return (_, { path }) => names(nameOf(path))
}
