/** `builtin/file-write`: creates or overwrites a file, in an encoding. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { encodingNamed } from '../../text/encodings.ts'
import { boolean, content } from '../arguments.ts'
import { counted } from '../counted.ts'
import { readExisting } from '../existing_file.ts'
import { stageContent } from '../stage_content.ts'
import { defineTool, type Tool } from '../tool.ts'
import { encodingName, filePath, sandboxOf, sandboxRoot, targetsOf } from './sandbox.ts'

const input = z.object({
  path: filePath,
  content: content('The whole new content.'),
  encoding: encodingName,
  create_dirs: boolean('Create missing parent directories.').default(true),
  sandbox_root: sandboxRoot,
})

const output = z.object({ path: z.string().describe('Absolute.'), size: z.int().describe('Bytes written.'), created: z.boolean() })

/** Writes a file, whatever was there (B-20). */
export const fileWrite: Tool = defineTool({
  name: 'builtin/file-write',
  title: 'Write file',
  description: 'Creates a file or overwrites one. To change parts of a file use builtin/file-edit.',
  kind: 'write',
  idempotent: true,
  destructive: true,
  input,
  output,
  root: sandboxOf,
  targets: targetsOf('change'),
  failed: () => ({}),
  async run({ view }, args) {
    const bytes = encodingNamed(args.encoding).encode(args.content)
    const target = await view.resolve(args.path)
    const existing = await readExisting(view, target)
    if (!args.create_dirs && target.missingParents.length > 0) {
      throw new FilewrightError('not_found', `The directory of ${args.path} does not exist; pass create_dirs to create it.`)
    }
    const unchanged = await stageContent(view, target, existing, bytes)
    const result = { path: view.display(target.path), size: bytes.length, created: existing === null }
    return { result, ...(unchanged && { unchanged: [unchanged] }) }
  },
  text: ({ path, size, created }) => `${created ? 'Created' : 'Replaced'} ${path} (${counted(size, 'byte')}).`,
})
