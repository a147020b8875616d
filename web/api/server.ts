/** The way to a server: a token in the address is exchanged once, and the session's token is kept for this tab. */
import type { SessionAnswer } from '../../src/http/routes.ts'
import { json, type Transport } from './transport.ts'

const KEY = 'filewright.session'

/** The transport of this tab's session with the server that sent the page; null when there is none. */
export async function openServer(): Promise<Transport | null> {
  const once = new URLSearchParams(location.hash.slice(1)).get('token')
  if (once !== null) {
    // The token leaves the address, and with it the history, before anything else happens.
    history.replaceState(null, '', location.pathname)
    const body = JSON.stringify({ token: once })
    const answer = await json<SessionAnswer>(
      fetch('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    )
    sessionStorage.setItem(KEY, answer.token)
  }
  const token = sessionStorage.getItem(KEY)
  return token === null ? null : authorized(token)
}

function authorized(token: string): Transport {
  return async (path, { method = 'GET', headers = {}, body, signal } = {}) => {
    const response = await fetch(`/v1${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    if (response.status === 401) sessionStorage.removeItem(KEY)
    return response
  }
}
