/** `asNodeFs` against Node's own `fs.promises`: the same calls give the same answers and the same codes. */
import { mkdtempSync, promises as nodePromises, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { asNodeFs, NODE_FS_CONSTANTS, type NodeFsPromises, withNodeFs } from '../../src/library/as_node_fs.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filewright-node-fs-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function open(settings: OperatorSettings = {}): Promise<Workspace> {
  return openWorkspace({ fs: createMemoryFs(), settings })
}

type Fs = NodeFsPromises

/** What a call came to, in a form that both sides can have. */
async function outcome(work: () => Promise<unknown>, root: string): Promise<unknown> {
  try {
    return plain(await work(), root)
  } catch (error) {
    const { code, syscall } = error as { code?: string; syscall?: string }
    return { code, ...(syscall !== undefined && code !== 'EPERM' && { syscall }) }
  }
}

function plain(value: unknown, root: string): unknown {
  if (value instanceof Uint8Array) return `bytes:${[...value].join()}`
  if (typeof value === 'string') return value.replaceAll(root, '')
  if (Array.isArray(value)) return value.map((item) => plain(item, root)).sort()
  if (typeof value === 'object' && value !== null && 'isFile' in value) {
    const entry = value as { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean; name?: string; parentPath?: string }
    const { size, mode } = value as { size?: number; mode?: number }
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'other'
    const facts = mode === undefined ? '' : ` ${mode.toString(8)}${kind === 'directory' ? '' : ` ${size}`}`
    return `${kind}${facts} ${entry.name ?? ''} ${entry.parentPath?.replaceAll(root, '') ?? ''}`
  }
  return value
}

async function plant(fs: Fs, root: string): Promise<void> {
  await fs.mkdir(`${root}/d/e`, { recursive: true })
  await fs.mkdir(`${root}/empty`)
  await fs.writeFile(`${root}/f`, 'héllo\n')
  await fs.writeFile(`${root}/x`, '#!/bin/sh\n', { mode: 0o777 })
  await fs.writeFile(`${root}/d/g`, Uint8Array.of(0, 255, 254))
  await fs.writeFile(`${root}/d/e/h`, '')
  await fs.symlink('f', `${root}/link`)
  await fs.symlink('d', `${root}/dirlink`)
  await fs.symlink('nowhere', `${root}/dangling`)
  await fs.symlink('loop', `${root}/loop`)
}

/** Everything that is there, with contents. */
async function tree(fs: Fs, root: string): Promise<string[]> {
  const lines: string[] = []
  for (const { name: last, parentPath } of await fs.readdir(root, { recursive: true, withFileTypes: true })) {
    const name = `${parentPath}/${last}`.slice(root.length + 1)
    const stats = await fs.lstat(`${root}/${name}`)
    const what = stats.isSymbolicLink()
      ? await fs.readlink(`${root}/${name}`)
      : stats.isFile()
        ? `${await fs.readFile(`${root}/${name}`, 'latin1')} ${(stats.mode & 0o777).toString(8)}`
        : '/'
    lines.push(`${name} ${what}`)
  }
  return lines.sort()
}

const CALLS: readonly [string, (fs: Fs, root: string) => Promise<unknown>][] = [
  ['readFile: bytes', (fs, r) => fs.readFile(`${r}/d/g`)],
  ['readFile: utf8', (fs, r) => fs.readFile(`${r}/f`, 'utf8')],
  ['readFile: utf8 of bad bytes', (fs, r) => fs.readFile(`${r}/d/g`, 'utf-8')],
  [
    'readFile: encodings',
    (fs, r) => Promise.all(['latin1', 'hex', 'base64', 'base64url', 'ascii', 'ucs2'].map((e) => fs.readFile(`${r}/d/g`, { encoding: e }))),
  ],
  ['readFile: through a link', (fs, r) => fs.readFile(`${r}/dirlink/g`)],
  ['readFile: nothing there', (fs, r) => fs.readFile(`${r}/none`)],
  ['readFile: a directory', async (fs, r) => fs.readFile(`${r}/d`).catch(({ code }) => code)],
  ['readFile: below a file', (fs, r) => fs.readFile(`${r}/f/x`)],
  ['readFile: dangling', (fs, r) => fs.readFile(`${r}/dangling`)],
  ['readFile: a loop', (fs, r) => fs.readFile(`${r}/loop`)],
  ['readFile: with a slash', (fs, r) => fs.readFile(`${r}/f/`)],
  ['readFile: an unknown encoding', (fs, r) => fs.readFile(`${r}/f`, 'utf-7')],
  ['readFile: no path', (fs) => fs.readFile(undefined as never)],
  ['writeFile: new', (fs, r) => fs.writeFile(`${r}/new`, 'text')],
  ['writeFile: over', (fs, r) => fs.writeFile(`${r}/x`, new Uint16Array([1, 2]))],
  [
    'writeFile: encodings',
    async (fs, r) => {
      for (const e of ['latin1', 'hex', 'base64', 'base64url', 'utf16le', 'ascii']) await fs.writeFile(`${r}/e-${e}`, 'c3a9f0', e)
    },
  ],
  [
    'writeFile: odd texts',
    async (fs, r) => {
      await fs.writeFile(`${r}/1`, 'abc', 'hex')
      await fs.writeFile(`${r}/2`, 'zz', 'hex')
      await fs.writeFile(`${r}/3`, 'YQ', 'base64')
      await fs.writeFile(`${r}/4`, 'Ā', 'latin1')
    },
  ],
  ['writeFile: wx', (fs, r) => fs.writeFile(`${r}/f`, 'x', { flag: 'wx' })],
  ['writeFile: wx of a dangling link', (fs, r) => fs.writeFile(`${r}/dangling`, 'x', { flag: 'wx' })],
  ['writeFile: through a dangling link', (fs, r) => fs.writeFile(`${r}/dangling`, 'x')],
  ['writeFile: a', (fs, r) => fs.writeFile(`${r}/f`, 'x', { flag: 'a' })],
  ['writeFile: r+', (fs, r) => fs.writeFile(`${r}/f`, 'HE', { flag: 'r+' })],
  ['writeFile: r+ of nothing', (fs, r) => fs.writeFile(`${r}/none`, 'HE', { flag: 'r+' })],
  ['writeFile: a directory', (fs, r) => fs.writeFile(`${r}/d`, 'x')],
  ['writeFile: no parent', (fs, r) => fs.writeFile(`${r}/no/x`, 'x')],
  ['writeFile: a mode', (fs, r) => fs.writeFile(`${r}/m`, 'x', { mode: 0o600 })],
  ['writeFile: a text mode', (fs, r) => fs.writeFile(`${r}/m`, 'x', { mode: '755' })],
  ['writeFile: parts', (fs, r) => fs.writeFile(`${r}/parts`, ['a', 'b', 'c'])],
  ['writeFile: a number', (fs, r) => fs.writeFile(`${r}/n`, 5 as never)],
  ['appendFile', (fs, r) => fs.appendFile(`${r}/f`, 'more')],
  ['appendFile: new', (fs, r) => fs.appendFile(`${r}/g`, 'more')],
  ['truncate', (fs, r) => fs.truncate(`${r}/f`, 2)],
  ['truncate: longer', (fs, r) => fs.truncate(`${r}/f`, 12)],
  ['mkdir', (fs, r) => fs.mkdir(`${r}/n`)],
  ['mkdir: exists', (fs, r) => fs.mkdir(`${r}/d`)],
  ['mkdir: a dangling link', (fs, r) => fs.mkdir(`${r}/dangling`)],
  ['mkdir: no parent', (fs, r) => fs.mkdir(`${r}/no/x`)],
  ['mkdir: recursive', (fs, r) => fs.mkdir(`${r}/a/b/c`, { recursive: true })],
  ['mkdir: recursive, exists', (fs, r) => fs.mkdir(`${r}/d/e`, { recursive: true })],
  ['mkdir: recursive, a link to one', (fs, r) => fs.mkdir(`${r}/dirlink`, { recursive: true })],
  ['mkdir: recursive, a file', (fs, r) => fs.mkdir(`${r}/f`, { recursive: true })],
  ['mkdir: below a file', (fs, r) => fs.mkdir(`${r}/f/g`)],
  ['mkdir: a slash', (fs, r) => fs.mkdir(`${r}/n/`)],
  ['readdir', (fs, r) => fs.readdir(r)],
  ['readdir: types', (fs, r) => fs.readdir(r, { withFileTypes: true })],
  // Node's goes through links to directories where types are not asked for; ours never does.
  ['readdir: recursive', (fs, r) => fs.readdir(`${r}/d`, { recursive: true })],
  ['readdir: recursive types', (fs, r) => fs.readdir(`${r}/d`, { recursive: true, withFileTypes: true })],
  ['readdir: a file', (fs, r) => fs.readdir(`${r}/f`)],
  ['readdir: nothing there', (fs, r) => fs.readdir(`${r}/none`)],
  ['readdir: through a link, and a dot', (fs, r) => fs.readdir(`${r}/dirlink/.`)],
  ['stat', (fs, r) => Promise.all([fs.stat(`${r}/f`), fs.stat(`${r}/link`), fs.stat(`${r}/x`), fs.stat(`${r}/d`)])],
  ['stat: dangling', (fs, r) => fs.stat(`${r}/dangling`)],
  ['stat: a file with a slash', (fs, r) => fs.stat(`${r}/f/`)],
  ['stat: dots', (fs, r) => fs.stat(`${r}/d/../f`)],
  ['lstat', (fs, r) => Promise.all([fs.lstat(`${r}/f`), fs.lstat(`${r}/link`), fs.lstat(`${r}/dangling`), fs.lstat(`${r}/.`)])],
  ['lstat: nothing there', (fs, r) => fs.lstat(`${r}/none`)],
  ['readlink', (fs, r) => fs.readlink(`${r}/dangling`)],
  ['readlink: a file', (fs, r) => fs.readlink(`${r}/f`)],
  ['symlink: exists', (fs, r) => fs.symlink('x', `${r}/f`)],
  ['symlink: new', (fs, r) => fs.symlink('d/g', `${r}/s`)],
  ['realpath', (fs, r) => fs.realpath(`${r}/dirlink/e/../g`)],
  ['realpath: nothing there', (fs, r) => fs.realpath(`${r}/none`)],
  ['access', (fs, r) => fs.access(`${r}/f`, NODE_FS_CONSTANTS.R_OK)],
  [
    'access: X_OK',
    (fs, r) => Promise.allSettled([fs.access(`${r}/x`, 1), fs.access(`${r}/f`, 1)]).then((all) => all.map(({ status }) => status)),
  ],
  ['access: nothing there', (fs, r) => fs.access(`${r}/none`)],
  ['unlink', (fs, r) => fs.unlink(`${r}/f`)],
  ['unlink: a link', (fs, r) => fs.unlink(`${r}/dirlink`)],
  ['unlink: nothing there', (fs, r) => fs.unlink(`${r}/none`)],
  ['unlink: a directory', (fs, r) => fs.unlink(`${r}/d`)],
  ['rmdir', (fs, r) => fs.rmdir(`${r}/empty`)],
  ['rmdir: not empty', (fs, r) => fs.rmdir(`${r}/d`)],
  ['rmdir: a file', (fs, r) => fs.rmdir(`${r}/f`)],
  ['rm', (fs, r) => fs.rm(`${r}/f`)],
  ['rm: a directory', async (fs, r) => fs.rm(`${r}/d`).catch(({ code }) => code)],
  ['rm: recursive', (fs, r) => fs.rm(`${r}/d`, { recursive: true })],
  ['rm: recursive, a link', (fs, r) => fs.rm(`${r}/dirlink`, { recursive: true })],
  ['rm: nothing there', (fs, r) => fs.rm(`${r}/none`).catch(({ code }) => code)],
  ['rm: force', (fs, r) => fs.rm(`${r}/none`, { force: true })],
  ['rename', (fs, r) => fs.rename(`${r}/f`, `${r}/g`)],
  ['rename: over a file', (fs, r) => fs.rename(`${r}/f`, `${r}/x`)],
  ['rename: over a link', (fs, r) => fs.rename(`${r}/f`, `${r}/dirlink`)],
  ['rename: itself', (fs, r) => fs.rename(`${r}/f`, `${r}/f`)],
  ['rename: a tree', (fs, r) => fs.rename(`${r}/d`, `${r}/t`)],
  ['rename: a tree over an empty one', (fs, r) => fs.rename(`${r}/d`, `${r}/empty`)],
  ['rename: a tree over a full one', (fs, r) => fs.rename(`${r}/empty`, `${r}/d`)],
  ['rename: a tree over a file', (fs, r) => fs.rename(`${r}/d`, `${r}/f`)],
  ['rename: a file over a tree', (fs, r) => fs.rename(`${r}/f`, `${r}/empty`)],
  ['rename: into itself', (fs, r) => fs.rename(`${r}/d`, `${r}/d/e/f`)],
  ['rename: a link', (fs, r) => fs.rename(`${r}/link`, `${r}/l`)],
  ['rename: nothing there', (fs, r) => fs.rename(`${r}/none`, `${r}/l`)],
  ['rename: no parent', (fs, r) => fs.rename(`${r}/f`, `${r}/no/l`)],
  ['copyFile', (fs, r) => fs.copyFile(`${r}/x`, `${r}/y`)],
  ['copyFile: over', (fs, r) => fs.copyFile(`${r}/f`, `${r}/x`)],
  ['copyFile: excl', (fs, r) => fs.copyFile(`${r}/f`, `${r}/x`, NODE_FS_CONSTANTS.COPYFILE_EXCL)],
  ['copyFile: nothing there', (fs, r) => fs.copyFile(`${r}/none`, `${r}/y`)],
  ['chmod', (fs, r) => fs.chmod(`${r}/f`, 0o755)],
  ['chmod: text', (fs, r) => fs.chmod(`${r}/f`, '600')],
  [
    'utimes',
    async (fs, r) => {
      await fs.utimes(`${r}/f`, new Date(1000), new Date(1_000_000_000_000))
      const { mtimeMs } = await fs.stat(`${r}/f`)
      return mtimeMs
    },
  ],
  [
    'mkdtemp',
    async (fs, r) => {
      const made = await fs.mkdtemp(`${r}/tmp-`)
      await fs.rename(made, `${r}/made`)
      return made.length - r.length
    },
  ],
  ['mkdtemp: no parent', async (fs, r) => fs.mkdtemp(`${r}/no/tmp-`).catch(({ code }) => code)],
  [
    'open: read',
    async (fs, r) => {
      const handle = await fs.open(`${r}/f`)
      const { bytesRead, buffer } = await handle.read(new Uint8Array(4), 1, 3, 2)
      const next = await handle.read(new Uint8Array(2), 0, 2, null)
      await handle.close()
      return [bytesRead, [...buffer], [...next.buffer]]
    },
  ],
  [
    'open: write',
    async (fs, r) => {
      const handle = await fs.open(`${r}/n`, 'w+', 0o600)
      await handle.write('abc')
      await handle.write(Uint8Array.of(100, 101), 1, 1, 0)
      await handle.write('Z', 5)
      await handle.truncate(5)
      const { size } = await handle.stat()
      await handle.close()
      return size
    },
  ],
  [
    'open: append',
    async (fs, r) => {
      const handle = await fs.open(`${r}/f`, 'a')
      await handle.appendFile('1')
      await handle.sync()
      await fs.appendFile(`${r}/f`, 'other')
      await handle.write('2')
      await handle.close()
    },
  ],
  [
    'open: r+',
    async (fs, r) => {
      await using handle = await fs.open(`${r}/f`, 'r+')
      await handle.write('Y', 1)
    },
  ],
  ['open: wx', (fs, r) => fs.open(`${r}/f`, 'wx')],
  [
    'open: wx twice',
    async (fs, r) => {
      await using _ = await fs.open(`${r}/lock`, 'wx')
      return fs.open(`${r}/lock`, 'wx').catch(({ code }) => code)
    },
  ],
  ['open: nothing there', (fs, r) => fs.open(`${r}/none`)],
  ['open: bad flags', (fs, r) => fs.open(`${r}/f`, 'q' as never)],
]

describe('as Node does it', () => {
  test.each(CALLS.map(([name, act], at) => [name, act, at] as const))('%s', async (_, act, at) => {
    const [theirs, ours] = [`${folder}/${at}`, '/w']
    await nodePromises.mkdir(theirs)
    await plant(nodePromises as unknown as Fs, theirs)
    const fs = asNodeFs(await open()).promises
    await fs.mkdir(ours)
    await plant(fs, ours)
    const expected = await outcome(() => act(nodePromises as unknown as Fs, theirs), theirs)
    expect(await outcome(() => act(fs, ours), ours)).toEqual(expected)
    expect(await tree(fs, ours)).toEqual((await tree(nodePromises as unknown as Fs, theirs)).map((line) => line.replaceAll(theirs, ours)))
  })
})

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
    await expect(fs.readFile(new URL('https://example.org/a'))).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
    await expect(fs.readFile('a\0b')).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
    await expect(fs.readFile('')).rejects.toMatchObject({ code: 'ENOENT' })
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
