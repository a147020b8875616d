/** The command as a process: what it does to folders and databases, and how it ends. */
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
  test('works on a folder: a call changes a file, the log tells, undo takes it back, redo puts it again', async () => {
    const { root } = project()
    const file = join(root, 'src/a.txt')
    const edit = json({ file_path: 'src/a.txt', replacements: [{ old_content: 'two', new_content: 'TWO' }] })
    expect(await run(['call', '--profile', 'fileops', 'edit_file', edit, '--root', root])).toMatchObject({ status: 0, stderr: '' })
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
    const written = await run(['call', '--profile', 'fileops', 'write_file', '-', '--json', '--subject', 'ana', ...storage], {
      input: json({ file_path: '/new.txt', content: 'hello\n' }),
    })
    expect(JSON.parse(written.stdout)).toMatchObject({ file_path: '/new.txt', created: true })
    const { entries } = JSON.parse((await run(['log', '--json', ...storage])).stdout)
    expect(entries).toMatchObject([{ record: { sequence: 2, subject: 'ana' } }, { record: { sequence: 1, kind: 'import' } }])
    expect(JSON.parse((await run(['show', '2', '--json', ...storage])).stdout)).toMatchObject({
      changes: [{ path: 'new.txt', diff: expect.stringContaining('+hello') }],
    })
    expect((await run(['undo', '2', ...storage])).status).toBe(0)
    expect((await run(['call', '--profile', 'fileops', 'view_file', json({ file_path: 'new.txt' }), ...storage])).status).toBe(3)
  })

  test('a reader that goes away early is no failure', async () => {
    const { root } = project()
    writeFileSync(join(root, 'big.txt'), 'line\n'.repeat(10_000))
    const child = start(['call', '--profile', 'fileops', 'view_file', json({ file_path: 'big.txt' }), '--root', root])
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
    const call = ['call', '--profile', 'fileops', 'write_file', json({ file_path: 'n.txt', content: '' }), '--config', config]
    expect((await run(call)).status).toBe(4)
    expect(existsSync(join(root, 'n.txt'))).toBe(false)
  })
})
