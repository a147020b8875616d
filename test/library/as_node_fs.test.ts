/** `asNodeFs`: what is written is a change of the workspace, one by one or gathered; odd callers are served too. */
import { describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { asNodeFs, withNodeFs } from '../../src/library/as_node_fs.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'

async function open(settings: OperatorSettings = {}): Promise<Workspace> {
  return openWorkspace({ fs: createMemoryFs(), settings })
}

describe('as a change of the workspace', () => {
  test('each write is a record, and undo takes it back', async () => {
    const workspace = await open()
    const fs = asNodeFs(workspace, { tool: 'formatter', subject: 'ci' }).promises
    await fs.writeFile('/a.txt', 'one')
    await fs.writeFile('/a.txt', 'two')
    const [newest] = await workspace.log()
    expect(newest?.record).toMatchObject({ tool: 'formatter', subject: 'ci', kind: 'call', count: 1 })
    await workspace.undo('last')
    expect(await fs.readFile('/a.txt', 'utf8')).toBe('one')
    await workspace.verify()
  })

  test('what is the same already is no change', async () => {
    const workspace = await open()
    const fs = asNodeFs(workspace).promises
    await fs.writeFile('/a', 'x')
    await fs.writeFile('/a', 'x')
    await fs.mkdir('/d', { recursive: true })
    await fs.mkdir('/d', { recursive: true })
    await fs.chmod('/a', 0o644)
    await fs.rm('/none', { force: true })
    expect(await workspace.log()).toHaveLength(2)
  })

  test('guards refuse, unless it is allowed', async () => {
    const workspace = await open()
    const { promises: fs } = asNodeFs(workspace)
    await fs.mkdir('/dist')
    await fs.writeFile('/.gitignore', 'dist/\n')
    const denied = { code: 'EPERM', errno: -1, syscall: 'open' }
    await expect(fs.writeFile('/dist/a', '')).rejects.toMatchObject({ ...denied, cause: { code: 'ignored_path' } })
    await expect(fs.writeFile('/.env', '')).rejects.toMatchObject({ ...denied, cause: { code: 'sensitive_path' } })
    await expect(fs.mkdir('/.git')).rejects.toMatchObject({ code: 'EPERM', cause: { code: 'protected_path' } })
    const free = asNodeFs(workspace, { allowIgnored: true, allowSensitive: true }).promises
    await free.writeFile('/dist/a', '')
    await free.writeFile('/.env', '')
    await expect(free.mkdir('/.git')).rejects.toMatchObject({ code: 'EPERM' })
    const lifted = asNodeFs(await open({ allowGitInternals: true })).promises
    await lifted.mkdir('/.git')
  })

  test('a link does not hide what its name says', async () => {
    const fs = asNodeFs(await open()).promises
    await fs.writeFile('/plain', '')
    await expect(fs.symlink('plain', '/.env')).rejects.toMatchObject({ code: 'EPERM' })
    await asNodeFs(await open(), { allowSensitive: true }).promises.symlink('plain', '/.env')
  })

  test('a read-only workspace is read', async () => {
    const fs = createMemoryFs()
    await asNodeFs(await openWorkspace({ fs })).promises.writeFile('/a', 'x')
    const shut = asNodeFs(await openWorkspace({ fs, settings: { readOnly: true } })).promises
    expect(await shut.readFile('/a', 'utf8')).toBe('x')
    await expect(shut.writeFile('/a', 'y')).rejects.toMatchObject({ code: 'EROFS' })
  })

  test('what waits for a person is refused, and passes once it is granted', async () => {
    const workspace = await open({ approval: 'risky' })
    const fs = asNodeFs(workspace, { subject: 'agent' }).promises
    await fs.writeFile('/a', 'x')
    await expect(fs.rm('/a')).rejects.toMatchObject({ code: 'EPERM', cause: { code: 'approval_required' } })
    const [request] = await workspace.approvals.list()
    await workspace.approvals.grant(request?.id as string, { by: 'person' })
    await fs.rm('/a')
    expect(await fs.exists('/a')).toBe(false)
  })

  test('links do not lead out', async () => {
    const fs = asNodeFs(await open()).promises
    await fs.mkdir('/d')
    await expect(fs.symlink('../../x', '/d/out')).rejects.toMatchObject({ code: 'EACCES' })
    await fs.symlink('../x', '/d/in')
    await expect(fs.rename('/d/in', '/in')).rejects.toMatchObject({ code: 'EACCES' })
    await expect(fs.readFile('/../x')).rejects.toMatchObject({ code: 'EACCES' })
  })

  test('the root stays', async () => {
    const fs = asNodeFs(await open()).promises
    await fs.mkdir('/d')
    for (const act of [fs.rm('/', { recursive: true }), fs.rename('/', '/d/e')]) await expect(act).rejects.toMatchObject({ code: 'EPERM' })
    expect(await fs.readdir('/')).toEqual(['d'])
  })

  test('modes of directories cannot be changed, and that is said', async () => {
    const fs = asNodeFs(await open()).promises
    await fs.mkdir('/d')
    await expect(fs.chmod('/d', 0o700)).rejects.toMatchObject({ code: 'ENOTSUP' })
    await fs.utimes('/d', 1, 1)
  })

  test("large files go through, and are the caller's own", async () => {
    const fs = asNodeFs(await open()).promises
    const bytes = new Uint8Array(3 * 1024 * 1024).fill(7)
    const written = fs.writeFile('/big', bytes)
    bytes.fill(8, 0, 10)
    await written
    const read = (await fs.readFile('/big')) as Uint8Array
    expect([read.length, read[0], read.at(-1)]).toEqual([3 * 1024 * 1024, 7, 7])
    read.fill(1)
    expect(((await fs.readFile('/big')) as Uint8Array)[0]).toBe(7)
  })
})

describe('older and odd callers', () => {
  test('callbacks', async () => {
    const fs = asNodeFs(await open())
    await fs.promises.writeFile('/a', 'x')
    const read = await new Promise((resolve) => fs.readFile('/a', 'utf8', (error: Error | null, text?: never) => resolve([error, text])))
    expect(read).toEqual([null, 'x'])
    const failed = await new Promise((resolve) => fs.stat('/none', (error: Error | null) => resolve(error)))
    expect(failed).toMatchObject({ code: 'ENOENT', errno: -2, syscall: 'stat', path: '/none' })
    expect((failed as Error).message).toBe("ENOENT: no such file or directory, stat '/none'")
  })

  test('a call without arguments is a rejected promise', async () => {
    const fs = asNodeFs(await open())
    for (const readFile of [fs.readFile, fs.promises.readFile]) {
      const answer = (readFile as () => Promise<unknown>)()
      await expect(answer).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    }
  })

  test('URLs and relative paths', async () => {
    const fs = asNodeFs(await open()).promises
    await fs.writeFile(new URL('file:///a%20b'), 'x')
    expect(await fs.readFile('a b', 'utf8')).toBe('x')
    await expect(fs.readFile(new URL('https://example.org/a'))).rejects.toMatchObject({ code: 'ERR_INVALID_URL_SCHEME' })
    await expect(fs.readFile('a\0b')).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
    await expect(fs.readFile('')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('open files', () => {
  test('what somebody else wrote since is not lost', async () => {
    const workspace = await open()
    const fs = asNodeFs(workspace).promises
    await fs.writeFile('/a', 'aaaa')
    const [mine, theirs] = [await fs.open('/a', 'r+'), await fs.open('/a', 'r+')]
    await theirs.write('T', 0)
    await theirs.sync()
    await theirs.write('U', 1)
    await theirs.close()
    await mine.write('M', 3)
    await expect(mine.close()).rejects.toMatchObject({ code: 'EBUSY' })
    expect(await fs.readFile('/a', 'utf8')).toBe('TUaa')
  })

  test.each(['w', 'a'])('what is written while another part is on its way (%s)', async (flag) => {
    const workspace = await open()
    const fs = asNodeFs(workspace).promises
    const handle = await fs.open('/a', flag)
    await handle.write('one ')
    const synced = handle.sync()
    await Promise.resolve()
    await handle.write('two')
    await Promise.all([synced, handle.close()])
    expect(await fs.readFile('/a', 'utf8')).toBe('one two')
  })

  test('many small writes, and no more than a file may have', async () => {
    const workspace = await open()
    const fs = asNodeFs(workspace).promises
    const handle = await fs.open('/a', 'w+')
    for (let i = 0; i < 20_000; i++) await handle.write('0123456789')
    await handle.truncate(5)
    await handle.write('x', 7)
    await handle.close()
    expect(await fs.readFile('/a', 'latin1')).toBe('01234\0\0x')
    const large = await fs.open('/a', 'r+')
    await expect(large.write('x', 2 ** 50)).rejects.toMatchObject({ code: 'EFBIG' })
    await expect(large.truncate(2 ** 50)).rejects.toMatchObject({ code: 'EFBIG' })
    await large.close()
    await expect(fs.truncate('/a', 2 ** 50)).rejects.toMatchObject({ code: 'EFBIG' })
  })
})

describe('withNodeFs', () => {
  test('gathers writes into one change that is seen at the end', async () => {
    const workspace = await open()
    const outside = asNodeFs(workspace).promises
    await outside.writeFile('/old', 'old')
    const made = await withNodeFs(workspace, async ({ promises: fs }) => {
      await fs.mkdir('/d/e', { recursive: true })
      await fs.writeFile('/d/e/a', 'a')
      await fs.writeFile('/d/e/../b', 'b')
      await fs.appendFile('/d/e/a', '2')
      await fs.rename('/d', '/moved')
      await fs.rename('/old', '/moved/old')
      await fs.copyFile('/moved/e/a', '/copy')
      await fs.chmod('/copy', 0o755)
      await fs.rm('/moved/e', { recursive: true })
      expect(await outside.readdir('/')).toEqual(['old'])
      return fs.readdir('/', { recursive: true })
    })
    expect(made).toEqual(['copy', 'moved', 'moved/b', 'moved/old'])
    expect(await outside.readdir('/', { recursive: true })).toEqual(made)
    expect([await outside.readFile('/copy', 'utf8'), (await outside.stat('/copy')).mode & 0o777]).toEqual(['a2', 0o755])
    expect(await workspace.log()).toHaveLength(2)
    await workspace.undo('last')
    expect(await outside.readdir('/', { recursive: true })).toEqual(['old'])
  })

  test('large files are read back before they are committed', async () => {
    const workspace = await open()
    const bytes = new Uint8Array(3 * 1024 * 1024).fill(7)
    await withNodeFs(workspace, async ({ promises: fs }) => {
      await fs.writeFile('/big', bytes)
      bytes.fill(8)
      expect(((await fs.readFile('/big')) as Uint8Array)[0]).toBe(7)
      await fs.rename('/big', '/moved')
    })
    expect((await asNodeFs(workspace).promises.stat('/moved')).size).toBe(3 * 1024 * 1024)
    expect(((await asNodeFs(workspace).promises.readFile('/moved')) as Uint8Array).at(-1)).toBe(7)
  })

  test('writes nothing when the work throws, nor when a guard refuses a part', async () => {
    const workspace = await open()
    const failure = new Error('stop')
    await expect(
      withNodeFs(workspace, async ({ promises: fs }) => fs.writeFile('/a', 'x').then(() => Promise.reject(failure))),
    ).rejects.toBe(failure)
    const refused = withNodeFs(workspace, async ({ promises: fs }) => {
      await fs.writeFile('/a', 'x')
      await fs.writeFile('/.env', 'x')
    })
    await expect(refused).rejects.toMatchObject({ code: 'EPERM', cause: { code: 'sensitive_path' } })
    expect(await workspace.log()).toEqual([])
  })

  test('refuses to replace what somebody else changed meanwhile', async () => {
    const workspace = await open()
    const outside = asNodeFs(workspace).promises
    await outside.writeFile('/a', 'one')
    const work = withNodeFs(workspace, async ({ promises: fs }) => {
      const text = await fs.readFile('/a', 'utf8')
      await outside.writeFile('/a', 'theirs')
      await fs.writeFile('/a', `${text} and mine`)
      await outside.writeFile('/a', 'theirs again')
    })
    await expect(work).rejects.toMatchObject({ code: 'EBUSY' })
    expect(await outside.readFile('/a', 'utf8')).toBe('theirs again')
  })

  test('does not keep others waiting', async () => {
    const workspace = await open()
    await withNodeFs(workspace, async ({ promises: fs }) => {
      await fs.writeFile('/a', 'x')
      await workspace.call('write', { path: 'b', content: 'y' })
    })
    expect(await asNodeFs(workspace).promises.readdir('/')).toEqual(['a', 'b'])
  })

  test('what nobody waited for is written with the rest, or not at all', async () => {
    const workspace = await open()
    let late = (): Promise<unknown> => Promise.resolve()
    let begun: Promise<string> | undefined
    await withNodeFs(workspace, async ({ promises: fs }) => {
      begun = fs.writeFile('/begun', 'x').then(
        () => 'begun',
        ({ code }) => code,
      )
      late = () => fs.writeFile('/late', 'x')
    })
    await expect(late()).rejects.toMatchObject({ code: 'ECANCELED' })
    expect(await asNodeFs(workspace).promises.readdir('/')).toEqual((await begun) === 'begun' ? ['begun'] : [])
    expect(await begun).toMatch(/^(begun|ECANCELED)$/)
    const failed = withNodeFs(workspace, async ({ promises: fs }) => {
      late = () => fs.writeFile('/late', 'x')
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    await expect(late()).rejects.toMatchObject({ code: 'ECANCELED' })
  })

  test('is nothing when nothing was written', async () => {
    const workspace = await open()
    expect(await withNodeFs(workspace, ({ promises: fs }) => fs.exists('/a'))).toBe(false)
    expect(await workspace.log()).toEqual([])
  })

  test('stops with its signal', async () => {
    const workspace = await open()
    const aborted = AbortSignal.abort()
    await expect(withNodeFs(workspace, ({ promises: fs }) => fs.writeFile('/a', 'x'), { signal: aborted })).rejects.toMatchObject({
      code: 'ECANCELED',
    })
    await expect(asNodeFs(workspace, { signal: aborted }).promises.writeFile('/a', 'x')).rejects.toMatchObject({ code: 'ECANCELED' })
  })
})
