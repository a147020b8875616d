/** The plain way to tell an answer: the tool's own result, with `error` exactly when the call failed (contract P-1). */
import type { Tool } from '../tools/tool.ts'
import type { Finished, Rendered } from './profile.ts'

/** The result as it is; the text is the tool's own, or the error. */
export function plainRendering({ result, error }: Finished, tool?: Tool): Rendered {
  return { result, text: error || !tool ? String(result.error) : tool.text(result) }
}
