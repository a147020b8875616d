/** Requests as workerd takes them: what it does not know of a request, it refuses. */
import { expect, test } from 'vitest'
import { createTransport } from '../../../src/git/wire/transport.ts'

/** A remote that answers with what it was sent. */
const fetch = async (url: string, init: RequestInit): Promise<Response> => {
  const request = new Request(url, init)
  const service = /git-[a-z-]+$/.exec(url)?.[0]
  return new Response(await request.arrayBuffer(), { headers: { 'content-type': `application/x-${service}-result` } })
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<number[]> {
  const bytes: number[] = []
  for await (const piece of body) bytes.push(...piece)
  return bytes
}

test('a body of bytes, and one in pieces', async () => {
  const transport = createTransport('https://git.example.org/a', { fetch })
  expect(await bytesOf(await transport.ask('git-upload-pack', Uint8Array.of(1, 2), 'version=2'))).toEqual([1, 2])
  const pieces = (async function* () {
    yield Uint8Array.of(1)
    yield Uint8Array.of(2, 3)
  })()
  expect(await bytesOf(await transport.ask('git-receive-pack', pieces))).toEqual([1, 2, 3])
})
