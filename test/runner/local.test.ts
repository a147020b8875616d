/** Commands as processes of this machine: how they end, what is kept of their output, and that nothing of them is left. */
import { existsSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import type { Runner, RunOutcome, RunRequest } from '../../src/core/runner.ts'
import { createLocalRunner } from '../../src/runner/local.ts'
import { temporaryFolder } from '../tools/storages.ts'

const NEVER = new AbortController().signal

let root: string
let runner: Runner
beforeEach(() => {
  root = temporaryFolder()
  runner = createLocalRunner(root)
})

function run(argv: RunRequest['argv'], request: Partial<RunRequest> = {}, signal = NEVER): Promise<RunOutcome> {
  return runner.run({ argv, cwd: '' as Path, timeoutMs: 30_000, outputBytes: 1024 * 1024, ...request }, signal)
}

const sh = (script: string, request: Partial<RunRequest> = {}, signal = NEVER) => run(['sh', '-c', script], request, signal)
const text = ({ bytes }: RunOutcome['stdout']): string => new TextDecoder().decode(bytes)

/** Whether a process goes on living; one that is dead but not yet reaped does not. */
async function livesOn(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      process.kill(pid, 0)
      const { readFileSync } = await import('node:fs')
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return false
    } catch {
      return false
    }
    await sleep(20)
  }
  return true
}

describe('how a command ends', () => {
  it('tells output and exit code, and passes arguments on as they are', async () => {
    const outcome = await run(['printf', '[%s]', 'a b', '$HOME', '*', ''])
    expect(text(outcome.stdout)).toBe('[a b][$HOME][*][]')
    expect(outcome.end).toEqual({ reason: 'exited', code: 0 })
    const failed = await sh('echo oops >&2; exit 7')
    expect(text(failed.stderr)).toBe('oops\n')
    expect(failed.end).toEqual({ reason: 'exited', code: 7 })
  })

  it('tells the signal', async () => {
    expect((await sh('kill -9 $$')).end).toEqual({ reason: 'signal', signal: 9 })
    expect((await sh('kill -15 $$')).end).toEqual({ reason: 'signal', signal: 15 })
  })

  it('gives nothing to read, and the environment of this process', async () => {
    expect(text((await run(['cat'])).stdout)).toBe('')
    expect(text((await sh('printf %s "$PATH"')).stdout)).toBe(process.env.PATH)
  })

  it('starts in the directory', async () => {
    mkdirSync(join(root, 'sub'))
    expect(text((await run(['pwd', '-P'], { cwd: 'sub' as Path })).stdout)).toBe(`${join(root, 'sub')}\n`)
  })

  it('tells what cannot be started', async () => {
    writeFileSync(join(root, 'plain'), 'x', { mode: 0o644 })
    await expect(run(['no-such-program-anywhere'])).rejects.toMatchObject({ code: 'not_found' })
    await expect(run([''])).rejects.toMatchObject({ code: 'not_found' })
    await expect(run(['./plain/x'])).rejects.toMatchObject({ code: 'not_found' })
    await expect(run(['./plain'])).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(run(['true', 'x'.repeat(4 * 1024 * 1024)])).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(run(['true'], { cwd: 'gone' as Path })).rejects.toMatchObject({ code: 'not_directory' })
  })

  it('does not start where a link took the place of the directory', async () => {
    mkdirSync(join(root, 'sub'))
    rmdirSync(join(root, 'sub'))
    symlinkSync('/', join(root, 'sub'))
    await expect(run(['pwd'], { cwd: 'sub' as Path })).rejects.toMatchObject({ code: 'not_directory' })
  })
})

describe('output', () => {
  it('keeps the first bytes, and reads ten million more', async () => {
    const outcome = await sh(`head -c 10000000 /dev/zero | tr '\\0' A; head -c 10000000 /dev/zero | tr '\\0' B >&2`)
    expect(outcome.end).toEqual({ reason: 'exited', code: 0 })
    for (const [stream, byte] of [[outcome.stdout, 65] as const, [outcome.stderr, 66] as const]) {
      expect(stream.cut).toBe(true)
      expect(stream.bytes.length).toBe(1024 * 1024)
      expect(stream.bytes.every((one) => one === byte)).toBe(true)
    }
  })

  it('is not cut where it just fits', async () => {
    expect((await sh('printf 12345', { outputBytes: 5 })).stdout).toMatchObject({ cut: false })
    const cut = await sh('printf 123456', { outputBytes: 5 })
    expect([text(cut.stdout), cut.stdout.cut]).toEqual(['12345', true])
  })
})

describe('nothing of a command is left', () => {
  const STUBBORN: readonly (readonly [string, string])[] = [
    ['a child in the background', 'sleep 300 & echo $! > pid; sleep 300'],
    ['a grandchild', `sh -c 'sleep 300 & echo $! > pid; wait' & wait`],
    ['one that ignores hints', `trap '' TERM HUP INT; (trap '' TERM HUP INT; echo $$ > pid; sleep 300) & sleep 300; sleep 300`],
    ['one that was left to nobody', `(nohup sleep 300 > /dev/null 2>&1 & echo $! > pid) ; sleep 300`],
  ]

  async function pidOf(): Promise<number> {
    while (!existsSync(join(root, 'pid'))) await sleep(5)
    await sleep(20)
    const { readFileSync } = await import('node:fs')
    return Number(readFileSync(join(root, 'pid'), 'utf8'))
  }

  it.each(STUBBORN)('when its time is up: %s', async (_, script) => {
    const outcome = await sh(`printf partial; ${script}`, { timeoutMs: 400 })
    expect(outcome.end).toEqual({ reason: 'timeout' })
    expect(text(outcome.stdout)).toBe('partial')
    expect(await livesOn(await pidOf())).toBe(false)
  })

  it.each(STUBBORN)('when it is canceled: %s', async (_, script) => {
    const controller = new AbortController()
    const running = sh(script, {}, controller.signal)
    const pid = await pidOf()
    controller.abort()
    await expect(running).rejects.toMatchObject({ code: 'canceled' })
    expect(await livesOn(pid)).toBe(false)
  })

  it('when it ends: a child that holds its output does not hold it up', async () => {
    const outcome = await sh('sleep 300 & echo $! > pid; echo done')
    expect([text(outcome.stdout), outcome.end]).toEqual(['done\n', { reason: 'exited', code: 0 }])
    expect(await livesOn(await pidOf())).toBe(false)
  })

  it('when it ends: a child that holds nothing', async () => {
    await sh('sleep 300 > /dev/null 2>&1 & echo $! > pid')
    expect(await livesOn(await pidOf())).toBe(false)
  })

  it('does not start when it is canceled before', async () => {
    const aborted = AbortSignal.abort()
    await expect(sh('touch made', {}, aborted)).rejects.toMatchObject({ code: 'canceled' })
    expect(existsSync(join(root, 'made'))).toBe(false)
  })
})
