/** The commands that concern the past as a whole, on streams of the test and on folders, databases and pipes. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { run as runProcess, start, temporaryFolder } from './command.ts'

interface Printed {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command on streams that keep what is written. */
async function run(args: readonly string[], isTTY = false): Promise<Printed> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) => ({
    isTTY,
    write: (text: string | Uint8Array) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString('latin1')
    },
  })
  const status = await runCommand(args, { stdout: stream('stdout'), stderr: stream('stderr') })
  return { status, ...written }
}

const json = async (args: readonly string[]): Promise<unknown> => JSON.parse((await run([...args, '--json'])).stdout)

let folder: string
let root: string

beforeEach(() => {
  folder = temporaryFolder()
  root = join(folder, 'project')
  mkdirSync(root)
})

/** The operator's flags for a storage; each test works on both that outlive a command. */
const STORAGES: readonly (readonly [string, () => string[]])[] = [
  ['node', () => ['--root', root]],
  ['sqlite', () => ['--fs', 'sqlite', '--db', join(folder, 'w.sqlite')]],
]

describe.each(STORAGES)('on %s', (_, storage) => {
  const at = (args: readonly string[], isTTY = false): Promise<Printed> => run([...args, ...storage()], isTTY)
  const data = (args: readonly string[]): Promise<unknown> => json([...args, ...storage()])
  const write = async (file_path: string, content: string): Promise<void> => {
    const args = JSON.stringify({ file_path, content, force_overwrite: true })
    expect(await at(['call', '--profile', 'fileops', 'write_file', args])).toMatchObject({ status: 0, stderr: '' })
  }
  const text = async (file_path: string): Promise<unknown> =>
    ((await data(['call', '--profile', 'fileops', 'view_file', JSON.stringify({ file_path })])) as { content: string }).content

  test('gc tells what it would drop, and drops it', async () => {
    for (const content of ['one', 'two', 'three']) await write('a', content)
    expect((await at(['gc'])).stdout).toBe(
      '3 of 3 changes can be taken back; all of them stay in the log.\nDropped 0 contents with 0 bytes; 2 contents are kept.\n' +
        'Nothing is dropped without a limit: --keep-records, --keep-days, --keep-bytes.\n',
    )
    expect((await at(['gc', '--keep-records', '1', '--dry-run'])).stdout).toContain('Would drop 1 content with 3 bytes; 1 content is kept.')
    const config = join(folder, 'c.json')
    writeFileSync(config, '{"keep-records": 1, "keep-bytes": "1M"}')
    expect(await data(['gc', '--config', config])).toEqual({
      records: 3,
      recordsKept: 1,
      objects: 2,
      objectsDropped: 1,
      bytesFreed: 3,
      dryRun: false,
    })
    expect(await at(['undo', '2'])).toMatchObject({ status: 4, stderr: expect.stringContaining('no longer kept') })
    expect(await at(['verify'])).toMatchObject({ status: 0 })
    expect(await at(['gc', '--keep-days', '-1'])).toMatchObject({ status: 2 })
    expect(await at(['log', '--keep-days', '1'])).toMatchObject({ status: 2 })
  })

  test('purge takes a secret out, by path, text or hash', async () => {
    await write('env', 'KEY=12345')
    expect(await at(['purge', 'env'])).toMatchObject({ status: 3 })
    await write('copy', 'KEY=12345')
    await write('env', 'KEY=')
    expect(await at(['purge', 'env'])).toMatchObject({ status: 5, stderr: expect.stringContaining('copy still holds it') })
    expect((await at(['purge', 'env', '--force', '--dry-run'])).stdout).toBe('Would purge 1 content of env with 9 bytes.\n')
    await write('copy', 'x')
    expect(await at(['purge', '.', '--containing', '98765'])).toMatchObject({ status: 3 })
    expect((await at(['purge', 'env', '--containing', '12345', '--subject', 'ana'])).stdout).toMatch(
      /^Purged 1 content of env with 9 bytes: change 5/,
    )
    expect((await at(['log'])).stdout).toMatch(/5 {2}.* ana {2}purge {2}Purge of env from history/)
    expect((await at(['show', '4'])).stdout).toContain('was purged from history by change 5')
    await write('env', 'done')
    const { changes } = (await data(['show', 'last'])) as { changes: [{ before: { hash: string } }] }
    expect(await data(['purge', changes[0].before.hash])).toMatchObject({ objects: 1, bytes: 4, records: [{ kind: 'purge' }] })
  })

  test('revert-to goes back, and undo takes that back', async () => {
    for (const content of ['one\n', 'two\n', 'three\n']) await write('a', content)
    await write('b', 'x')
    expect((await at(['revert-to', '1', '--dry-run'])).stdout).toBe('Going back to change 1 would change:\n  b\n  a\n')
    expect((await at(['revert-to', '1'])).stdout).toBe('Back to change 1. This is change 5, with 2 paths.\n')
    expect(await text('a')).toContain('one')
    expect(await at(['undo'])).toMatchObject({ status: 0 })
    expect(await text('a')).toContain('three')
    expect((await at(['revert-to', '6'])).stdout).toBe('Nothing came after change 6 that still stands.\n')
    expect(await at(['revert-to', '77'])).toMatchObject({ status: 3 })
  })

  test('export writes a patch that git applies, records that replay reads, and an archive that import reads', async () => {
    await write('d/a b', 'one\n')
    await write('d/a b', 'two\n')
    const patch = await at(['export', '--patch', '-', '--from', '2'])
    expect(patch).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('\n-one\n+two\n') })
    const other = join(folder, 'other')
    mkdirSync(join(other, 'd'), { recursive: true })
    writeFileSync(join(other, 'd/a b'), 'one\n')
    execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '-'], { cwd: other, input: patch.stdout })
    expect(readFileSync(join(other, 'd/a b'), 'utf8')).toBe('two\n')

    const records = join(folder, 'r.jsonl')
    expect(await data(['export', '--records', records])).toMatchObject({ file: records, skipped: [] })
    const third = join(folder, 'third')
    mkdirSync(third)
    expect((await run(['replay', records, '--dry-run', '--root', third])).stdout).toBe('Would replay 2 changes.\n')
    expect(existsSync(join(third, 'd'))).toBe(false)
    expect((await run(['replay', records, '--root', third])).stdout).toBe('Replayed 2 changes.\n')
    expect(readFileSync(join(third, 'd/a b'), 'utf8')).toBe('two\n')
    expect(await run(['replay', records, '--root', third])).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('Change 1 does not fit here'),
    })

    const archive = join(folder, 'w.tar')
    expect(await data(['export', '--history', archive])).toMatchObject({ file: archive })
    const fourth = join(folder, 'fourth')
    mkdirSync(fourth)
    expect((await run(['import', '--history', archive, '--root', fourth])).stdout).toBe(
      'Took over 1 file and 2 changes, all of them checked.\n',
    )
    expect(await run(['undo', '--root', fourth])).toMatchObject({ status: 0 })
    expect(readFileSync(join(fourth, 'd/a b'), 'utf8')).toBe('one\n')
    expect(await run(['import', '--history', archive, '--root', fourth])).toMatchObject({ status: 5 })
    writeFileSync(archive, 'no tar')
    expect(await run(['import', '--history', archive, '--fs', 'sqlite', '--db', join(folder, 'n.sqlite')])).toMatchObject({ status: 6 })
  })

  test('export makes no file that it cannot finish, and overwrites none', async () => {
    const file = join(folder, 'p.patch')
    expect(await at(['export', '--patch', file])).toMatchObject({ status: 3 })
    await write('a', 'one')
    expect(await at(['export'])).toMatchObject({ status: 2 })
    expect(await at(['export', '--patch', file, '--records', file])).toMatchObject({ status: 2 })
    expect(await at(['export', '--history', file, '--from', '1'])).toMatchObject({ status: 2 })
    expect(await at(['export', '--patch', '-', '--json'])).toMatchObject({ status: 2 })
    expect(await at(['export', '--history', '-'], true)).toMatchObject({ status: 2 })
    expect(existsSync(file)).toBe(false)
    expect(await at(['export', '--patch', file])).toMatchObject({ status: 0 })
    expect(await at(['export', '--patch', file])).toMatchObject({ status: 5 })
    expect(readdirSync(folder).filter((name) => name.startsWith('p.'))).toEqual(['p.patch'])
  })

  test('backups lists, rollback shows the diff and restores', async () => {
    await write('a', 'one\n')
    await write('a', 'two\n')
    expect((await at(['backups', 'none'])).stdout).toBe('No backups.\n')
    const { stdout } = await at(['backups', 'a'])
    expect(stdout).toMatch(/^\S+ {2}\S+ \S+ {2}\S*a {2}4 bytes {2}write_file\n$/)
    const id = stdout.split(' ')[0] as string
    expect((await at(['rollback', 'a', id, '--dry-run'])).stdout).toMatch(/-two\n\+one\nWould restore \S*a from /)
    expect(await text('a')).toContain('two')
    expect((await at(['rollback', 'a'])).stdout).toContain('Restored')
    expect(await text('a')).toContain('one')
    expect(await at(['rollback', 'a', 'nonsense'])).toMatchObject({ status: 2 })
    expect(await at(['rollback', 'none'])).toMatchObject({ status: 3 })
  })
})

describe('between workspaces', () => {
  test('replay reads another folder or a database, from one change on', async () => {
    const write = (content: string, storage: readonly string[]) =>
      run(['call', '--profile', 'fileops', 'write_file', JSON.stringify({ file_path: 'a', content, force_overwrite: true }), ...storage])
    const db = ['--fs', 'sqlite', '--db', join(folder, 'w.sqlite')]
    for (const content of ['one', 'two']) await write(content, db)
    expect((await run(['replay', join(folder, 'w.sqlite'), '--root', root])).stdout).toBe('Replayed 2 changes.\n')
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('two')
    await write('three', ['--root', root])
    expect((await run(['replay', root, '--from', '3', ...db])).stdout).toBe('Replayed 1 change.\n')
    expect(await run(['replay', join(folder, 'none'), ...db])).toMatchObject({ status: 3 })
    const records = join(folder, 'r.jsonl')
    await run(['export', '--records', records, ...db])
    expect(await run(['replay', records, '--from', '2', '--root', root])).toMatchObject({ status: 2 })
  })

  test('import takes a folder or an archive, not both', async () => {
    expect(await run(['import', '--fs', 'memory'])).toMatchObject({ status: 2 })
    expect(await run(['import', folder, '--history', 'x', '--fs', 'memory'])).toMatchObject({ status: 2 })
    expect(await run(['import', '--history', 'x', '--replace', '--fs', 'memory'])).toMatchObject({ status: 2 })
    expect(await run(['import', '--history', join(folder, 'none'), '--fs', 'memory'])).toMatchObject({ status: 3 })
  })
})

describe('as processes', { timeout: 60_000 }, () => {
  test('watch prints what others do, and ends in order; an agent may have it beside its calls', async () => {
    expect(
      await runProcess(['call', '--profile', 'fileops', 'write_file', '{"file_path":"a","content":"one"}', '--root', root]),
    ).toMatchObject({ status: 0 })
    const watching = start(['watch', '--json', '--root', root])
    const exit = new Promise((resolve) => watching.on('close', resolve))
    writeFileSync(join(root, 'a'), 'two')
    let printed = ''
    for await (const part of watching.stdout) {
      printed += part
      if (printed.includes('\n')) break
    }
    expect(JSON.parse(printed)).toMatchObject({ record: { kind: 'external', changes: [{ path: 'a' }] } })
    watching.kill('SIGTERM')
    expect(await exit).toBe(0)
    writeFileSync(join(root, 'a'), 'three')
    expect(await runProcess(['watch', '--once', '--root', root])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/external {2}a\n$/),
    })
    expect((await runProcess(['watch', '--once', '--root', root])).stdout).toBe('Nothing new.\n')
    writeFileSync(join(root, 'a'), 'four')
    expect(await runProcess(['mcp', '--watch', '--root', root])).toMatchObject({ status: 0, stderr: '' })
    expect(await runProcess(['watch', '--fs', 'memory'])).toMatchObject({ status: 4 })
  })

  test('an archive goes through a pipe', async () => {
    const input = JSON.stringify({ file_path: 'a', content: 'x'.repeat(3_000_000) })
    expect(await runProcess(['call', '--profile', 'fileops', 'write_file', '-', '--root', root], { input })).toMatchObject({ status: 0 })
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const command = `"$0" "$1" export --history - --root "$2" | "$0" "$1" import --history - --root "$3"`
    const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, main, root, copy], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout).toBe('Took over 1 file and 1 change, all of them checked.\n')
    expect(readFileSync(join(copy, 'a'), 'utf8')).toHaveLength(3_000_000)
  })
})
