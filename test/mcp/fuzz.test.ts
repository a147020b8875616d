/** Broken frames, at the transport in this process. FUZZ_SEEDS and FUZZ_FRAMES make it longer. */
import { PassThrough } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { expect, test } from 'vitest'
import { createStdioTransport } from '../../src/cli/stdio_transport.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { expectedFor } from './frames.ts'
import { fuzz } from './fuzz.ts'

const SEEDS = Number(process.env.FUZZ_SEEDS ?? 9)
const FRAMES = Number(process.env.FUZZ_FRAMES ?? 60)

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))('an answer each (seed %i)', { timeout: 120_000 }, async (seed) => {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  const server = serveStdio(createMcpFactory(workspace), { transport: createStdioTransport(input, output), onerror: () => {} })
  await fuzz({ write: (bytes) => input.write(bytes), read: () => written.slice(0, written.lastIndexOf('\n') + 1) }, seed, FRAMES)
  await server.close()
})

test('what is expected of frames', () => {
  const expected = (text: string): unknown => expectedFor(new TextEncoder().encode(text))
  expect(expected('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","method":"x"}')).toEqual({ ids: [1], anonymous: 0 })
  expect(expected('{"jsonrpc":"2.0","id":1,"result":{}}\n\n \nx')).toEqual({ ids: [], anonymous: 1 })
  expect(expected('[{"id":1,"method":"a"},{"id":"b","method":"a"}]\n[]\n{"jsonrpc":"2.0","id":null,"method":"a"}')).toEqual({
    ids: [1, 'b'],
    anonymous: 2,
  })
})
