/** Arguments that are no object: the protocol's schema refuses them, but a model that sends them needs an answer it can act on (contract W-5). */
import type { JSONRPCMessage, Server, ServerContext, Transport } from '@modelcontextprotocol/server'

/** Where they travel past the schema. No message can hold a member of this name. */
const SENT = Symbol('arguments')

/** Makes a server take any `arguments` in `tools/call`. Call it before the server is connected. */
export function acceptAnyArguments(server: Server): void {
  const connect = server.connect.bind(server)
  server.connect = async (transport: Transport) => {
    await connect(transport)
    const { onmessage } = transport
    transport.onmessage = (message, extra) => onmessage?.(passable(message), extra)
  }
}

/** The arguments as they were sent; `parsed` are those that the handler was given. */
export function sentArguments({ mcpReq }: ServerContext, parsed: unknown): unknown {
  const meta = mcpReq._meta as { readonly [SENT]?: readonly [unknown] } | undefined
  return meta?.[SENT] ? meta[SENT][0] : (parsed ?? {})
}

function passable<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('method' in message) || message.method !== 'tools/call' || !isObject(message.params)) return message
  const { arguments: sent, _meta: meta = {}, ...params } = message.params
  if (sent === undefined || isObject(sent) || !isObject(meta)) return message
  return { ...message, params: { ...params, arguments: {}, _meta: { ...meta, [SENT]: [sent] } } }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
