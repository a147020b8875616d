/** Adds a token to requests on their way: the suite and the inspector's plain requests have no way to send one. All else stays. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that listens. */
export interface TokenProxy {
  readonly url: string
  /** Host and port, which the server behind must answer to. */
  readonly host: string
  close(): Promise<void>
}

/** Starts one; `target` tells the server's address when a request comes. */
export async function startTokenProxy(target: () => string, token: string): Promise<TokenProxy> {
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(target())
    const { method, url, headers } = incoming
    const onward = request({
      hostname,
      port,
      method,
      path: url,
      headers: { ...headers, authorization: `Bearer ${token}` },
      setHost: false,
    })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/mcp`,
    host,
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
