/** `filewright approve` and the settings of approvals: requests and grants go between processes, by way of the stored workspace. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { type Ended, MAIN, run, temporaryFolder } from './command.ts'

/** A terminal for a process, where the machine has one to give. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

let folder: string
let root: string

beforeEach(() => {
  folder = temporaryFolder()
  root = join(folder, 'root')
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'a.txt'), 'one\n')
  writeFileSync(join(root, 'dist/b.txt'), 'two\n')
})

const on = (...args: string[]): string[] => [...args, '--root', root]
const removal = (path: string): string[] =>
  on('call', '--profile', 'fileops', 'delete_file', JSON.stringify({ file_path: path }), '--json', '--approval', 'risky')
const remove = (path: string): Promise<Ended> => quick(removal(path))
const requestOf = (ended: Ended): string => JSON.parse(ended.stdout).approval_id

/** Runs a command in this process; with a `line`, on a terminal whose person types it, or with null ends the input. */
async function quick(args: readonly string[], line?: string | null): Promise<Ended> {
  const isTTY = line !== undefined
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const told: { stdout: string; stderr: string } = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY,
    write(text: string) {
      told[name] += text
    },
  })
  stdin.end(typeof line === 'string' ? `${line}\n` : '')
  const status = await runCommand(args, { stdin, stdout: stream('stdout'), stderr: stream('stderr') })
  return { status, ...told }
}

/** Runs a command as a process with a terminal of its own. */
function onTerminal(args: readonly string[], line: string): Promise<Ended> {
  const command = [process.execPath, MAIN, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env: { ...process.env, TERM: 'dumb' } })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (text.includes('leaves it waiting')) child.stdin.write(`${line}\n`)
  })
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr: '' })))
}

describe('filewright approve', { timeout: 60_000 }, () => {
  test('lists what waits, in another process', async () => {
    expect((await quick(on('approve'))).stdout).toBe('No request waits.\n')
    const asked = await run(removal('a.txt'))
    expect(asked.status).toBe(4)
    const listed = await run(on('approve', '--json'))
    expect(JSON.parse(listed.stdout).approvals).toMatchObject([
      { id: requestOf(asked), tool: 'delete_file', subject: 'local', status: 'pending' },
    ])
    expect((await quick(on('approve'))).stdout).toMatch(new RegExp(`^${requestOf(asked)} .* local  delete_file  a\\.txt\n$`))
  })

  test('refuses where there is no terminal, and says where to go', async () => {
    const id = requestOf(await remove('a.txt'))
    const refused = [
      await run(on('approve', id), { input: 'y\n' }),
      await quick(on('approve', id, '--deny')),
      await quick(on('approve', id, '--json')),
    ]
    for (const ended of refused) {
      expect(ended.status).toBe(4)
      expect(ended.stdout + ended.stderr).toContain('terminal of your own')
    }
    expect((await remove('a.txt')).status).toBe(4)
  })

  test('shows the exact diff, asks, and grants by the beginning of an id; the call runs once', async () => {
    const id = requestOf(await remove('a.txt'))
    const ended = await quick(on('approve', id.slice(0, 6)), 'y')
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    expect(ended.stdout).toMatch(/local asks to run delete_file: .*\n\nremove a\.txt\n/)
    expect(ended.stdout).toContain('-one')
    expect(ended.stdout).toContain('Granted until')
    expect((await remove('a.txt')).status).toBe(0)
    expect(existsSync(join(root, 'a.txt'))).toBe(false)
    expect(JSON.parse((await quick(on('log', '--json', '--limit', '1'))).stdout).entries[0].record).toMatchObject({ approval: id })
    expect((await quick(on('show', 'last'))).stdout).toContain(`Grant:   ${id}`)
    expect(await quick(on('approve', id), 'y')).toMatchObject({ status: 3 })
  })

  test('a call that waits says where to decide; one whose file changed after the grant is status 5', async () => {
    const plain = removal('a.txt').filter((part) => part !== '--json')
    const asked = await quick(plain)
    const id = /filewright approve (\S+),/.exec(asked.stderr)?.[1] as string
    await quick(on('approve', id), 'y')
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n')
    expect(await quick(plain)).toMatchObject({ status: 5, stderr: expect.stringContaining('approval_stale') })
    expect(existsSync(join(root, 'a.txt'))).toBe(true)
  })

  test('anything but a clear answer leaves it waiting', async () => {
    const id = requestOf(await remove('a.txt'))
    for (const line of ['', 'n', 'yeah', null]) expect((await quick(on('approve', id), line)).stdout).toContain('left waiting')
    expect(requestOf(await remove('a.txt'))).toBe(id)
  })

  test('denies, asked or with --deny', async () => {
    await quick(on('approve', requestOf(await remove('a.txt'))), 'd')
    await quick(on('approve', requestOf(await remove('dist/b.txt')), '--deny'), null)
    for (const path of ['a.txt', 'dist/b.txt']) {
      const refused = await remove(path)
      expect(refused.status).toBe(4)
      expect(refused.stdout).toContain('approval_denied')
    }
  })

  test('an id that is none, or no single one', async () => {
    await remove('a.txt')
    expect((await quick(on('approve', 'zz'), 'y')).status).toBe(3)
    expect((await quick(on('approve', ''), 'y')).status).toBe(3)
  })

  test('works on a database, too', async () => {
    const store = ['--fs', 'sqlite', '--db', join(folder, 'w.sqlite')]
    await quick(['import', root, ...store])
    const call = ['call', '--profile', 'fileops', 'delete_file', '{"file_path":"a.txt"}', '--json', '--approval', 'risky', ...store]
    await quick(['approve', requestOf(await quick(call)), ...store], 'yes')
    expect((await quick(call)).status).toBe(0)
    expect((await quick(call)).status).toBe(3)
  })

  test.skipIf(!hasTerminal)('is answered on a real terminal', async () => {
    const id = requestOf(await remove('a.txt'))
    const ended = await onTerminal(on('approve', id), 'y')
    expect(ended.status).toBe(0)
    expect(ended.stdout).toContain('Granted until')
    expect((await remove('a.txt')).status).toBe(0)
  })

  test('T10 two processes use one grant at once: exactly one runs', async () => {
    // A backup changes nothing that the next one would expect: only the grant stands between them.
    const batch = '{"operation":"batch_file_ops","config":{"operations":[{"operation":"backup_file","path":"a.txt"}]}}'
    const backup = on('call', '--profile', 'fileops', 'file_ops_hub', batch, '--json')
    await quick(on('approve', requestOf(await quick(backup))), 'y')
    const ended = await Promise.all(Array.from({ length: 4 }, () => run(backup)))
    expect(ended.filter(({ status }) => status === 0)).toHaveLength(1)
    const { entries } = JSON.parse((await quick(on('log', '--json'))).stdout)
    expect(entries.filter(({ record }: { record: { approval?: string } }) => record.approval !== undefined)).toHaveLength(1)
  })
})

describe('--approval and --trust-policy', { timeout: 60_000 }, () => {
  const policy = (document: unknown): string => {
    const file = join(folder, 'policy.json')
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
    return file
  }
  const trusted = (path: string, file: string): Promise<Ended> =>
    quick(
      on(
        'call',
        '--profile',
        'fileops',
        'delete_file',
        JSON.stringify({ file_path: path }),
        '--approval',
        'trusted',
        '--trust-policy',
        file,
      ),
    )

  test('what a rule covers runs unasked; all else waits', async () => {
    const file = policy({ version: 1, rules: [{ operations: ['delete_file'], paths: ['dist/'] }] })
    expect((await trusted('dist/b.txt', file)).status).toBe(0)
    expect((await trusted('a.txt', file)).status).toBe(4)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('a config file names the policy beside it', async () => {
    policy({ version: 1, rules: [{ operations: ['file_ops_hub', 'delete_file'], paths: ['dist/'], subjects: ['ci'] }] })
    const config = join(folder, 'config.json')
    writeFileSync(config, '{"approval": "trusted", "trust-policy": "policy.json", "root": "root", "subject": "ci"}')
    expect((await quick(['call', '--profile', 'fileops', 'delete_file', '{"file_path":"dist/b.txt"}', '--config', config])).status).toBe(0)
    expect((await quick(['call', '--profile', 'fileops', 'delete_file', '{"file_path":"a.txt"}', '--config', config])).status).toBe(4)
  })

  test('a policy that is missing, wrong, or without its mode is an error', async () => {
    const rule = { operations: ['delete_file'], paths: ['dist/'] }
    const wrong: unknown[] = [
      '{',
      '[]',
      {},
      { version: 2, rules: [] },
      { version: 1, rules: [{ ...rule, path: 'x' }] },
      { version: 1, rules: [{ ...rule, paths: [] }] },
      { version: 1, rules: [{ ...rule, subjects: [] }] },
      { version: 1, rules: [], also: true },
      '{"version": 1, "rules": [], "rules": []}',
      { version: 1, rules: [{ ...rule, paths: ['[a'] }] },
    ]
    for (const document of wrong) {
      const ended = await trusted('dist/b.txt', policy(document))
      expect([document, ended.status]).toEqual([document, 2])
      expect(ended.stderr).toContain('invalid_argument')
    }
    expect((await trusted('dist/b.txt', join(folder, 'none.json'))).status).toBe(2)
    expect((await quick(on('call', '--profile', 'fileops', 'delete_file', '{}', '--approval', 'trusted'))).status).toBe(2)
    expect(
      (await quick(on('call', '--profile', 'fileops', 'delete_file', '{}', '--trust-policy', policy({ version: 1, rules: [] })))).status,
    ).toBe(2)
    expect(existsSync(join(root, 'dist/b.txt'))).toBe(true)
  })
})
