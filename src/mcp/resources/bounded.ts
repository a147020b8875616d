/** Results that are too large for one answer: kept as a resource, and answered with their beginning and a link. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { fromBase64 } from '../../text/base64.ts'
import { isWithinSize } from '../tool_result.ts'
import type { ResultStore } from './results.ts'
import { resultUri } from './uri.ts'

/** Key of the place where the whole result is, in the `_meta` of one that was cut. */
export const CUT_META = 'filewright/cut'
/** Longest text block of a cut result, in UTF-16 units, and the shortest bounds that a structure is cut to: hashes stay whole. */
const TEXT_UNITS = 32 * 1024
const SHORTEST = { units: 1024, items: 8 }

const encoder = new TextEncoder()

/**
 * A result with more than `limit` characters, as {@link isWithinSize} counts, cut to less: large pictures and files become links, and
 * then texts and lists are cut, so that the structure still has the shape that its schema promises.
 */
export function boundResult(result: CallToolResult, limit: number, results: ResultStore): CallToolResult {
  const linked = { ...result, content: result.content.map((block) => (isLarge(block, limit) ? linkBlock(block, results) : block)) }
  if (isWithinSize(linked, limit)) return linked
  const texts = linked.content.filter((block) => block.type === 'text')
  const others = linked.content.filter((block) => block.type !== 'text')
  const { structuredContent: structure } = linked
  const whole = structure === undefined ? texts.map(({ text }) => text).join('\n') : JSON.stringify(structure)
  const type = structure === undefined ? 'text/plain' : 'application/json'
  const bytes = encoder.encode(whole)
  const id = results.keep({ bytes, type })
  const [shown] = texts
  return {
    ...linked,
    content: [
      ...(shown ? [{ ...shown, text: beginning(shown.text, Math.min(TEXT_UNITS, limit >> 3)) + told(bytes.length, id) }] : []),
      // What is not text and still too much altogether is not worth more than its links.
      ...others.map((block) => (isWithinSize(others, limit >> 1) ? block : linkBlock(block, results))),
      ...(id === null ? [] : [linkToResult(id, bytes.length, type)]),
    ],
    ...(structure !== undefined && { structuredContent: cutStructure(structure, limit >> 1) as typeof structure }),
    _meta: { ...linked._meta, [CUT_META]: { uri: id && resultUri(id), size: bytes.length } },
  }
}

function told(size: number, id: string | null): string {
  const where =
    id === null ? '' : ` All of it is kept for some minutes at ${resultUri(id)}: read that resource in parts, with ?offset=0&length=65536.`
  return `\n[The result has ${size} bytes and is cut here.${where} Or ask for less.]`
}

function linkToResult(id: string, size: number, mimeType: string): ContentBlock {
  return { type: 'resource_link', uri: resultUri(id), name: 'result', title: 'The whole result', mimeType, size }
}

function isLarge(block: ContentBlock, limit: number): boolean {
  return block.type !== 'text' && !isWithinSize(block, limit >> 1)
}

/** A file is linked where it is; a picture or a sound is kept. */
function linkBlock(block: ContentBlock, results: ResultStore): ContentBlock {
  if (block.type === 'resource') {
    const { uri, mimeType } = block.resource
    return { type: 'resource_link', uri, name: uri.slice(uri.lastIndexOf('/') + 1), ...(mimeType !== undefined && { mimeType }) }
  }
  if (block.type !== 'image' && block.type !== 'audio') return block
  const bytes = fromBase64(block.data)
  const id = bytes && results.keep({ bytes, type: block.mimeType })
  if (bytes && id) return linkToResult(id, bytes.length, block.mimeType)
  return { type: 'text', text: `[The ${block.type} is too large for an answer.]` }
}

/** Texts and lists cut ever shorter, until it fits. */
function cutStructure(structure: unknown, limit: number): unknown {
  for (let units = 64 * 1024, items = 1000; ; units >>= 1, items >>= 1) {
    const bounds = { units: Math.max(units, SHORTEST.units), items: Math.max(items, SHORTEST.items) }
    const cut = cutValue(structure, bounds)
    if (isWithinSize(cut, limit) || (units <= SHORTEST.units && items <= SHORTEST.items)) return cut
  }
}

function cutValue(value: unknown, bounds: typeof SHORTEST): unknown {
  if (typeof value === 'string') return beginning(value, bounds.units)
  if (Array.isArray(value)) return value.slice(0, bounds.items).map((item) => cutValue(item, bounds))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutValue(member, bounds)]))
}

/** Never half of a surrogate pair at its end. */
function beginning(text: string, units: number): string {
  if (text.length <= units) return text
  const cut = text.slice(0, units)
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1)
}
