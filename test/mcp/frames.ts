/** Frames as no client should send them: whole messages of both eras, broken in seeded ways. */

/** A source of numbers that is the same in every run. */
export type Random = (below: number) => number

/** Numbers from a seed (xorshift). */
export function createRandom(seed: number): Random {
  let state = (seed * 2654435761) >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
}

/** What opens a connection: nothing, `initialize` of 2025, `server/discover` of 2026. */
export const OPENINGS: readonly (readonly object[])[] = [
  [],
  [
    {
      jsonrpc: '2.0',
      id: 'open',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ],
  [{ jsonrpc: '2.0', id: 'open', method: 'server/discover', params: { _meta: ENVELOPE } }],
]

const FILE = { file_path: 'a.txt' }

/** Messages that mean something. */
const MESSAGES: readonly { readonly method: string; readonly params?: object }[] = [
  { method: 'tools/list' },
  { method: 'tools/list', params: { cursor: 'x' } },
  { method: 'tools/call', params: { name: 'view_file', arguments: FILE } },
  { method: 'tools/call', params: { name: 'write_file', arguments: { ...FILE, content: 'ü\u0000🎉', force_overwrite: true } } },
  {
    method: 'tools/call',
    params: { name: 'file_ops_hub', arguments: { operation: 'delete_file', path: 'a.txt' }, _meta: { progressToken: 1 } },
  },
  { method: 'tools/call', params: { name: 'patch_file', arguments: { ...FILE, patches: [{ op: 'set', path: '/a', value: {} }] } } },
  { method: 'resources/list', params: {} },
  { method: 'resources/templates/list' },
  { method: 'resources/read', params: { uri: 'filewright:///files/a.txt?offset=0&length=1' } },
  { method: 'resources/read', params: { uri: 'filewright:///changes/last' } },
  { method: 'resources/subscribe', params: { uri: 'filewright:///files/a.txt' } },
  { method: 'resources/unsubscribe', params: { uri: 'filewright:///files/a.txt' } },
  { method: 'initialize', params: { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: {} } },
  { method: 'server/discover', params: { _meta: ENVELOPE } },
  { method: 'ping' },
  { method: 'logging/setLevel', params: { level: 'debug' } },
  { method: 'completion/complete', params: { ref: {}, argument: {} } },
  { method: 'prompts/get', params: { name: 'x' } },
  { method: 'roots/list' },
  { method: 'notifications/initialized' },
  { method: 'no/such/method' },
  { method: '' },
]

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  '\ud800',
  '__proto__',
  [],
  {},
  [[]],
  { constructor: 1 },
  'x'.repeat(5000),
  '../../etc/passwd',
]

/** One frame, which may hold line ends; `id` is the id of the message that it was made from. */
export function frameOf(random: Random, id: string): Uint8Array {
  const base = MESSAGES[random(MESSAGES.length)] as (typeof MESSAGES)[number]
  const message: Record<string, unknown> = structuredClone({ jsonrpc: '2.0', id, ...base })
  if (random(3) === 0) message.params = { ...(message.params as object), _meta: ENVELOPE }
  const times = random(3)
  for (let i = 0; i < times; i++) disturb(random, message)
  let bytes = new TextEncoder().encode(nested(random, JSON.stringify(random(12) === 0 ? [message, message] : message)))
  if (random(3) === 0) bytes = damage(random, bytes)
  return bytes
}

/** Puts something strange somewhere in a message. */
function disturb(random: Random, message: Record<string, unknown>): void {
  let at: Record<string, unknown> = message
  for (;;) {
    const keys = Object.keys(at)
    const key = keys[random(Math.max(1, keys.length))]
    const child = key === undefined ? undefined : at[key]
    if (typeof child === 'object' && child !== null && random(3) > 0) {
      at = child as Record<string, unknown>
      continue
    }
    const how = random(3)
    if (how === 0 && key !== undefined) delete at[key]
    else at[how === 1 && key !== undefined ? key : `extra${random(9)}`] = structuredClone(STRANGE[random(STRANGE.length)])
    return
  }
}

/** Now and then a value is put very deep. */
function nested(random: Random, text: string): string {
  if (random(25) !== 0) return text
  const depth = 10 ** (1 + random(5))
  return text.replace(/"(?:a\.txt|x)"/, () => '['.repeat(depth) + ']'.repeat(depth))
}

/** Breaks bytes: cut, flipped, doubled, no UTF-8, a line end in the middle. */
function damage(random: Random, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = random(bytes.length)
  switch (random(5)) {
    case 0:
      return bytes.slice(0, at)
    case 1:
      return bytes.with(at, random(256))
    case 2:
      return new Uint8Array([...bytes.subarray(0, 20_000), ...bytes.subarray(0, 20_000)])
    case 3:
      return bytes.with(at, 0xff)
    default:
      return new Uint8Array([...bytes.subarray(0, Math.min(at, 20_000)), 0x0a, ...bytes.subarray(at, at + 20_000)])
  }
}

/** What must come back for the lines of a frame: the ids of requests, and how many answers without one. */
export interface Expected {
  readonly ids: readonly (string | number)[]
  readonly anonymous: number
}

const LISTEN = 'subscriptions/listen'

/** Reads lines as the protocol does: requests are answered, notifications and answers are not, and for all else there is an error. */
export function expectedFor(frame: Uint8Array): Expected {
  const ids: (string | number)[] = []
  let anonymous = 0
  for (const line of split(frame)) {
    let value: unknown
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
      if (text.trim() === '') continue
      value = JSON.parse(text)
    } catch {
      anonymous++
      continue
    }
    const asking = (Array.isArray(value) ? value : [value]).flatMap(idOf)
    ids.push(...asking)
    if (asking.length === 0 && !isQuiet(value)) anonymous++
  }
  return { ids, anonymous }
}

function idOf(value: unknown): (string | number)[] {
  const { id, method } = Object(value) as { id?: unknown; method?: unknown }
  const known = typeof id === 'string' || Number.isSafeInteger(id)
  return known && method !== LISTEN && !isAnswer(value) ? [id as string | number] : []
}

/** Notifications, and answers to what was never asked. */
function isQuiet(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, method, params } = value as Record<string, unknown>
  const notifies =
    typeof method === 'string' &&
    !('id' in value) &&
    (params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params)))
  return jsonrpc === '2.0' && (notifies || isAnswer(value))
}

function isAnswer(value: unknown): boolean {
  const message = Object(value) as Record<string, unknown>
  return !('method' in message) && ('result' in message || 'error' in message)
}

function* split(frame: Uint8Array): Generator<Uint8Array> {
  let from = 0
  for (let at = frame.indexOf(0x0a); at >= 0; at = frame.indexOf(0x0a, from)) {
    yield frame.subarray(from, at)
    from = at + 1
  }
  yield frame.subarray(from)
}
