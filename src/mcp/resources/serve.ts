/** The resources of a workspace, as a server answers for them. */
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '@modelcontextprotocol/server'
import type { Path } from '../../core/path.ts'
import type { View } from '../../core/view.ts'
import { type Bounds, boundsOf } from '../../workspace/within.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { notFound, resourceError } from './errors.ts'
import { listPage } from './listing.ts'
import { readPart } from './part.ts'
import { readChange, readLog, readPath } from './reader.ts'
import type { KeptResult, ResultStore } from './results.ts'
import { CHANGE_TEMPLATE, PATCH_TEMPLATE, type Part, type ResourceUris } from './uri.ts'

/** Where a request may look. */
type Asked = () => Promise<readonly Path[] | null>

/** Answers requests for resources. Throws protocol errors. */
export interface Resources {
  list(cursor: string | undefined, within: Asked, signal: AbortSignal): Promise<ListResourcesResult>
  templates(): ListResourceTemplatesResult
  read(uri: string, within: Asked, signal: AbortSignal): Promise<ReadResourceResult>
}

/** What resources are served from. */
export interface ResourceParts {
  readonly workspace: Workspace
  readonly uris: ResourceUris
  readonly results: ResultStore
  /** Most bytes of the contents of one answer. */
  readonly limit: number
}

/**
 * Reads go through a view, as those of tools do: the product's own store and folders of backups are not there, and links are followed
 * inside the root only.
 */
export function createResources(parts: ResourceParts): Resources {
  const { workspace, uris, results, limit } = parts

  async function looking(within: Asked): Promise<{ readonly whole: View; readonly view: View; readonly bounds: Bounds | null }> {
    const places = await within()
    const bounds = places && boundsOf(places)
    const whole = await workspace.view()
    return { whole, view: bounds ? bounds.confine(whole) : whole, bounds }
  }

  async function read(uri: string, within: Asked, signal: AbortSignal): Promise<ReadResourceResult['contents']> {
    const address = uris.parse(uri)
    if (!address) throw notFound(uri)
    if (address.kind === 'result') return [await readResult(uri, results.get(address.id), address.part, limit)]
    const { view, bounds } = await looking(within)
    if (address.kind === 'path') return readPath(parts, view, address)
    return address.kind === 'log' ? readLog(parts, bounds, uri) : readChange(parts, bounds, address, signal)
  }

  return {
    async list(cursor, within, signal) {
      try {
        const { whole, view } = await looking(within)
        return await listPage(view, whole, uris, cursor, signal)
      } catch (error) {
        throw resourceError(error, uris.file('' as Path))
      }
    },
    templates: () => templatesOf(uris),
    async read(uri, within, signal) {
      try {
        return { contents: await read(uri, within, signal) }
      } catch (error) {
        throw resourceError(error, uri)
      }
    },
  }
}

async function readResult(
  uri: string,
  kept: KeptResult | undefined,
  part: Part | null,
  limit: number,
): Promise<ReadResourceResult['contents'][number]> {
  if (!kept) throw notFound(uri)
  const { bytes, type } = kept
  const read = async (offset: number, length: number): Promise<Uint8Array> => bytes.subarray(offset, offset + length)
  return readPart({ size: bytes.length, read }, { uri: uri.replace(/\?.*/, ''), name: '', type }, part, limit)
}

function templatesOf(uris: ResourceUris): ListResourceTemplatesResult {
  return {
    resourceTemplates: [
      {
        uriTemplate: uris.template,
        name: 'file',
        title: 'File or directory',
        description:
          'A file: its text, or base 64 of what is no text; offset and length are bytes of a part. Of a directory: its entries as JSON; offset and length count entries.',
      },
      {
        uriTemplate: CHANGE_TEMPLATE,
        name: 'change',
        title: 'Change',
        description: 'What one call changed, by its id, its number or "last": the record as JSON, and a unified patch.',
        mimeType: 'application/json',
      },
      { uriTemplate: PATCH_TEMPLATE, name: 'patch', title: 'Patch of a change', mimeType: 'text/x-diff' },
      {
        uriTemplate: 'filewright:///results/{id}{?offset,length}',
        name: 'result',
        title: 'Large result',
        description: 'A result that was too large for its answer, kept for some minutes; offset and length are bytes of a part.',
      },
    ],
  }
}
