/** Results that were too large for their answers, kept for a while so that they can be read in parts. */

/** One kept result. */
export interface KeptResult {
  readonly bytes: Uint8Array
  readonly type: string
}

/** Keeps results in memory. */
export interface ResultStore {
  /** The id under which it can be read, which nobody can guess: whoever has it was given it. Null for more bytes than are ever kept. */
  keep(result: KeptResult): string | null
  /** Undefined when there is none, or none any more. */
  get(id: string): KeptResult | undefined
}

/** Most results at once, most bytes of all together, and how long each is kept. */
export interface ResultLimits {
  readonly most: number
  readonly bytes: number
  readonly lifetimeMs: number
}

/** What a server keeps. */
export const RESULT_LIMITS: ResultLimits = { most: 32, bytes: 32 * 1024 * 1024, lifetimeMs: 10 * 60_000 }

/** The oldest make room for new ones. */
export function createResultStore(limits: ResultLimits = RESULT_LIMITS, now: () => number = Date.now): ResultStore {
  const kept = new Map<string, KeptResult & { readonly until: number }>()
  let total = 0

  function drop(id: string): void {
    total -= kept.get(id)?.bytes.length ?? 0
    kept.delete(id)
  }

  function dropOld(): void {
    for (const [id, { until }] of kept) {
      if (until > now() && kept.size <= limits.most && total <= limits.bytes) return
      drop(id)
    }
  }

  return {
    keep(result) {
      if (result.bytes.length > limits.bytes) return null
      const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
      kept.set(id, { ...result, until: now() + limits.lifetimeMs })
      total += result.bytes.length
      dropOld()
      // What nobody asks for is not held until somebody asks.
      unattended(setTimeout(dropOld, limits.lifetimeMs + 1))
      return id
    },
    get(id) {
      dropOld()
      return kept.get(id)
    },
  }
}

/** A timer that keeps no process alive. */
function unattended(timer: unknown): void {
  ;(timer as { unref?(): void }).unref?.()
}
