/** Commands in a workspace: what they change is recorded, other work goes on, and nobody runs one who may not. */
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { createLocalRunner } from '../../src/runner/local.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'
import { temporaryFolder } from './storages.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

async function open(settings: OperatorSettings = {}): Promise<Workspace> {
  const fs = await openNodeFs({ root, durability: 'process' })
  return openWorkspace({ fs, profile: 'fsproc', settings, subject: 'agent', runner: createLocalRunner(fs.traits.root) })
}

const command = (script: string) => ({ command: `sh -c '${script}'` })
const at = (name: string) => join(root, name)
const until = async (name: string) => {
  while (!existsSync(at(name))) await sleep(5)
}

describe('what a command changes', () => {
  it('is recorded, names the command, and can be undone, also in a folder without a journal', async () => {
    writeFileSync(at('old'), 'was here')
    const workspace = await open()
    const { error, changeId } = await workspace.call('run_command', command('echo made > made.txt; mkdir d; echo x > d/x'))
    expect(error).toBeNull()
    const [entry, ...others] = await workspace.log()
    expect(others).toEqual([])
    expect(entry?.record).toMatchObject({ id: changeId, kind: 'call', tool: 'run_command', subject: 'agent', count: 3 })
    expect(entry?.record.note).toBe("While this ran: sh -c 'echo made > made.txt; mkdir d; echo x > d/x'")
    await workspace.undo('last')
    expect([existsSync(at('made.txt')), existsSync(at('d')), existsSync(at('old'))]).toEqual([false, false, true])
    await workspace.verify()
    await workspace.close()
  })

  it('brings back what the journal held', async () => {
    const workspace = await open()
    await workspace.call('write_file', { file: 'a', content: 'one' })
    await workspace.call('write_file', { file: 'b', content: 'two' })
    await workspace.call('run_command', command('echo changed > a; rm b'))
    await workspace.undo('last')
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['one', 'two'])
    await workspace.close()
  })

  it('brings back what nobody had looked at before, and leaves what git ignores', async () => {
    writeFileSync(at('.gitignore'), '*.log\n')
    writeFileSync(at('x.log'), 'log')
    for (const name of ['edited', 'removed']) writeFileSync(at(name), `was ${name}`, { mode: 0o640 })
    mkdirSync(at('d'))
    symlinkSync('edited', at('d/link'))
    const workspace = await open()
    const { error } = await workspace.call('run_command', command('echo more >> edited; rm -r removed d'))
    expect(error).toBeNull()
    const { changes } = await workspace.show('last')
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['remove removed', 'remove d/link', 'remove d', 'write edited'])
    expect(changes.at(-1)?.diff).toContain('+was editedmore')
    await workspace.undo('last')
    expect([readFileSync(at('edited'), 'utf8'), readFileSync(at('removed'), 'utf8')]).toEqual(['was edited', 'was removed'])
    expect(lstatSync(at('removed')).mode & 0o777).toBe(0o640)
    expect(readlinkSync(at('d/link'))).toBe('edited')
    await workspace.verify()
    // Again, with what was staged the first time.
    await workspace.call('run_command', command('echo again > edited; echo changed > x.log'))
    await expect(workspace.undo('last')).rejects.toMatchObject({ code: 'unsupported' })
    await workspace.close()
    const reopened = await open()
    await reopened.call('run_command', command('echo third > edited'))
    await reopened.undo('last')
    expect(readFileSync(at('edited'), 'utf8')).toBe('again\n')
    await reopened.close()
  })

  it('is told apart from what others did before, and no record tells of nothing', async () => {
    const workspace = await open()
    await workspace.call('write_file', { file: 'a', content: 'one' })
    writeFileSync(at('a'), 'by hand')
    const told: string[] = []
    workspace.subscribe((event) => event.type === 'change' && told.push(event.record.kind))
    expect((await workspace.call('run_command', { command: 'true' })).changeId).toBeNull()
    expect(told).toEqual(['external'])
    expect((await workspace.log()).map(({ record }) => [record.kind, record.tool])).toEqual([
      ['external', 'external'],
      ['call', 'write_file'],
    ])
    await workspace.close()
  })

  it('is recorded when the command fails, or is canceled', async () => {
    const workspace = await open()
    const controller = new AbortController()
    const running = workspace.call('run_command', command('echo x > made; sleep 300'), { signal: controller.signal })
    await until('made')
    controller.abort()
    const { error, changeId } = await running
    expect(error?.code).toBe('canceled')
    expect((await workspace.log()).map(({ record }) => record.id)).toEqual([changeId])
    await workspace.close()
  })

  it('tells subscribers', async () => {
    const workspace = await open()
    const told: string[] = []
    workspace.subscribe((event) => event.type === 'change' && told.push(event.record.tool))
    await workspace.call('run_command', command('echo x > made'))
    expect(told).toEqual(['run_command'])
    await workspace.close()
  })
})

describe('beside other work', () => {
  it('writes go on while a command runs, and their records are their own', async () => {
    const workspace = await open()
    const running = workspace.call('run_command', command('echo x > started; while [ ! -e go ]; do sleep 0.01; done; echo y > ended'))
    await until('started')
    expect((await workspace.call('write_file', { file: 'go', content: 'now' })).error).toBeNull()
    expect((await running).error).toBeNull()
    const records = await workspace.log()
    expect(records.map(({ record }) => record.tool)).toEqual(['run_command', 'write_file'])
    const shown = await workspace.show('last')
    expect(shown.changes.map(({ path }) => path)).toEqual(['ended', 'started'])
    await workspace.close()
  })

  it('sees what was written before it was called', async () => {
    const workspace = await open()
    const [, ran] = await Promise.all([
      workspace.call('write_file', { file: 'a', content: 'one' }),
      workspace.call('run_command', { command: 'cat a' }),
    ])
    expect(ran.result).toMatchObject({ data: { stdout: 'one', exit_code: 0 } })
    await workspace.close()
  })

  it('two commands at once are both named', async () => {
    const workspace = await open()
    const first = workspace.call('run_command', command('echo x > first; while [ ! -e second ]; do sleep 0.01; done'))
    await until('first')
    const second = workspace.call('run_command', command('echo y > second; sleep 0.3'))
    await first
    const [entry] = await workspace.log()
    expect(entry?.record.note).toMatch(/^While this ran: .*> first.*; sh -c .*> second/)
    await second
    await workspace.close()
  })

  it('closing ends what runs', async () => {
    const workspace = await open()
    const running = workspace.call('run_command', command('echo $$ > pid; sleep 300'))
    await until('pid')
    await workspace.close()
    expect((await running).error?.code).toBe('canceled')
    expect(() => process.kill(Number(readFileSync(at('pid'), 'utf8')), 0)).toThrow()
  })
})

describe('who may run one', () => {
  it('nobody without a runner: it is not listed, and says what to do', async () => {
    const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'fsproc' })
    expect(workspace.tools().map(({ tool }) => tool.name)).not.toContain('run_command')
    const { error, result } = await workspace.call('run_command', { command: 'true' })
    expect(error?.code).toBe('unsupported')
    expect(result).toEqual({ success: false, error: expect.stringContaining('--runner local') })
  })

  it('nobody where it is disabled, or nothing may be changed', async () => {
    const disabled = await open({ disabled: ['run_command'] })
    expect(disabled.tools().map(({ tool }) => tool.name)).not.toContain('run_command')
    expect((await disabled.call('run_command', command('echo x > made'))).error?.code).toBe('unsupported')
    await disabled.close()
    const closed = await open({ readOnly: true })
    expect((await closed.call('run_command', command('echo x > made'))).error?.code).toBe('read_only')
    await closed.close()
    expect(existsSync(at('made'))).toBe(false)
  })

  it('with approvals, nothing runs before a person has seen the command and agreed, and then once', async () => {
    const workspace = await open({ approval: 'risky' })
    const call = () => workspace.call('run_command', command('echo x >> made'))
    const { error, approvalId } = await call()
    expect(error?.code).toBe('approval_required')
    expect(existsSync(at('made'))).toBe(false)
    const request = await workspace.approvals.get(approvalId as string)
    expect(request.reason).toBe("it runs a command: sh -c 'echo x >> made'")
    await workspace.approvals.grant(request.id, { by: 'person' })
    expect((await call()).error).toBeNull()
    expect((await call()).error?.code).toBe('approval_required')
    expect(readFileSync(at('made'), 'utf8')).toBe('x\n')
    expect((await workspace.log())[0]?.record.approval).toBe(request.id)
    await workspace.close()
  })

  it('marks what hides in a command that waits', async () => {
    const workspace = await open({ approval: 'risky' })
    const { approvalId } = await workspace.call('run_command', { command: 'echo a\u202eb' })
    expect((await workspace.approvals.get(approvalId as string)).reason).toContain('a⟦U+202E⟧b')
    await workspace.close()
  })
})
