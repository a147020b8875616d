/** A server on the loopback that takes requests as a model interface does, checks each, and answers by a script. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'

/** A running server. */
export interface ModelServer {
  readonly url: string
  /** The bodies that came, all of them sound. */
  readonly requests: readonly { readonly [member: string]: unknown }[]
  close(): Promise<void>
}

/** Answers the n-th request to `path` with the n-th of `answers`; a body that does not fit `schema` with status 400 and what is wrong. */
export async function modelServer(path: string, schema: object, answers: readonly object[]): Promise<ModelServer> {
  const check = new AjvJsonSchemaValidator().getValidator(schema as never)
  const requests: { readonly [member: string]: unknown }[] = []
  const server = createServer(async (request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const refuse = (message: string): void => send(400, { error: { type: 'invalid_request_error', message } })
    if (request.method !== 'POST' || request.url !== path) return refuse(`no such route: ${request.method} ${request.url}`)
    const body = JSON.parse(await bodyOf(request))
    const { valid, errorMessage } = check(body)
    if (!valid) return refuse(String(errorMessage))
    const answer = answers[requests.length]
    requests.push(body)
    return answer ? send(200, answer) : refuse('the script is at its end')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return body
}
