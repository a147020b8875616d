/** Parameters of requests, checked here: what the library makes of wrong ones is no error that says what to do. */
import { ProtocolError, ProtocolErrorCode, type StandardSchemaV1 } from '@modelcontextprotocol/server'

/** Parameters as they were sent. */
export type SentParams = { readonly [name: string]: unknown }

/** Takes all of them. */
export const anyParams: { readonly params: StandardSchemaV1<SentParams, SentParams> } = {
  params: { '~standard': { version: 1, vendor: 'filewright', validate: (value) => ({ value: value as SentParams }) } },
}

/** A text, or undefined where it is not given. Throws -32602 for anything else. */
export function textParam(params: SentParams, name: string): string | undefined {
  const value = params[name]
  if (value === undefined || typeof value === 'string') return value
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} must be a text.`)
}

/** A text that must be there. Throws -32602. */
export function requiredText(params: SentParams, name: string): string {
  const value = textParam(params, name)
  if (value === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} is missing.`)
  return value
}

/** For lists that have one page: whatever cursor comes, none was given out. Throws -32602. */
export function refuseCursor(params: SentParams): void {
  if (textParam(params, 'cursor') !== undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The list has one page: ask for it without a cursor.')
  }
}
