/** What a profile is: names and shapes for the tools below it, as data and two pure functions a tool (contract W-1). */
import type { FilewrightError } from '../core/errors.ts'
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

/** One tool under the name of a profile. */
export interface BoundTool {
  /** The documented name. */
  readonly name: string
  readonly tool: Tool
  /** The caller's arguments as the tool takes them; absent when they are the same. Reads no files. */
  readonly input?: (args: unknown) => unknown
  /** The tool's answer as the caller expects it. Reads no files. */
  render(finished: Finished): Rendered
}

/** A named set of tools. */
export interface Profile {
  readonly name: string
  readonly title: string
  /** In the order in which they are listed. */
  readonly tools: readonly BoundTool[]
}
