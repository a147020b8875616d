/** What a profile is: tools with names and shapes, and how their answers are told, as data and pure functions (contract W-1). */
import type { FilewrightError } from '../core/errors.ts'
import type { JsonSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'

/** A structured result, and the text beside it. */
export interface Rendered {
  readonly result: { readonly [key: string]: unknown }
  readonly text: string
}

/** A finished call, to be rendered. On failure the result holds the tool's empty fields and `error`. */
export interface Finished {
  readonly result: { readonly [key: string]: unknown }
  readonly error: FilewrightError | null
}

/** One tool of a profile, under the tool's own name. */
export interface BoundTool {
  readonly tool: Tool
  /** The published schema of a rendered result, success or failure; null when only the text is meant for clients. */
  readonly outputSchema: (() => JsonSchema) | null
  /** The tool's answer as the caller expects it. Reads no files. */
  render(finished: Finished): Rendered
}

/** A named set of tools. */
export interface Profile {
  readonly name: string
  readonly title: string
  /** Whether changes of ignored and sensitive files are refused unless the call asks for them (contract 1.7). */
  readonly guarded: boolean
  /** In the order in which they are listed. */
  readonly tools: readonly BoundTool[]
}
