/** Spares a server of the bundle most of the failing checks that the MCP SDK makes of every message. */
import type { Rolldown } from 'tsdown'

/** What a message of a kind must have, or must not have, whatever else its schema asks. */
const NEEDED = {
  isJSONRPCRequest: `'method' in value && 'id' in value`,
  isJSONRPCNotification: `'method' in value && !('id' in value)`,
  isJSONRPCResultResponse: `'result' in value`,
  isJSONRPCErrorResponse: `'error' in value`,
}

/**
 * The SDK tells kinds of messages apart by trying one schema after another. A schema that fails makes an object that keeps the message
 * in memory until the next full collection, which costs a small call a fifth of its time. So a schema is only asked when it can fit:
 * the answers stay the same. Throws when the SDK does not look as expected any more.
 */
export function quickGuards(): Rolldown.Plugin {
  const missing = new Set(Object.keys(NEEDED))
  return {
    name: 'quick-guards',
    transform(code, id) {
      if (!id.includes('/@modelcontextprotocol/server/dist/')) return null
      let changed = code
      for (const [guard, needed] of Object.entries(NEEDED)) {
        const head = `const ${guard} = (value) => `
        if (!code.includes(head)) continue
        missing.delete(guard)
        changed = changed.replace(head, `${head}typeof value === 'object' && value !== null && ${needed} && `)
      }
      return changed === code ? null : { code: changed, map: null }
    },
    buildEnd(error) {
      if (!error && missing.size > 0)
        throw new Error(`The MCP SDK has no ${[...missing].join(', ')} to speed up: look at .ci/quick_guards.ts.`)
    },
  }
}
