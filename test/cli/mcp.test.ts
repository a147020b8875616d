/** `filewright mcp` as a process: real clients, a clean standard output, and an orderly end. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { MAIN, run, start, temporaryFolder } from './command.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const call = (id: number, name: string, args: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
const lines = (...messages: unknown[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('')

/** The messages of a standard output that holds nothing else. */
function messagesOf(stdout: string): { id?: number; result?: { structuredContent?: object; isError?: boolean }; error?: object }[] {
  expect(stdout.endsWith('\n')).toBe(true)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const message = JSON.parse(line)
      expect(message.jsonrpc).toBe('2.0')
      return message
    })
}

describe('filewright mcp', { timeout: 60_000 }, () => {
  test.each(['legacy', 'auto'] as const)('serves a client over its process (%s)', async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--profile', 'fileops', '--fs', 'memory'] }),
    )
    await client.callTool({ name: 'write_file', arguments: { file_path: 'a.txt', content: 'x' } })
    const result = await client.callTool({ name: 'view_file', arguments: { file_path: 'a.txt' } })
    expect(result.structuredContent).toMatchObject({ content: '   1\tx', file_path: '/a.txt' })
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28')
    await client.close()
  })

  test.each(['legacy', 'auto'] as const)('asks the person at the client, over its process (%s)', async (mode) => {
    const versionNegotiation = { mode }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation, capabilities: { elicitation: { form: {} } } })
    const forms: string[] = []
    const decisions = ['deny', 'approve']
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params.message)
      return { action: 'accept', content: { decision: String(decisions.shift()) } }
    })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--profile', 'fileops', '--fs', 'memory'] }),
    )
    for (const path of ['a.txt', 'b.txt']) {
      await client.callTool({ name: 'file_ops_hub', arguments: { operation: 'write_file', path, config: { content: path } } })
    }
    const remove = (path: string) => client.callTool({ name: 'file_ops_hub', arguments: { operation: 'delete_file', path } })
    expect(await remove('a.txt')).toMatchObject({ isError: true, structuredContent: { error_kind: 'approval_denied', terminal: true } })
    expect(await remove('b.txt')).toMatchObject({ isError: false, structuredContent: { workspace_delta: { deleted: ['b.txt'] } } })
    expect(forms).toEqual([expect.stringContaining('-a.txt'), expect.stringContaining('-b.txt')])
    await client.close()
  })

  test('finishes what is running when the input ends, then exports and exits', async () => {
    const folder = temporaryFolder()
    const [seed, out] = [join(folder, 'seed'), join(folder, 'out')]
    mkdirSync(join(seed, '.git'), { recursive: true })
    writeFileSync(join(seed, '.git/config'), '[core]\n')
    writeFileSync(join(seed, 'a.txt'), 'one\n')
    const writes = Array.from({ length: 20 }, (_, i) => call(i + 1, 'write_file', { file_path: `n/${i}.txt`, content: `${i}` }))
    const ended = await run(['mcp', '--profile', 'fileops', '--fs', 'memory', '--seed', seed, '--export', out], {
      input: lines(INITIALIZE, ...writes),
    })
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    expect(messagesOf(ended.stdout).map((message) => message.id)).toEqual(Array.from({ length: 21 }, (_, i) => i))
    for (let i = 0; i < 20; i++) expect(readFileSync(join(out, `n/${i}.txt`), 'utf8')).toBe(`${i}`)
    expect(readFileSync(join(out, 'a.txt'), 'utf8')).toBe('one\n')
    expect(readFileSync(join(out, '.git/config'), 'utf8')).toBe('[core]\n')
  })

  test('writes nothing but protocol to standard output, whatever it is sent', async () => {
    const root = temporaryFolder()
    const input = [
      '{not json\n',
      '[]\n',
      '\u0000\u0001\n',
      lines({ jsonrpc: '2.0', id: 'x' }),
      lines(INITIALIZE),
      lines(
        call(1, 'view_file', { file_path: 7 }),
        call(2, 'frobnicate', {}),
        call(3, 'view_file', { file_path: 'a\u0000b' }),
        call(4, 'edit_file', { file_path: 'none', replacements: '[' }),
        { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 7 } },
        { jsonrpc: '2.0', id: 6, method: 'no/such' },
        { jsonrpc: '2.0', method: 'notifications/frob' },
        { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { cursor: 5 } },
      ),
    ].join('')
    const ended = await run(['mcp', '--profile', 'fileops', '--root', root], { input })
    expect(ended.status).toBe(0)
    const byId = new Map(messagesOf(ended.stdout).map((message) => [message.id, message]))
    expect(byId.get(1)).toMatchObject({ result: { isError: true } })
    expect(byId.get(2)).toMatchObject({ error: { code: -32602 } })
    expect(byId.get(3)).toMatchObject({ result: { isError: true } })
    expect(byId.get(4)).toMatchObject({ result: { isError: true } })
    expect(byId.get(5)).toHaveProperty('error.code')
    expect(byId.get(6)).toMatchObject({ error: { code: -32601 } })
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('ends in order on %s: exported, status 0', async (signal) => {
    const out = join(temporaryFolder(), 'out')
    const child = start(['mcp', '--profile', 'fileops', '--fs', 'memory', '--export', out])
    let stdout = ''
    child.stdout.on('data', (text) => {
      stdout += text
    })
    child.stdin.write(lines(INITIALIZE, call(1, 'write_file', { file_path: 'a.txt', content: 'kept' })))
    await expect.poll(() => stdout, { timeout: 20_000 }).toContain('"id":1')
    child.kill(signal)
    expect(await new Promise((resolve) => child.on('close', (status) => resolve(status)))).toBe(0)
    expect(readFileSync(join(out, 'a.txt'), 'utf8')).toBe('kept')
  })

  test('refuses to start rather than to lose work: an export folder with files, a seed over files', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mine.txt'), 'x')
    const exporting = await run(['mcp', '--fs', 'memory', '--export', folder])
    expect(exporting).toMatchObject({ status: 5, stdout: '' })
    const db = join(temporaryFolder(), 'w.sqlite')
    await run(['import', folder, '--fs', 'sqlite', '--db', db])
    const seeding = await run(['mcp', '--fs', 'sqlite', '--db', db, '--seed', folder])
    expect(seeding).toMatchObject({ status: 5, stdout: '' })
    expect(existsSync(join(folder, '.filewright'))).toBe(false)
  })
})
