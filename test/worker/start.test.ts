/** `npm start`, as a process: it prints one address, serves, ends with all that it started, and comes back with the files still there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionAnswer, WorkspaceEntry, WorkspaceList } from '../../src/http/routes.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PROGRAM = join(ROOT, 'worker', 'start.mjs')
const LONG = 120_000

let state: string
let running: Run[]

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'filewright-start-'))
  running = []
})

afterEach(async () => {
  for (const run of running) await run.stop('SIGTERM')
  rmSync(state, { recursive: true, force: true })
}, LONG)

interface Run {
  readonly child: ChildProcess
  out: string
  err: string
  readonly exited: Promise<number | null>
  stop(signal: NodeJS.Signals): Promise<number | null>
}

const run = (...args: string[]): Run => runCommand(process.execPath, [PROGRAM, ...args])

function runCommand(command: string, args: readonly string[]): Run {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  const one: Run = { child, out: '', err: '', exited, stop }
  child.stdout?.on('data', (chunk) => {
    one.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    one.err += chunk
  })
  running.push(one)
  return one
}

interface Started {
  readonly run: Run
  readonly origin: string
  readonly token: string
}

/** Starts, and waits for the address. */
async function start(port: number, command = process.execPath, before: readonly string[] = [PROGRAM]): Promise<Started> {
  const one = runCommand(command, [...before, '--port', String(port), '--state', state])
  let over = false
  one.exited.then(() => {
    over = true
  })
  for (;;) {
    const found = /(http:\/\/127\.0\.0\.1:[0-9]+)\/#token=(\S+)\s/.exec(one.out)
    if (found) return { run: one, origin: found[1] as string, token: found[2] as string }
    if (over) throw new Error(`It ended without an address:\n${one.out}\n${one.err}`)
    await new Promise((wake) => setTimeout(wake, 50))
  }
}

async function occupiedPort(): Promise<{ server: Server; port: number }> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, port: (server.address() as { port: number }).port }
}

async function freePort(): Promise<number> {
  const { server, port } = await occupiedPort()
  await new Promise((done) => server.close(done))
  return port
}

/** Calls with a token; null leaves it out. */
const client = (origin: string, token: string | null) => (method: string, path: string, body?: string, type?: string) =>
  fetch(origin + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body }),
  })

async function session({ origin, token }: Started): Promise<string> {
  const answer = await client(origin, null)('POST', '/v1/session', JSON.stringify({ token }), 'application/json')
  expect(answer.status).toBe(201)
  return ((await answer.json()) as SessionAnswer).token
}

test('starts, serves, ends and comes back', { timeout: LONG }, async () => {
  const first = await start(await freePort())
  expect(first.run.out.match(/http/g)).toHaveLength(1)
  expect(first.run.err).toBe('')

  const page = await fetch(`${first.origin}/`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
  expect(await page.text()).toContain('<script')

  const token = await session(first)
  const again = await client(first.origin, null)('POST', '/v1/session', JSON.stringify({ token: first.token }), 'application/json')
  expect(again.status).toBe(401)
  expect((await client(first.origin, null)('GET', '/v1/workspaces')).status).toBe(401)

  const call = client(first.origin, token)
  const created = await call('POST', '/v1/workspaces', '{"name":"kept"}', 'application/json')
  const { id } = (await created.json()) as WorkspaceEntry
  expect((await call('PUT', `/v1/workspaces/${id}/files/a.txt`, 'still here')).status).toBe(201)
  expect(await first.run.stop('SIGINT')).toBe(0)
  await expect(fetch(first.origin)).rejects.toThrow()

  // The port is taken now, and the next free one is used.
  const taken = createServer()
  await new Promise<void>((done) => taken.listen(Number(new URL(first.origin).port), '127.0.0.1', done))
  const second = await start(Number(new URL(first.origin).port))
  taken.close()
  expect(second.run.err).toMatch(/^Port [0-9]+ is taken: using [0-9]+\.\n$/)
  expect(second.origin).not.toBe(first.origin)
  expect(second.token).not.toBe(first.token)

  expect((await client(second.origin, token)('GET', '/v1/workspaces')).status).toBe(401)
  const renewed = client(second.origin, await session(second))
  const { workspaces } = (await (await renewed('GET', '/v1/workspaces')).json()) as WorkspaceList
  expect(workspaces).toMatchObject([{ id, name: 'kept' }])
  expect(await (await renewed('GET', `/v1/workspaces/${id}/files/a.txt`)).text()).toBe('still here')
  expect(await second.run.stop('SIGTERM')).toBe(0)
  await expect(fetch(second.origin)).rejects.toThrow()
})

/** Waits until nothing answers there any more. */
async function untilGone(origin: string): Promise<void> {
  for (let waited = 0; ; waited += 100) {
    const answered = await fetch(origin).then(
      () => true,
      () => false,
    )
    if (!answered) break
    expect(waited).toBeLessThan(10_000)
    await new Promise((wake) => setTimeout(wake, 100))
  }
}

test('the server ends with the program that started it, also when that is killed', { timeout: LONG }, async () => {
  const { run: one, origin } = await start(await freePort())
  await one.stop('SIGKILL')
  await untilGone(origin)
})

test('it ends with the npm that runs it', { timeout: LONG }, async () => {
  const { run: one, origin } = await start(await freePort(), 'npm', ['start', '--'])
  await one.stop('SIGTERM')
  await untilGone(origin)
})

test('nothing but the worker answers, and no storage without a token', { timeout: LONG }, async () => {
  const { origin } = await start(await freePort())
  for (const path of [
    'explorer',
    'local/explorer',
    'local/explorer/api',
    'local/scheduled',
    'handler/scheduled',
    'mf/scheduled',
    'live-reload',
  ]) {
    expect((await fetch(`${origin}/cdn-cgi/${path}`)).status).toBe(404)
  }
})

test.each([[['--help']], [['--port', '8787', '--help']]])('%j explains and ends', async (args) => {
  const one = run(...args)
  expect(await one.exited).toBe(0)
  expect(one.out).toMatch(/^Usage: npm start/)
})

test.each([[['--port', 'x']], [['--port', '0']], [['--port', '65536']], [['--colour']], [['extra']]])('%j is refused', async (args) => {
  const one = run(...args)
  expect(await one.exited).toBe(1)
  expect(one.err).toMatch(/Usage: npm start/)
  expect(one.err).not.toMatch(/\.mjs|^ {4}at /m)
})
