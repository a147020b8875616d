/** `builtin/file-read`: a file's text, or some lines of it, exactly as decoded. */
import { z } from 'zod'
import { encodingNamed } from '../../text/encodings.ts'
import { integer } from '../arguments.ts'
import { defineTool, type Tool } from '../tool.ts'
import { encodingName, filePath, sandboxOf, sandboxRoot, targetsOf } from './sandbox.ts'

const input = z.object({
  path: filePath,
  encoding: encodingName,
  offset: integer('Lines to skip.', { min: 0 }).default(0),
  limit: integer('Most lines; default: all.', { min: 0 }).optional(),
  sandbox_root: sandboxRoot,
})

const output = z.object({ content: z.string(), size: z.int().describe('Bytes of the whole file.'), encoding: z.string() })

/** Reads a file (B-10 to B-12). */
export const fileRead: Tool = defineTool({
  name: 'builtin/file-read',
  title: 'Read file',
  description: 'Reads a text file as it is, without line numbers; with offset and limit, some of its lines.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  root: sandboxOf,
  targets: targetsOf('read'),
  failed: () => ({}),
  async run({ view }, { path, encoding, offset, limit }) {
    const { decode } = encodingNamed(encoding)
    const { bytes } = await view.readWhole(await view.resolve(path))
    const text = decode(bytes, path)
    const start = afterLines(text, 0, offset)
    const content = text.slice(start, limit === undefined ? text.length : afterLines(text, start, limit))
    return { result: { content, size: bytes.length, encoding } }
  },
  text: ({ content }) => content,
})

/** Where `count` lines from `start` on end. */
function afterLines(text: string, start: number, count: number): number {
  let at = start
  for (let left = count; left > 0 && at < text.length; left--) {
    const feed = text.indexOf('\n', at)
    at = feed < 0 ? text.length : feed + 1
  }
  return at
}
