/** `write_file` of the `fsproc` profile: creates or overwrites a file. */
import { z } from 'zod'
import { encodeText } from '../../text/utf8.ts'
import { content } from '../arguments.ts'
import { counted } from '../counted.ts'
import { readExisting } from '../existing_file.ts'
import { stageContent } from '../stage_content.ts'
import { defineTool, type Tool } from '../tool.ts'
import { fileTarget, projectFile, projectPath, projectRoot } from './project_root.ts'

const input = z.object({ path: projectPath, file: projectFile, content: content('The whole new content, stored exactly as given.') })

const output = z.object({ path: z.string().describe('Absolute.'), bytes: z.int() })

/** Writes a file, whatever was there (F-20 to F-22). */
export const writeFile: Tool = defineTool({
  name: 'write_file',
  title: 'Write file',
  description: 'Creates a file with its parent directories, or overwrites one. To change parts of a file use edit_file.',
  kind: 'write',
  idempotent: true,
  destructive: true,
  input,
  output,
  root: projectRoot,
  targets: (args) => fileTarget(args, 'change'),
  failed: () => ({}),
  async run({ view }, args) {
    const target = await view.resolve(args.file, { field: 'file' })
    const bytes = encodeText(args.content)
    await stageContent(view, target, await readExisting(view, target), bytes)
    return { result: { path: view.display(target.path), bytes: bytes.length } }
  },
  text: ({ path, bytes }) => `Wrote ${path} (${counted(bytes, 'byte')}).`,
})
