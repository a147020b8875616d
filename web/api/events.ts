/** Server-sent events over a plain request: the browser's own EventSource cannot send a token. */

const PAUSE_MS = 2000

/** Told of what happens in a workspace, whoever does it. */
export interface Watcher {
  /** There is a new record. */
  changed(sequence: number): void
  /** Requests for approval may be other ones than before; also after every time that the stream was cut off. */
  approvalsChanged(): void
}

/** Reads a stream of events until the signal, opening it again where it broke off. */
export async function readEvents(
  open: (headers: { readonly [name: string]: string }) => Promise<Response>,
  { changed, approvalsChanged }: Watcher,
  signal: AbortSignal,
): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    try {
      const response = await open(last === '' ? {} : { 'last-event-id': last })
      if (response.status === 401 || response.status === 404) return
      for await (const { id, event } of eventsIn(response)) {
        last = id
        if (event === 'change') changed(Number(id))
        else approvalsChanged()
      }
    } catch {
      // A broken connection is opened again below; an ended one ends the loop.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function* eventsIn(response: Response): AsyncGenerator<{ id: string; event: string }> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    text += value
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(fieldOf))
      text = text.slice(end + 2)
      const event = fields.get('event')
      if (event !== undefined) yield { id: fields.get('id') ?? '', event }
    }
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
}
