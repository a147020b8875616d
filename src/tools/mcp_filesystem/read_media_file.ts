/** `read_media_file`: any file as base 64, an image or a sound as such. */
import { z } from 'zod'
import { nameOf } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import { toBase64 } from '../../text/base64.ts'
import { extensionOf, mimeType } from '../../text/mime.ts'
import { isBinary } from '../../text/utf8.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'
import { filePath, resolveGiven } from './given_path.ts'
import { withReader } from './read_text.ts'

const input = z.strictObject({ path: filePath })

const output = z.object({
  type: z.enum(['image', 'audio', 'file']),
  path: z.string(),
  mimeType: z.string(),
  data: z.string().describe('Base 64.'),
})

/** What clients can show or play, by the extension of the name. */
const MEDIA: { readonly [extension: string]: readonly ['image' | 'audio', mimeType: string] } = {
  png: ['image', 'image/png'],
  jpg: ['image', 'image/jpeg'],
  jpeg: ['image', 'image/jpeg'],
  gif: ['image', 'image/gif'],
  webp: ['image', 'image/webp'],
  bmp: ['image', 'image/bmp'],
  svg: ['image', 'image/svg+xml'],
  mp3: ['audio', 'audio/mpeg'],
  wav: ['audio', 'audio/wav'],
  ogg: ['audio', 'audio/ogg'],
  flac: ['audio', 'audio/flac'],
}

/** Reads a file of any kind. */
export const readMediaFile: Tool = defineTool({
  name: 'read_media_file',
  title: 'Read Media File',
  description:
    'Reads a file of any kind: an image or a sound comes as such, anything else as an embedded resource, each with its MIME type. Only in the allowed directories.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: pathTarget('read'),
  failed: () => ({}),
  async run({ view }, { path }) {
    const target = await resolveGiven(view, path)
    const bytes = await withReader(view, target, (reader) => readAll(reader, view.traits.limits.textBytes, path))
    const name = nameOf(target.path)
    const extension = extensionOf(name)
    const [type, mime] = Object.hasOwn(MEDIA, extension)
      ? (MEDIA[extension] as (typeof MEDIA)[string])
      : (['file', mimeType(name, isBinary(bytes))] as const)
    return { result: { type, path: view.display(target.path), mimeType: mime, data: toBase64(bytes) } }
  },
  text: ({ path, mimeType: mime }) => `${path} (${mime})`,
})
