/** Commands within this process: exit statuses by error class, JSON, and what a terminal is shown (contract C-45, W-7). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { temporaryFolder } from './command.ts'

/** Runs a command on streams that keep what is written. */
async function run(args: readonly string[], isTTY = false): Promise<{ status: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) => ({
    isTTY,
    write: (text: string) => {
      written[name] += text
    },
  })
  const status = await runCommand(args, { stdout: stream('stdout'), stderr: stream('stderr') })
  return { status, ...written }
}

const json = (value: object): string => JSON.stringify(value)

test('every command has help with examples', async () => {
  const all = await run(['--help'])
  expect(all.status).toBe(0)
  const names = [...all.stdout.matchAll(/^ {2}([a-z-]+) /gm)].map((match) => match[1] as string).filter((name) => name !== 'help')
  expect(names.join(' ')).toBe(
    'mcp call log show undo redo approve verify revert-to backups rollback gc purge watch export replay eval git import tools profiles',
  )
  for (const name of names) {
    const help = await run([name, '--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toMatch(/Examples:\n {2}\$ (echo|filewright) /)
  }
})

describe('the exit status is that of the error', () => {
  test.each([
    ['a wrong argument', ['call', '--profile', 'fileops', 'view_file', json({ file_path: 7 }), '--fs', 'memory'], 2],
    ['arguments that are not JSON', ['call', '--profile', 'fileops', 'view_file', '{', '--fs', 'memory'], 2],
    ['a missing file', ['call', '--profile', 'fileops', 'view_file', json({ file_path: 'none' }), '--fs', 'memory'], 3],
    ['a path outside', ['call', '--profile', 'fileops', 'view_file', json({ file_path: '../x' }), '--fs', 'memory'], 4],
    ['an unknown tool', ['call', 'frobnicate', '--fs', 'memory'], 4],
    [
      'a read-only workspace',
      ['call', '--profile', 'fileops', 'write_file', json({ file_path: 'a', content: '' }), '--fs', 'memory', '--read-only'],
      4,
    ],
    ['a record that is not there', ['show', '--fs', 'memory'], 3],
    ['nothing to undo', ['undo', '--fs', 'memory'], 3],
    ['an unknown command', ['frobnicate'], 2],
    ['an unknown flag', ['log', '--frobnicate'], 2],
    ['a flag without its value', ['log', '--fs'], 2],
    ['a limit that is no number', ['log', '--limit', 'many'], 2],
    ['an unknown storage', ['log', '--fs', 'floppy'], 2],
    ['a runner of a later version', ['tools', '--runner', 'https://runner.example'], 4],
    ['a runner that is none', ['tools', '--runner', 'remote'], 2],
    ['a local runner without a folder', ['mcp', '--fs', 'memory', '--runner', 'local'], 4],
    ['reads outside where there is no outside', ['mcp', '--fs', 'memory', '--unconfined-file-bytes'], 2],
    ['trusted automation without its policy', ['log', '--fs', 'memory', '--approval', 'trusted'], 2],
    ['a repository where there is none', ['log', '--fs', 'memory', '--repo', '/'], 2],
    ['a workspace where there is one only', ['log', '--fs', 'memory', '--workspace', 'a'], 2],
    ['a branch where there is none', ['log', '--branch', 'a'], 2],
    ['a commit where there are none', ['log', '--base', 'HEAD'], 2],
    ['credentials where nobody asks', ['log', '--credentials'], 2],
    ['an author where there are no commits', ['log', '--author', 'A <a@example.org>'], 2],
    ['an author that is none', ['log', '--fs', 'git', '--seed', '/', '--author', 'me'], 2],
    ['two places for a repository', ['log', '--fs', 'git', '--repo', 'a', '--db', 'b'], 2],
    ['durability of a repository in memory', ['log', '--fs', 'git', '--seed', '/', '--durability', 'power'], 2],
    ['a folder that is no repository', ['log', '--fs', 'git', '--repo', '/nonexistent'], 3],
    ['a root where there is none', ['log', '--fs', 'memory', '--root', '/'], 2],
    ['a database where there is none', ['log', '--db', 'x'], 2],
    ['durability that means nothing', ['log', '--fs', 'memory', '--durability', 'power'], 2],
    ['durability of a volume', ['log', '--fs', 'memfs', '--durability', 'power'], 2],
    ['a database without a name', ['log', '--fs', 'sqlite'], 2],
    ['an unknown profile', ['tools', '--profile', 'none'], 2],
    ['a root that is missing', ['log', '--root', '/nonexistent/folder'], 3],
    ['a seed that is missing', ['log', '--fs', 'memory', '--seed', '/nonexistent/folder'], 3],
    ['a config file that is missing', ['log', '--config', '/nonexistent/file'], 2],
  ])('%s', async (_, args, status) => {
    const plain = await run(args)
    expect(plain).toMatchObject({ status, stdout: '' })
    expect(plain.stderr).toMatch(/\S/)
    expect(plain.stderr).not.toMatch(/^ +at /m)
    const machine = await run([...args, '--json'])
    expect(machine.status).toBe(status)
    expect(JSON.parse(machine.stdout)).toMatchObject({ error: expect.any(String) })
  })
})

test('tools are listed without those that are disabled, and profiles with their tools', async () => {
  const { tools } = JSON.parse((await run(['tools', '--json', '--disable', 'write'])).stdout)
  const names = tools.map((tool: { name: string }) => tool.name)
  expect(names).toContain('read')
  expect(names).not.toContain('write')
  expect(tools[0]).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
  expect((await run(['tools'])).stdout).toMatch(/^read +read +Read$/m)
  expect((await run(['profiles'])).stdout).toMatch(/^sessions +4 tools +\d+\.\d KB {2}for agents .*$/m)
  expect((await run(['profiles'])).stdout.match(/ \(default\)$/gm)).toHaveLength(1)
  const { profiles } = JSON.parse((await run(['profiles', '--json'])).stdout)
  expect(profiles[0]).toMatchObject({
    name: 'native',
    default: true,
    guarded: true,
    tools: expect.arrayContaining([...names, 'write']),
    list_bytes: expect.any(Number),
  })
})

describe('a terminal', () => {
  const storage = (folder: string): string[] => ['--fs', 'sqlite', '--db', join(folder, 'w.sqlite')]
  const control = 'a\u001b]52;c;x\u0007\u009b31m\u202eb\n'

  test('is shown escapes, in colors; another program gets the text as it is, without', async () => {
    vi.stubEnv('NO_COLOR', '')
    vi.stubEnv('TERM', 'xterm')
    const folder = temporaryFolder()
    const db = storage(folder)
    await run(['call', '--profile', 'fileops', 'write_file', json({ file_path: 'bad\u202ename.txt', content: control }), ...db])
    const view = ['call', '--profile', 'fileops', 'view_file', json({ file_path: 'bad\u202ename.txt' }), ...db]
    for (const args of [view, ['show', ...db], ['log', ...db]]) {
      const terminal = await run(args, true)
      expect(terminal.status).toBe(0)
      expect(terminal.stdout).toContain('\\u{202e}')
      // Nothing but colors: every escape sequence there is ours.
      const plain = terminal.stdout.replace(/\p{Cc}\[\d+m/gu, '')
      expect(plain).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}]/u)
    }
    expect((await run(['show', ...db], true)).stdout).toContain('\u001b[32m+a\\x1b]52;c;x\\x07\\x9b31m\\u{202e}b\u001b[39m')
    expect((await run(view)).stdout).toContain(control)
    expect((await run(['show', ...db])).stdout).toContain(`+${control}`)
    expect((await run(['log', ...db])).stdout).toContain('bad\\u{202e}name.txt')
    vi.unstubAllEnvs()
  })

  test('is shown progress, which is gone at the end', async () => {
    const folder = temporaryFolder()
    const source = join(folder, 'source')
    mkdirSync(source)
    for (let i = 0; i < 150; i++) writeFileSync(join(source, `${i}`), '')
    const shown = await run(['import', source, ...storage(folder)], true)
    expect(shown.stderr).toContain('Importing: 100 files')
    expect(shown.stderr.endsWith('\r\u001b[K')).toBe(true)
    expect((await run(['import', source, '--replace', ...storage(folder)])).stderr).toBe('')
  })
})
