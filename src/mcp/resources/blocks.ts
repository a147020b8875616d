/** What stands beside the text of an answer, as content blocks. */
import type { ContentBlock } from '@modelcontextprotocol/server'
import { nameOf, type Path, parsePath } from '../../core/path.ts'
import type { Traits } from '../../core/traits.ts'
import type { Attachment } from '../../profiles/profile.ts'
import { mimeTypeByName } from '../../text/mime.ts'
import { changeUri, type ResourceUris } from './uri.ts'

/** The blocks of a call's attachments; a link without a path is one to the change `changeId`. */
export function blocksOf(attachments: readonly Attachment[], traits: Traits, uris: ResourceUris, changeId: string | null): ContentBlock[] {
  const located = (path: string): Path => parsePath(path, traits).parts.join('/') as Path
  return attachments.flatMap((attachment) => {
    if (attachment.type === 'link') {
      return attachment.path === undefined ? linkToChange(changeId) : [linkTo(located(attachment.path), uris)]
    }
    const { type, mimeType, data } = attachment
    return type === 'file'
      ? [{ type: 'resource' as const, resource: { uri: uris.file(located(attachment.path)), mimeType, blob: data } }]
      : [{ type, mimeType, data }]
  })
}

function linkToChange(id: string | null): ContentBlock[] {
  const title = 'What the call changed'
  return id === null ? [] : [{ type: 'resource_link', uri: changeUri(id), name: 'change', title, mimeType: 'application/json' }]
}

function linkTo(path: Path, uris: ResourceUris): ContentBlock {
  const mimeType = mimeTypeByName(nameOf(path))
  return { type: 'resource_link', uri: uris.file(path), name: path.toWellFormed(), ...(mimeType !== undefined && { mimeType }) }
}
