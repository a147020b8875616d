/** A cache bounded in bytes, which several owners share: what was not used for longest goes first. */

interface Entry<Value> {
  readonly part: Map<number, Entry<Value>>
  readonly key: number
  readonly value: Value
  readonly size: number
  newer: Entry<Value> | null
  older: Entry<Value> | null
}

/** One owner's part of a cache; keys are its own. */
export interface CachePart<Value> {
  get(key: number): Value | undefined
  /** Keeps a value of `size` bytes. A value too large for the cache is not kept. */
  set(key: number, value: Value, size: number): void
  clear(): void
}

/** A cache in parts. */
export interface ByteCache<Value> {
  part(): CachePart<Value>
}

/** What an entry costs beside its bytes, roughly. */
const ENTRY_BYTES = 200

/** An empty cache of at most `maxBytes`. */
export function createByteCache<Value>(maxBytes: number): ByteCache<Value> {
  let [newest, oldest, held]: [Entry<Value> | null, Entry<Value> | null, number] = [null, null, 0]

  function unlink(entry: Entry<Value>): void {
    if (entry.newer) entry.newer.older = entry.older
    else newest = entry.older
    if (entry.older) entry.older.newer = entry.newer
    else oldest = entry.newer
  }

  function linkNewest(entry: Entry<Value>): void {
    entry.newer = null
    entry.older = newest
    if (newest) newest.newer = entry
    newest = entry
    oldest ??= entry
  }

  function drop(entry: Entry<Value>): void {
    unlink(entry)
    entry.part.delete(entry.key)
    held -= entry.size
  }

  return {
    part() {
      const part = new Map<number, Entry<Value>>()
      return {
        get(key) {
          const entry = part.get(key)
          if (entry === undefined) return undefined
          if (entry !== newest) {
            unlink(entry)
            linkNewest(entry)
          }
          return entry.value
        },
        set(key, value, bytes) {
          const size = bytes + ENTRY_BYTES
          const known = part.get(key)
          if (known) drop(known)
          if (size > maxBytes) return
          const entry: Entry<Value> = { part, key, value, size, newer: null, older: null }
          part.set(key, entry)
          linkNewest(entry)
          held += size
          while (held > maxBytes && oldest) drop(oldest)
        },
        clear() {
          for (const entry of [...part.values()]) drop(entry)
        },
      }
    },
  }
}
