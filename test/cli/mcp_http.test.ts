/** `filewright mcp --http` as a process: real clients, the guards on the wire, and an orderly end. */
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectMcp, ERAS } from '../http/mcp_client.ts'
import { run, temporaryFolder } from './command.ts'
import { type RunningServer, startServer } from './mcp_server.ts'

const TOKEN = 'a-token-of-the-operator-that-is-long-enough'

async function serve(
  args: readonly string[] = ['--fs', 'memory', '--profile', 'fileops'],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningServer> {
  const server = await startServer(args, env)
  onTestFinished(async () => void (await server.stop('SIGKILL')))
  return server
}

/** The status of a plain request, with headers that `fetch` would not send. */
function statusOf(url: string, headers: { readonly [name: string]: string }, method = 'POST'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('filewright mcp --http', { timeout: 60_000 }, () => {
  test('serves clients of both eras on the printed address, and writes nothing to standard output', async () => {
    const { url, token, out, stop } = await serve()
    for (const era of ERAS) {
      const client = await connectMcp({ url, token, era })
      await client.callTool({ name: 'write_file', arguments: { file_path: `${era}.txt`, content: era } })
      const read = await client.callTool({ name: 'view_file', arguments: { file_path: `${era}.txt` } })
      expect(read.structuredContent).toMatchObject({ content: `   1\t${era}` })
      await client.close()
    }
    expect(await stop('SIGTERM')).toBe(0)
    expect(out.stdout).toBe('')
    expect(out.stderr).toMatch(/^Serving MCP at http:\/\/127\.0\.0\.1:[0-9]+\/mcp\nAuthorization: Bearer \S{43}\n$/)
  })

  test.each(ERAS)('asks the person at the client, as at a pipe (%s)', async (era) => {
    const { url, token } = await serve()
    const answer = () => ({ action: 'accept' as const, content: { decision: 'approve' } })
    const client = await connectMcp({ url, token, era, answer })
    const call = (operation: string, config: object = {}) =>
      client.callTool({ name: 'file_ops_hub', arguments: { operation, path: 'a.txt', config } })
    await call('write_file', { content: 'x' })
    expect(await call('delete_file')).toMatchObject({ isError: false })
    await client.close()
  })

  test('tells a client of the older era what changes, in its session', async () => {
    const { url, token } = await serve()
    const client = await connectMcp({ url, token, era: '2025' })
    const told: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
    const uri = 'filewright:///files/a.txt'
    await client.callTool({ name: 'write_file', arguments: { file_path: 'a.txt', content: 'x' } })
    await client.subscribeResource({ uri })
    const other = await connectMcp({ url, token, era: '2026' })
    await other.callTool({ name: 'write_file', arguments: { file_path: 'a.txt', content: 'y', force_overwrite: true } })
    await expect.poll(() => told, { timeout: 10_000 }).toEqual([uri])
    await Promise.all([client.close(), other.close()])
  })

  test('takes the token of the environment, and does not print it', async () => {
    const { url, out } = await serve(undefined, { FILEWRIGHT_TOKEN: TOKEN })
    const client = await connectMcp({ url, token: TOKEN, era: '2026' })
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
    expect(out.stderr).not.toContain(TOKEN)
  })

  test('answers its own names with its token, and nobody else', async () => {
    const { url, token } = await serve()
    const { port } = new URL(url)
    const authorization = `Bearer ${token}`
    // 415 is the endpoint's own answer: the guards are passed.
    expect(await statusOf(url, { authorization })).toBe(415)
    expect(await statusOf(url, { authorization, host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(415)
    expect(await statusOf(url, {})).toBe(401)
    expect(await statusOf(url, { authorization: 'Bearer x' })).toBe(401)
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1.nip.io:${port}`, `localhost.:${port}`]) {
      expect(await statusOf(url, { authorization, host })).toBe(403)
    }
    for (const origin of ['null', 'http://evil.example', `https://127.0.0.1:${port}`, 'http://localhost:1']) {
      expect(await statusOf(url, { authorization, origin })).toBe(403)
    }
    expect(await statusOf(url, { authorization }, 'GET')).toBe(405)
    expect(await statusOf(url.replace(/mcp$/, '.well-known/oauth-protected-resource'), {}, 'GET')).toBe(404)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('ends in order on %s while streams are open: exported, status 0', async (signal) => {
    const out = join(temporaryFolder(), 'out')
    const { url, token, stop } = await serve(['--fs', 'memory', '--profile', 'fileops', '--export', out])
    // The older era holds a stream open beside its calls.
    const client = await connectMcp({ url, token, era: '2025' })
    await client.callTool({ name: 'write_file', arguments: { file_path: 'a.txt', content: 'kept' } })
    expect(await stop(signal)).toBe(0)
    expect(readFileSync(join(out, 'a.txt'), 'utf8')).toBe('kept')
    await client.close()
  })

  test.each([
    ['a word', ['--http', 'here'], {}],
    ['a port that there is not', ['--http', '65536'], {}],
    ['every address without a token', ['--http', '0.0.0.0:0', '--http-hosts', 'a.example'], {}],
    ['every address without names', ['--http', '0.0.0.0:0'], { FILEWRIGHT_TOKEN: TOKEN }],
    ['another machine without a token', ['--http', 'host.example:8080'], {}],
    ['a short token', ['--http', '0'], { FILEWRIGHT_TOKEN: 'short' }],
    ['an empty token', ['--http', '0'], { FILEWRIGHT_TOKEN: '' }],
  ])('refuses %s, before it opens anything', async (_, args, env) => {
    const root = temporaryFolder()
    expect(await run(['mcp', '--root', root, ...args], { env })).toMatchObject({ status: 2, stdout: '' })
    expect(existsSync(join(root, '.filewright'))).toBe(false)
  })

  test('says when the port is taken', async () => {
    const { url } = await serve()
    const ended = await run(['mcp', '--fs', 'memory', '--http', new URL(url).port])
    expect(ended).toMatchObject({ status: 6, stdout: '' })
    expect(ended.stderr).toContain('EADDRINUSE')
  })
})
