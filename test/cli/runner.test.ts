/** Commands through the command line: only where the operator says so, and none outlives the process. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { run, start, temporaryFolder } from './command.ts'

const FLAGS = ['--profile', 'fsproc', '--runner', 'local']
const SLOW = JSON.stringify({ command: `sh -c 'sleep 300 & echo $! > pid; wait'` })

async function pidIn(folder: string): Promise<number> {
  const file = join(folder, 'pid')
  while (!existsSync(file) || !readFileSync(file, 'utf8').endsWith('\n')) await sleep(10)
  return Number(readFileSync(file, 'utf8'))
}

/** Dead, or waiting to be reaped. */
function isDead(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true
  }
}

async function diesSoon(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && !isDead(pid); tries++) await sleep(20)
  return isDead(pid)
}

describe('--runner local', { timeout: 60_000 }, () => {
  test('runs a command in the folder, and its change is in the log', async () => {
    const root = temporaryFolder()
    const args = JSON.stringify({ command: `sh -c 'echo made > made.txt; pwd -P'` })
    const called = await run(['call', 'run_command', args, '--json', '--root', root, ...FLAGS])
    expect(called.status).toBe(0)
    expect(called.stdout).toContain(root.split('/').at(-1))
    const log = await run(['show', 'last', '--root', root])
    expect(log.stdout).toContain('made.txt')
    expect(log.stdout).toContain('While this ran: sh -c')
    expect((await run(['undo', '--root', root])).status).toBe(0)
    expect(existsSync(join(root, 'made.txt'))).toBe(false)
  })

  test('is what lists the tool', async () => {
    const root = temporaryFolder()
    const listed = async (flags: string[]) => (await run(['tools', '--root', root, '--profile', 'fsproc', ...flags])).stdout
    expect(await listed([])).not.toContain('run_command')
    expect(await listed(['--runner', 'local'])).toContain('run_command')
    const help = await run(['mcp', '--help'])
    expect(help.stdout.replace(/\s+/g, ' ')).toContain('No sandbox')
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a call with its command', async (signal) => {
    const root = temporaryFolder()
    const child = start(['call', 'run_command', SLOW, '--root', root, ...FLAGS])
    const ended = new Promise((resolve) => child.once('close', resolve))
    const pid = await pidIn(root)
    child.kill(signal)
    expect(await ended).toBe(6)
    expect(await diesSoon(pid)).toBe(true)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('%s ends a server with the commands of its calls', async (signal) => {
    const root = temporaryFolder()
    const child = start(['mcp', '--root', root, ...FLAGS])
    const ended = new Promise((resolve) => child.once('close', resolve))
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    const call = { name: 'run_command', arguments: JSON.parse(SLOW) }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })}\n`)
    const pid = await pidIn(root)
    child.kill(signal)
    await ended
    expect(await diesSoon(pid)).toBe(true)
  })
})
