/** What an interface of models is to the tools: how one is told, how a call of it is read, and how its answer is given. */
import type { ListedTool } from '../profiles/listed.ts'
import type { Attachment } from '../profiles/profile.ts'
import { fromBase64 } from '../text/base64.ts'
import { decodeLossy, isUtf8 } from '../text/utf8.ts'
import { counted } from '../tools/counted.ts'
import type { JsonSchema } from '../tools/json_schema.ts'
import type { CallResult } from '../workspace/workspace.ts'

/** How tools are told. */
export interface DefinitionOptions {
  /**
   * OpenAI's strict mode, in which a call cannot but fit the schema. A tool whose schema cannot say all that it takes in that mode
   * (free values, members that may be left out of a nested object) is told with `strict: false` and its whole schema.
   * Default false. Other formats pay no heed.
   */
  readonly strict?: boolean
}

/** A call as the model made it. */
export interface ModelCall {
  /** As it was listed, or as it is documented. */
  readonly name: string
  /** An object, or its JSON text. */
  readonly args: unknown
}

/** One interface of models. */
export interface ToolFormat<Definition, Call, Answer> {
  define(tool: ListedTool, options: DefinitionOptions): Definition
  read(call: Call): ModelCall
  answer(call: Call, outcome: CallResult): Answer
}

/** A schema as these interfaces take it: they know the dialect already. */
export function bareSchema({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** What stands beside a text and is sent in whole. */
export type Enclosure = Exclude<Attachment, { readonly type: 'link' }>

/**
 * The text of an answer, and the parts that go with it. `hold` makes a part, or null of what the format has none for: a text file is
 * shown in the text then, and anything else is named there.
 */
export function partsOf<Part>(
  { text, attachments = [] }: CallResult,
  hold: (enclosure: Enclosure) => Part | null,
): { readonly text: string; readonly parts: Part[] } {
  const parts: Part[] = []
  const lines = text === '' ? [] : [text]
  for (const attachment of attachments) {
    // A link is for clients that can follow it; the text names what it leads to.
    if (attachment.type === 'link') continue
    const part = hold(attachment)
    if (part === null) lines.push(toldInText(attachment))
    else parts.push(part)
  }
  return { text: lines.join('\n'), parts }
}

function toldInText({ mimeType, data }: Enclosure): string {
  const bytes = fromBase64(data) ?? new Uint8Array()
  if (mimeType.startsWith('text/') && isUtf8(bytes)) return decodeLossy(bytes).text
  return `[${mimeType}, ${counted(bytes.length, 'byte')}: it cannot be shown here]`
}

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Whether it is an image of a type that model interfaces take. */
export function isImage({ type, mimeType }: Enclosure): boolean {
  return type === 'image' && IMAGES.has(mimeType)
}

/** Whether it is a PDF document. */
export function isPdf({ mimeType }: Enclosure): boolean {
  return mimeType === 'application/pdf'
}

/** An enclosure as a data URL. */
export function dataUrl({ mimeType, data }: Enclosure): string {
  return `data:${mimeType};base64,${data}`
}

/** The name of an enclosed file, without its directories; `fallback` for what has none. */
export function fileName(enclosure: Enclosure, fallback: string): string {
  return (enclosure.type === 'file' && enclosure.path.split('/').at(-1)) || fallback
}
