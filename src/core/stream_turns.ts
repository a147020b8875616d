/** Hashes in WebAssembly: many streams that take turns in one engine. */

/** The engine that does the work, one stream at a time. */
export interface TurnEngine {
  init(): unknown
  update(bytes: Uint8Array): unknown
  save(): Uint8Array
  load(state: Uint8Array): unknown
}

/** One of the streams. */
export interface EngineTurn {
  update(bytes: Uint8Array): void
  /** Brings the engine to this stream's end, for `finish`, which takes its digest. */
  finish<Digest>(finish: () => Digest): Digest
}

/** The streams of one engine. */
export interface StreamTurns {
  /** Leaves the engine to `work`, which begins with `init` and ends with a digest. */
  alone<Digest>(work: () => Digest): Digest
  stream(): EngineTurn
}

/** Lets any number of streams share an engine: the state of the one that pauses is put aside. */
export function createStreamTurns(engine: TurnEngine): StreamTurns {
  let current: { saved: Uint8Array | null } | null = null

  function park(): void {
    if (current) current.saved = engine.save()
    current = null
  }

  return {
    alone(work) {
      park()
      return work()
    },
    stream() {
      const turn: { saved: Uint8Array | null } = { saved: null }
      function take(): void {
        if (current === turn) return
        park()
        if (turn.saved) engine.load(turn.saved)
        else engine.init()
        current = turn
      }
      return {
        update(bytes) {
          take()
          engine.update(bytes)
        },
        finish(digest) {
          take()
          current = null
          return digest()
        },
      }
    },
  }
}
