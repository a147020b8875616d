/** `run_command`: what it refuses, and how it tells what a program printed (F-70 to F-75). */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Runner, RunRequest } from '../../../src/core/runner.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { fsproc } from '../../../src/profiles/fsproc.ts'
import { listedTool } from '../../../src/profiles/listed.ts'
import { createLocalRunner } from '../../../src/runner/local.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { CallResult } from '../../../src/workspace/workspace.ts'
import { temporaryFolder } from '../storages.ts'

let root: string
let requests: RunRequest[]
let call: (args: object) => Promise<CallResult>

beforeEach(async () => {
  root = temporaryFolder()
  requests = []
  const local = createLocalRunner(root)
  const runner: Runner = {
    name: 'local',
    run(request, signal) {
      requests.push(request)
      return local.run(request, signal)
    },
  }
  const workspace = await openWorkspace({ fs: await openNodeFs({ root, durability: 'process' }), profile: 'fsproc', runner })
  call = (args) => workspace.call('run_command', args)
})

describe('what is run', () => {
  it.each([
    ['T-F-RC-06', 'echo $HOME *.txt | cat && x', '$HOME *.txt | cat && x\n'],
    ['T-F-RC-07', `echo 'a b' "c d" e\\ f`, 'a b c d e f\n'],
  ])('%s', async (_, command, stdout) => {
    expect((await call({ command })).result).toMatchObject({ success: true, data: { stdout, exit_code: 0 } })
  })

  it('starts in cwd, below path', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    symlinkSync('a/b', join(root, 'in'))
    for (const args of [{ path: 'a', cwd: 'b' }, { cwd: 'a/b' }, { cwd: 'in' }, { path: 'a/b' }]) {
      expect((await call({ command: 'pwd -P', ...args })).result).toMatchObject({ data: { stdout: `${root}/a/b\n` } })
    }
  })

  it('has half a minute, at most an hour', async () => {
    for (const timeout of [undefined, 0.5, 3600, 1e9]) await call({ command: 'true', ...(timeout !== undefined && { timeout }) })
    expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 500, 3_600_000, 3_600_000])
  })
})

describe('what is refused, and not run', () => {
  it.each<[string, object, string, RegExp]>([
    ['an open quote', { command: 'echo "unterminated' }, 'invalid_argument', /quote/],
    ['nothing', { command: '' }, 'invalid_argument', /command/],
    ['blanks', { command: ' \t\n' }, 'invalid_argument', /command/],
    ['a joined line of nothing', { command: '\\\n' }, 'invalid_argument', /command/],
    ['no command', {}, 'missing_argument', /command/],
    ['a NUL', { command: 'echo a\0b' }, 'invalid_argument', /NUL/],
    ['half a character', { command: 'echo \ud800' }, 'invalid_argument', /command/],
    ['no time', { command: 'true', timeout: 0 }, 'invalid_argument', /timeout/],
    ['less than no time', { command: 'true', timeout: -1 }, 'invalid_argument', /timeout/],
    ['a time that is no number', { command: 'true', timeout: '5' }, 'invalid_argument', /timeout/],
    ['a directory outside', { command: 'true', cwd: '../..' }, 'outside_root', /escapes/],
    ['a directory above path', { command: 'true', path: 'sub', cwd: '..' }, 'outside_root', /escapes/],
    ['a link that leads outside', { command: 'true', cwd: 'out' }, 'outside_root', /escapes/],
    ['a file as directory', { command: 'true', cwd: 'file' }, 'not_directory', /not a directory/],
    ['a missing directory', { command: 'true', cwd: 'none' }, 'not_found', /none/],
    ['sudo', { command: 'sudo ls' }, 'permission_denied', /blocked/],
    ['disaster', { command: 'echo RM -RF /' }, 'permission_denied', /blocked/],
    ['CHMOD -R 777 /', { command: 'echo CHMOD -R 777 / now' }, 'permission_denied', /blocked/],
  ])('%s', async (_, args, code, said) => {
    mkdirSync(join(root, 'sub'))
    symlinkSync('/etc', join(root, 'out'))
    writeFileSync(join(root, 'file'), '')
    const { error, result } = await call(args)
    expect(error?.code).toBe(code)
    expect(result).toEqual({ success: false, error: expect.stringMatching(said) })
    expect(requests).toEqual([])
  })

  it('a program that is not there', async () => {
    const { error, result } = await call({ command: 'no-such-program-anywhere --flag' })
    expect([error?.code, result.error]).toEqual(['not_found', 'command not found: no-such-program-anywhere'])
  })
})

describe('what is published', () => {
  it('is an open world to this tool alone', () => {
    const open = fsproc.tools.map(listedTool).filter(({ annotations }) => annotations.openWorldHint)
    expect(open.map(({ name, annotations }) => [name, annotations.readOnlyHint, annotations.destructiveHint])).toEqual([
      ['run_command', false, true],
    ])
  })

  it('is what results are', async () => {
    const schema = fsproc.tools.find(({ tool }) => tool.name === 'run_command')?.outputSchema?.()
    const validate = new AjvJsonSchemaValidator().getValidator(schema as never)
    for (const command of ['echo x', 'false', 'no-such-program-anywhere', 'sudo x']) {
      expect(validate((await call({ command })).result)).toMatchObject({ valid: true })
    }
  })
})

describe('what is told', () => {
  it('4,096 characters of each stream, and that there were more', async () => {
    writeFileSync(join(root, 'full'), '😀'.repeat(4096))
    writeFileSync(join(root, 'more'), '😀'.repeat(4097))
    expect((await call({ command: 'cat full' })).result).toMatchObject({ data: { stdout: '😀'.repeat(4096), truncated: false } })
    const { result } = await call({ command: `sh -c 'cat more >&2; echo ok'` })
    expect(result).toMatchObject({ data: { stdout: 'ok\n', stderr: `${'😀'.repeat(4096)}\n[truncated]`, truncated: true } })
  })

  it('bytes that are no text as U+FFFD', async () => {
    writeFileSync(join(root, 'f'), new Uint8Array([0x41, 0xff, 0x42]))
    expect((await call({ command: 'cat f' })).result).toMatchObject({ data: { stdout: 'A\ufffdB' } })
  })

  it('how it ended, in the text too', async () => {
    const timed = await call({ command: `sh -c 'printf partial; sleep 300'`, timeout: 0.3 })
    expect(timed.result).toEqual({
      success: true,
      data: { stdout: 'partial', stderr: '', exit_code: -1, timed_out: true, truncated: false },
    })
    expect(timed.text).toMatch(/^partial\n.*timed out/)
    expect((await call({ command: `sh -c 'kill -9 $$'` })).result).toMatchObject({ data: { exit_code: -9, timed_out: false } })
    expect((await call({ command: `sh -c 'echo out; echo err >&2; exit 7'` })).text).toBe('out\n[stderr]\nerr\n[exit code 7]')
  })
})
