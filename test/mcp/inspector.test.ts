/** The official inspector, as its users run it: the strict listing of every profile on stdio, and calls over HTTP in both eras. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROFILE_NAMES, profileNamed } from '../../src/profiles/index.ts'
import { MAIN } from '../cli/command.ts'
import { type RunningServer, startServer } from '../cli/mcp_server.ts'

const INSPECTOR = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const LONG = 120_000

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'filewright-inspector-'))
  const root = join(home, 'root')
  mkdirSync(root)
  // With a runner or a repository, so that all tools are listed.
  const server = (profile: string) => ({
    command: process.execPath,
    args: [
      MAIN,
      'mcp',
      ...(profile === 'git' ? ['--fs', 'git', '--seed', root] : ['--root', root, '--runner', 'local']),
      '--profile',
      profile,
    ],
  })
  const mcpServers = Object.fromEntries(PROFILE_NAMES.map((name) => [name, server(name)]))
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers }))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs its command line; it keeps its own files in a home of its own. */
function inspect(...args: readonly string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [INSPECTOR, '--cli', ...args], {
    env: { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' },
  })
  const out = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => {
    out.stdout += text
  })
  child.stderr.on('data', (text) => {
    out.stderr += text
  })
  child.stdin.end()
  return new Promise((done) => child.on('close', (status) => done({ status, ...out })))
}

describe('the strict listing', () => {
  test.each(PROFILE_NAMES)('%s', { timeout: LONG }, async (profile) => {
    const asked = ['--config', join(home, 'servers.json'), '--server', profile, '--method', 'tools/list', '--strict', '--format', 'json']
    const { status, stdout, stderr } = await inspect(...asked)
    // A type with null is a list of types, of which it warns; an error would be status 6.
    expect({ status, errors: /^([0-9]+) errors?, .*$/m.exec(stderr)?.[1] ?? '0' }).toEqual({ status: 0, errors: '0' })
    const { tools } = JSON.parse(stdout).result ?? JSON.parse(stdout)
    expect(tools).toHaveLength((await profileNamed(profile)).tools.length)
  })
})

describe('over HTTP', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer(['--fs', 'memory', '--profile', 'fileops'])
  }, LONG)
  afterAll(async () => void (await server.stop('SIGTERM')))

  test.each(['legacy', 'modern'])('calls a tool, and tells of one that failed (%s)', { timeout: LONG }, async (era) => {
    const call = (...args: readonly string[]) =>
      inspect(
        server.url,
        '--transport',
        'http',
        '--protocol-era',
        era,
        '--header',
        `Authorization: Bearer ${server.token}`,
        '--method',
        'tools/call',
        ...args,
      )
    const written = await call('--tool-name', 'write_file', '--tool-arg', `file_path=${era}.txt`, 'content=one')
    expect(written).toMatchObject({ status: 0, stdout: expect.stringContaining(`${era}.txt`) })
    const failed = await call('--tool-name', 'view_file', '--tool-arg', 'file_path=none.txt')
    expect(failed.status).toBe(5)
  })
})
