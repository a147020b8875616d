/** What a profile is: tools with names and shapes, and how their answers are told, as data and pure functions (contract W-1). */
import type { FilewrightError } from '../core/errors.ts'
import type { Path } from '../core/path.ts'
import type { JournalRecord } from '../core/record.ts'
import type { JsonSchema } from '../tools/json_schema.ts'
import type { Receipt, Tool, ToolFacts } from '../tools/tool.ts'

/** What stands beside the text of an answer. `data` is base64; a path is as {@link Finished.display} gives it. */
export type Attachment =
  | { readonly type: 'image' | 'audio'; readonly mimeType: string; readonly data: string }
  /** Bytes of a file that is neither. */
  | { readonly type: 'file'; readonly path: string; readonly mimeType: string; readonly data: string }
  /** A file, or (without a path) the change that the call made, of which the answer shows a part only. */
  | { readonly type: 'link'; readonly path?: string }

/** A structured result, and the text beside it. */
export interface Rendered {
  readonly result: { readonly [key: string]: unknown }
  readonly text: string
  readonly attachments?: readonly Attachment[]
}

/** A finished call, to be rendered. On failure the result holds the tool's empty fields and `error`. */
export interface Finished {
  /** The arguments as they were sent. */
  readonly sent: unknown
  readonly result: { readonly [key: string]: unknown }
  readonly error: FilewrightError | null
  /** What was committed; null for reads, dry runs, refusals, and writes that changed nothing. */
  readonly receipt: Receipt | null
  /** The record of what the call changed; of a command, of what changed while it ran. */
  readonly record?: JournalRecord | null
  readonly disabled: Disabled
  /** A call that would have succeeded, found among {@link BoundTool.corrections}; null when there is none. */
  readonly correction: object | null
  /** The absolute output path in the workspace's own notation. */
  display(path: Path): string
}

/** The call that a call of a profile's tool stands for. */
export interface Routed {
  readonly tool: Tool
  /** Its arguments, unchecked. */
  readonly args: unknown
}

/** What the operator took away. */
export type Disabled = (operationOrTool: string) => boolean

/** One tool of a profile. */
export interface BoundTool {
  /** As it is listed. */
  readonly tool: ToolFacts
  /** It asks for approvals unless the operator says otherwise (contract W-7). */
  readonly hub?: true
  /** The text of its answers holds what the structure does not: where only the structure is sent, the text goes with it. */
  readonly textual?: true
  /** The arguments as lists for models tell them; default: the whole schema of {@link tool}. */
  inputSchema?(): JsonSchema
  /** The published schema of a rendered result, success or failure; null when only the text is meant for clients. */
  readonly outputSchema: (() => JsonSchema) | null
  /** What is to be done. Throws {@link FilewrightError} for a call that stands for nothing. */
  route(sent: unknown, disabled: Disabled): Routed
  /** Calls that may be what the caller of a failed one meant, the likeliest first. The workspace tries which of them would succeed. */
  corrections?(finished: Omit<Finished, 'correction'>): Iterable<object>
  /** The answer as the caller expects it. Reads no files. */
  render(finished: Finished): Rendered
}

/** A named set of tools. */
export interface Profile {
  readonly name: string
  /** For whom it is, in a few words. */
  readonly title: string
  /** Whether changes of ignored and sensitive files are refused unless the call asks for them (contract 1.7). */
  readonly guarded: boolean
  /** In the order in which they are listed. */
  readonly tools: readonly BoundTool[]
}
