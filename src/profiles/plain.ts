/** The plain way to bind a tool: a call of it stands for itself, and its answer is the tool's own result. */
import type { Tool } from '../tools/tool.ts'
import type { BoundTool, Finished, Rendered } from './profile.ts'

/** The route of a tool that is called under its own name, with its own arguments. */
export function itself(tool: Tool): BoundTool['route'] {
  return (sent) => ({ tool, args: sent })
}

/** An answer for those who take only the structure. */
export function structureAlone(
  { textual }: Pick<BoundTool, 'textual'>,
  { result, text }: Pick<Rendered, 'result' | 'text'>,
): Rendered['result'] {
  return textual ? { ...result, text } : result
}

/** The result as it is, with `error` exactly when the call failed (contract P-1); the text is the tool's own, or the error. */
export function plainRendering({ result, error }: Pick<Finished, 'result' | 'error'>, tool?: Tool): Rendered {
  return { result, text: error || !tool ? String(result.error) : tool.text(result) }
}
