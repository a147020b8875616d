/** Arguments that are no object: the protocol's schema refuses them, but a model that sends them needs an answer it can act on (contract W-5). */
import type { JSONRPCMessage, Server, ServerContext, Transport } from '@modelcontextprotocol/server'

/** The arguments of a call as they were sent; `parsed` are those that its handler was given. */
export type SentArguments = (context: ServerContext, parsed: unknown) => unknown

/** Makes a server take any `arguments` in `tools/call`. Call it before the server is connected. */
export function acceptAnyArguments(server: Server): SentArguments {
  // They travel past the schema under a name that no client can know. Made when it is needed: randomness takes a library to load.
  let name = ''
  const nameThem = (): string => {
    name ||= `filewright/${crypto.randomUUID()}`
    return name
  }
  const connect = server.connect.bind(server)
  server.connect = async (transport: Transport) => {
    await connect(transport)
    const { onmessage } = transport
    transport.onmessage = (message, extra) => onmessage?.(passable(message, nameThem), extra)
  }
  return ({ mcpReq }, parsed) => {
    const meta: { readonly [key: string]: unknown } = mcpReq._meta ?? {}
    return name !== '' && name in meta ? meta[name] : (parsed ?? {})
  }
}

function passable<Message extends JSONRPCMessage>(message: Message, nameThem: () => string): Message {
  if (!('method' in message) || message.method !== 'tools/call' || !isObject(message.params)) return message
  const { arguments: sent, _meta: meta = {}, ...params } = message.params
  if (sent === undefined || isObject(sent) || !isObject(meta)) return message
  return { ...message, params: { ...params, arguments: {}, _meta: { ...meta, [nameThem()]: sent } } }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
