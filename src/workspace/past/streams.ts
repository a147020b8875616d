/** Between what is iterated and web streams, which not every platform iterates. */

/** The body as a stream; `onFailure` is told when it fails by itself. */
export function streamOf(body: AsyncIterable<Uint8Array>, onFailure: (error: unknown) => void): ReadableStream<Uint8Array> {
  const parts = body[Symbol.asyncIterator]()
  let canceled = false
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next().catch((error) => {
        if (!canceled) onFailure(error)
        throw error
      })
      if (canceled) return
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      canceled = true
      await parts.return?.()
    },
  })
}

/** The values of a stream; it is canceled when the reader leaves early. */
export async function* valuesOf<Value>(stream: ReadableStream<Value>): AsyncGenerator<Value> {
  const reader = stream.getReader()
  let ended = false
  try {
    for (;;) {
      const { value, done } = await reader.read()
      ended = done
      if (done) return
      yield value
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => {})
    reader.releaseLock()
  }
}
