/** The commands as processes: answers, JSON, exit statuses by error class (contract W-7, C-45). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run, start, temporaryFolder } from './command.ts'

/** A folder with files, and a database beside it. */
function project(): { readonly root: string; readonly storage: readonly string[] } {
  const folder = temporaryFolder()
  const root = join(folder, 'project')
  mkdirSync(join(root, 'src'), { recursive: true })
  writeFileSync(join(root, 'src/a.txt'), 'one\ntwo\n')
  writeFileSync(join(root, 'bad\u202ename.txt'), 'x\n')
  return { root, storage: ['--fs', 'sqlite', '--db', join(folder, 'w.sqlite')] }
}

const json = (value: object): string => JSON.stringify(value)

describe('filewright', { timeout: 60_000 }, () => {
  test('tells its commands, with examples for each', async () => {
    const all = await run(['--help'])
    expect(all.status).toBe(0)
    const names = [...all.stdout.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]).filter((name) => name !== 'help')
    expect(names).toEqual(['mcp', 'call', 'log', 'show', 'undo', 'redo', 'verify', 'import', 'tools', 'profiles'])
    for (const help of await Promise.all(names.map((name) => run([name as string, '--help'])))) {
      expect(help.status).toBe(0)
      expect(help.stdout).toMatch(/Examples:\n {2}\$ (echo|filewright) /)
    }
  })

  test('works on a folder: a call changes a file, the log tells, undo takes it back, redo puts it again', async () => {
    const { root } = project()
    const file = join(root, 'src/a.txt')
    const edit = json({ file_path: 'src/a.txt', replacements: [{ old_content: 'two', new_content: 'TWO' }] })
    expect(await run(['call', 'edit_file', edit, '--root', root])).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\n')
    expect((await run(['log', '--root', root])).stdout).toMatch(/edit_file.*src\/a\.txt/)
    expect((await run(['show', '--root', root])).stdout).toContain('\n-two\n+TWO\n')
    expect((await run(['undo', '--root', root])).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    expect((await run(['log', '--root', root])).stdout).toContain('(undone)')
    expect((await run(['redo'], { cwd: root })).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\n')
    const chain = JSON.parse((await run(['verify', '--json', '--root', root])).stdout)
    expect(chain).toMatchObject({ records: 3, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  test('works on a database: import, call, show, undo', async () => {
    const { root, storage } = project()
    const imported = JSON.parse((await run(['import', root, '--json', ...storage])).stdout)
    expect(imported).toMatchObject({ files: 2, bytes: 10, skipped: [] })
    const written = await run(['call', 'write_file', '-', '--json', '--subject', 'ana', ...storage], {
      input: json({ file_path: '/new.txt', content: 'hello\n' }),
    })
    expect(JSON.parse(written.stdout)).toMatchObject({ file_path: '/new.txt', created: true })
    const { entries } = JSON.parse((await run(['log', '--json', ...storage])).stdout)
    expect(entries).toMatchObject([{ record: { sequence: 2, subject: 'ana' } }, { record: { sequence: 1, kind: 'import' } }])
    expect(JSON.parse((await run(['show', '2', '--json', ...storage])).stdout)).toMatchObject({
      changes: [{ path: 'new.txt', diff: expect.stringContaining('+hello') }],
    })
    expect((await run(['undo', '2', ...storage])).status).toBe(0)
    expect((await run(['call', 'view_file', json({ file_path: 'new.txt' }), ...storage])).status).toBe(3)
  })

  test.each([
    ['a wrong argument', ['call', 'view_file', json({ file_path: 7 }), '--fs', 'memory'], 2],
    ['arguments that are not JSON', ['call', 'view_file', '{', '--fs', 'memory'], 2],
    ['a missing file', ['call', 'view_file', json({ file_path: 'none' }), '--fs', 'memory'], 3],
    ['a path outside', ['call', 'view_file', json({ file_path: '../x' }), '--fs', 'memory'], 4],
    ['a read-only workspace', ['call', 'write_file', json({ file_path: 'a', content: '' }), '--fs', 'memory', '--read-only'], 4],
    ['a record that is not there', ['show', '--fs', 'memory'], 3],
    ['an unknown command', ['frobnicate'], 2],
    ['an unknown flag', ['log', '--frobnicate'], 2],
    ['an unknown storage', ['log', '--fs', 'floppy'], 2],
    ['a storage of a later version', ['log', '--fs', 'git'], 4],
    ['a flag of a later version', ['call', 'view_file', '--runner', 'local'], 4],
    ['approval of a later version', ['mcp', '--approval', 'trusted'], 4],
    ['a root where there is none', ['log', '--fs', 'memory', '--root', '/'], 2],
    ['durability that means nothing', ['log', '--fs', 'memory', '--durability', 'power'], 2],
    ['a database without a name', ['log', '--fs', 'sqlite'], 2],
    ['an unknown profile', ['tools', '--profile', 'none'], 2],
    ['a root that is missing', ['log', '--root', '/nonexistent/folder'], 3],
    ['a seed that is missing', ['log', '--fs', 'memory', '--seed', '/nonexistent/folder'], 3],
  ])('ends with the status of the error: %s', async (_, args, status) => {
    const [plain, machine] = await Promise.all([run(args), run([...args, '--json'])])
    expect(plain).toMatchObject({ status, stdout: '' })
    expect(plain.stderr).toMatch(/\S/)
    expect(plain.stderr).not.toMatch(/^ +at /m)
    expect(machine.status).toBe(status)
    expect(JSON.parse(machine.stdout)).toMatchObject({ error: expect.any(String) })
  })

  test('shows unsafe names as escapes, and leaves text for other programs as it is', async () => {
    const { root, storage } = project()
    const text = 'a\u001b]52;c;x\u0007\n'
    await run(['import', root, ...storage])
    expect((await run(['log', ...storage])).stdout).toContain('bad\\u{202e}name.txt')
    await run(['call', 'write_file', '-', ...storage], { input: json({ file_path: 'c.txt', content: text }) })
    expect((await run(['call', 'view_file', json({ file_path: 'c.txt' }), ...storage])).stdout).toContain(text)
    expect((await run(['show', ...storage])).stdout).toContain(`+${text}`)
  })

  test('lists tools, without those that are disabled, and profiles', async () => {
    const { tools } = JSON.parse((await run(['tools', '--json', '--disable', 'write_file'])).stdout)
    const names = tools.map((tool: { name: string }) => tool.name)
    expect(names).toContain('view_file')
    expect(names).not.toContain('write_file')
    expect(tools[0]).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
    expect((await run(['profiles'])).stdout).toMatch(/^fileops {2}/)
  })

  test('a reader that goes away early is no failure', async () => {
    const { root } = project()
    writeFileSync(join(root, 'big.txt'), 'line\n'.repeat(10_000))
    const child = start(['call', 'view_file', json({ file_path: 'big.txt' }), '--root', root])
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    const status = await new Promise((resolve) => child.on('close', resolve))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('the config file holds what flags leave open', async () => {
    const { root } = project()
    const config = join(root, 'filewright.json')
    writeFileSync(config, json({ root: '.', 'read-only': true }))
    const call = ['call', 'write_file', json({ file_path: 'n.txt', content: '' }), '--config', config]
    expect((await run(call)).status).toBe(4)
    expect(existsSync(join(root, 'n.txt'))).toBe(false)
  })
})
