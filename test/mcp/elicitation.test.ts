/** Calls that need approval, asked of the person at a real client, in both protocol eras. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { type Answer, connect, connectHttp, ERAS } from './connection.ts'

let workspace: Workspace
/** The forms that were shown. */
let forms: string[]

const remove = { name: 'delete_file', arguments: { file_path: 'a.txt' } }
const approve: Answer = () => ({ action: 'accept', content: { decision: 'approve' } })
/** Answers forms, and remembers them. */
const shown =
  (answer: Answer): Answer =>
  (form) => {
    forms.push(form.message)
    return answer(form)
  }
const exists = async (path: string): Promise<boolean> => (await workspace.call('file_info', { path })).result.exists === true

beforeEach(async () => {
  workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs(), settings: { approval: 'risky' }, subject: 'agent' })
  await workspace.call('write_file', { file_path: 'a.txt', content: 'one\nt\u202ewo\n' })
  forms = []
})

describe.each(ERAS)('a client of %s', (era) => {
  test('shows the exact change; approved, the call runs once', async () => {
    const client = await connect(createMcpFactory(workspace), era, shown(approve))
    expect(await client.callTool(remove)).toMatchObject({ isError: false, structuredContent: { deleted: true } })
    expect(forms).toHaveLength(1)
    expect(forms[0]).toContain('agent asks to run delete_file')
    expect(forms[0]).toContain('-one\n-t⟦U+202E⟧wo')
    expect(forms[0]).toContain('BEWARE: Hidden or reordering characters: U+202E.')
    expect(await exists('a.txt')).toBe(false)
    const [entry] = await workspace.log({ limit: 1 })
    expect(await workspace.approvals.list()).toMatchObject([{ id: entry?.record.approval, status: 'spent', decidedBy: 'client' }])
    await workspace.undo('last')
    await client.callTool(remove)
    expect(forms).toHaveLength(2)
  })

  test('denied, or declined: approval_denied, without another form', async () => {
    for (const answer of [{ action: 'accept', content: { decision: 'deny' } }, { action: 'decline' }] as const) {
      await workspace.call('write_file', { file_path: `${answer.action}.txt`, content: 'x' })
      const call = { name: 'delete_file', arguments: { file_path: `${answer.action}.txt` } }
      const client = await connect(
        createMcpFactory(workspace),
        era,
        shown(() => answer),
      )
      for (let i = 0; i < 2; i++) {
        expect(await client.callTool(call)).toMatchObject({
          isError: true,
          structuredContent: { error: expect.stringMatching(/^approval_denied/) },
        })
      }
      expect(await exists(`${answer.action}.txt`)).toBe(true)
    }
    expect(forms).toHaveLength(2)
  })

  test('canceled, or answered with anything else: it still waits', async () => {
    for (const answer of [{ action: 'cancel' }, { action: 'accept', content: { decision: 'yes' } }, { action: 'accept' }] as const) {
      const client = await connect(
        createMcpFactory(workspace),
        era,
        shown(() => answer),
      )
      const result = await client.callTool(remove).catch((error) => ({ isError: true, structuredContent: { error: String(error) } }))
      expect(result.isError).toBe(true)
      expect(await workspace.approvals.list()).toMatchObject([{ status: 'pending' }])
    }
    expect(await exists('a.txt')).toBe(true)
  })

  test('a client that shows no forms is told of the request that waits', async () => {
    const client = await connect(createMcpFactory(workspace), era)
    const result = await client.callTool(remove)
    const [request] = await workspace.approvals.list()
    expect(result).toMatchObject({ isError: true, structuredContent: { approval_id: request?.id } })
    await workspace.approvals.grant(String(request?.id), { by: 'a person' })
    expect(await client.callTool(remove)).toMatchObject({ isError: false })
  })

  test('a file that changes while the person thinks makes the approval stale', async () => {
    const change: Answer = async (form) => {
      const other = await openWorkspace({ profile: 'fileops', fs: workspace.fs })
      await other.call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'one', new_content: 'ONE' }] })
      return approve(form)
    }
    const client = await connect(createMcpFactory(workspace), era, shown(change))
    expect(await client.callTool(remove)).toMatchObject({
      isError: true,
      structuredContent: { error: expect.stringMatching(/^approval_stale/) },
    })
    expect(await exists('a.txt')).toBe(true)
  })

  test('other calls go on while a person thinks', async () => {
    const thinking = Promise.withResolvers<void>()
    const client = await connect(
      createMcpFactory(workspace),
      era,
      shown(async (form) => {
        await thinking.promise
        return approve(form)
      }),
    )
    const waiting = client.callTool(remove)
    await expect.poll(() => forms.length).toBe(1)
    expect(await client.callTool({ name: 'write_file', arguments: { file_path: 'b.txt', content: 'x' } })).toMatchObject({ isError: false })
    thinking.resolve()
    expect(await waiting).toMatchObject({ isError: false })
  })

  test('a subject that approves for itself is refused', async () => {
    const client = await connect(createMcpFactory(workspace, { subject: 'client' }), era, shown(approve))
    expect(await client.callTool(remove)).toMatchObject({
      isError: true,
      structuredContent: { error: expect.stringMatching(/^approval_required/) },
    })
  })
})

test('over HTTP the newer era asks; the older one has no way to, and is told what waits', async () => {
  const factory = createMcpFactory(workspace)
  const old = await connectHttp(factory, '2025', shown(approve))
  expect(await old.callTool(remove)).toMatchObject({ isError: true, structuredContent: { approval_id: expect.any(String) } })
  const modern = await connectHttp(factory, '2026', shown(approve))
  expect(await modern.callTool(remove)).toMatchObject({ isError: false })
  expect(forms).toHaveLength(1)
})

test('a state that was changed, made by another server, or belongs to another call approves nothing', async () => {
  await workspace.call('write_file', { file_path: 'b.txt', content: 'x' })
  const [factory, other] = [createMcpFactory(workspace), createMcpFactory(workspace)]
  const send = async (by: typeof factory, params: object) => {
    const { createMcpHandler } = await import('@modelcontextprotocol/server')
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    }
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'delete_file',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } }),
    })
    const text = await (await createMcpHandler(by).fetch(request)).text()
    return JSON.parse(text.replace(/^(event: .*\n)?data: /, '').trim())
  }
  const first = await send(factory, remove)
  expect(first.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  const { requestState } = first.result
  const inputResponses = { approval: { action: 'accept', content: { decision: 'approve' } } }
  const changed = `${requestState.slice(0, -3)}AAA`
  for (const [by, state] of [
    [factory, changed],
    [other, requestState],
    [factory, 'x'],
  ] as const) {
    expect(await send(by, { ...remove, inputResponses, requestState: state })).toMatchObject({ error: { code: -32602 } })
  }
  const elsewhere = { name: 'delete_file', arguments: { file_path: 'b.txt' } }
  expect((await send(factory, { ...elsewhere, inputResponses, requestState })).result).toMatchObject({ isError: true })
  expect((await workspace.approvals.list()).every(({ status }) => status === 'pending')).toBe(true)
  expect((await send(factory, { ...remove, inputResponses })).result.resultType).toBe('input_required')
  expect((await send(factory, { ...remove, inputResponses, requestState })).result).toMatchObject({ isError: false })
  // Sent again, it finds nothing to approve.
  await workspace.undo('last')
  expect((await send(factory, { ...remove, inputResponses, requestState })).result).toMatchObject({ isError: true })
  expect(await exists('a.txt')).toBe(true)
})
