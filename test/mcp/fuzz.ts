/** Throws broken frames at a server and checks each time: protocol and nothing else comes out, an answer each, and it lives. */
import { expect } from 'vitest'
import { createRandom, expectedFor, frameOf, OPENINGS } from './frames.ts'

/** A server at the other end of two pipes. */
export interface Wire {
  write(bytes: Uint8Array): void
  /** All that came out until now. */
  read(): string
}

interface Answer {
  readonly jsonrpc: string
  readonly id?: string | number
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** How long an answer may take on a busy machine. */
const PATIENCE_MS = 60_000

const line = (value: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`)

/** Opens a connection of the kind that the seed says, and sends `frames` broken ones. */
export async function fuzz(wire: Wire, seed: number, frames: number): Promise<void> {
  const random = createRandom(seed)
  /** What came out is looked at once. */
  let seen = 0
  function next(): Answer[] {
    const output = wire.read()
    const fresh = answersOf(output.slice(seen))
    seen = output.length
    return fresh
  }
  for (const message of OPENINGS[seed % OPENINGS.length] as readonly object[]) wire.write(line(message))
  for (let i = 0; i < frames; i++) {
    const frame = frameOf(random, `${seed}-${i}`)
    const probe = `probe-${seed}-${i}`
    const answers: Answer[] = []
    wire.write(frame)
    wire.write(new Uint8Array([0x0a]))
    wire.write(line({ jsonrpc: '2.0', id: probe, method: 'ping' }))
    const { ids, anonymous } = expectedFor(frame)
    const said = `seed ${seed}, frame ${i}: ${new TextDecoder().decode(frame.subarray(0, 500))}`
    await until(() => {
      answers.push(...next())
      const missing = [...ids, probe].filter((id) => !answers.some((answer) => answer.id === id))
      const unnamed = answers.filter((answer) => answer.id === undefined && answer.error).length
      return missing.length === 0 && unnamed >= anonymous
    }, said)
    for (const answer of answers) expect(answer.id === undefined || [...ids, probe, 'open'].includes(answer.id), said).toBe(true)
  }
}

/** Every line is a message of the protocol. */
function answersOf(output: string): Answer[] {
  expect(output === '' || output.endsWith('\n')).toBe(true)
  const answers: Answer[] = []
  for (const text of output.split('\n')) {
    if (text === '') continue
    const answer = JSON.parse(text) as Answer
    expect(answer.jsonrpc).toBe('2.0')
    expect(Number('method' in answer) + Number('result' in answer) + Number('error' in answer)).toBe(1)
    if (answer.error) expect(Number.isInteger(answer.error.code) && typeof answer.error.message === 'string', text).toBe(true)
    // Notifications are no answers.
    if (answer.method === undefined) answers.push(answer)
  }
  return answers
}

async function until(done: () => boolean, said: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!done()) {
    if (Date.now() > end) throw new Error(`No answer: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
