/** Whether an answer to a form counts depends on who sends it, and not only on whom the form was made for. */
import { expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { callerOfRequest, createMcpEndpoint } from '../../src/mcp/endpoint.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'

const ACCEPTED = { approval: { action: 'accept', content: { decision: 'approve' } } }

test('somebody of the same name who may not approve cannot send the answer', async () => {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  await workspace.call('write_file', { file_path: 'a.txt', content: 'x' })
  const endpoint = createMcpEndpoint(createMcpFactory(workspace, { caller: callerOfRequest }), { bodyBytes: 1e6, streams: 4 })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'file_ops_hub',
  }
  const call = async (mayApprove: boolean, more: object = {}) => {
    const params = {
      name: 'file_ops_hub',
      arguments: { operation: 'delete_file', path: 'a.txt', config: {} },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      },
      ...more,
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body })
    const text = await (await endpoint.answer(request, { subject: 'ann', mayApprove })).text()
    return JSON.parse(text.replace(/^[\s\S]*?data: /, '')).result as { requestState?: string; isError?: boolean }
  }
  const { requestState } = await call(true)
  expect(requestState).toBeTypeOf('string')
  expect(await call(false, { inputResponses: ACCEPTED, requestState })).toMatchObject({ isError: true })
  expect(await call(true, { inputResponses: ACCEPTED, requestState })).toMatchObject({ isError: false })
  await endpoint.close()
})
