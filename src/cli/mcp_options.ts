/** The operator's settings as options of an MCP server. */
import { realpath } from 'node:fs/promises'
import { FilewrightError } from '../core/errors.ts'
import type { McpOptions } from '../mcp/index.ts'
import type { Settings } from './settings.ts'

/** Below this, answers about what went wrong would be cut. */
const LEAST_RESULT = 64 * 1024

/** `local` is false for clients that may be on another machine, whose roots are paths of that. Throws `invalid_argument`. */
export function mcpOptions({ output, resultLimit, clientRoots }: Settings, local = true): McpOptions {
  if (resultLimit !== undefined && resultLimit < LEAST_RESULT) {
    throw new FilewrightError('invalid_argument', '--result-limit must be at least 64K.', { field: 'result-limit' })
  }
  return {
    roots: local ? (clientRoots ?? 'narrow') : 'ignore',
    realPath: (path) => realpath(path).catch(() => path),
    ...(output !== undefined && { output }),
    ...(resultLimit !== undefined && { resultSize: resultLimit }),
  }
}
