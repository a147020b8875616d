/** Calls of `fs`, and what they come to in a form that Node's and ours can share. */
import { NODE_FS_CONSTANTS, type NodeFsPromises } from '../../src/library/as_node_fs.ts'

/** Node's own is one too, as far as it is asked here. */
export type Fs = NodeFsPromises

/** What a call came to, in a form that both sides can have. */
export async function outcome(work: () => Promise<unknown>, root: string): Promise<unknown> {
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

/** What the calls find. */
export async function plant(fs: Fs, root: string): Promise<void> {
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
export async function tree(fs: Fs, root: string): Promise<string[]> {
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

/** Name, and what is called below a folder. */
export const CALLS: readonly [string, (fs: Fs, root: string) => Promise<unknown>][] = [
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
  ...['YWJjZ', 'YQ==YQ==', 'YWJj=ZZZZ', 'a-_b', 'Y', '===='].map((text): (typeof CALLS)[number] => [
    `writeFile: base64 ${text}`,
    async (fs, r) => {
      await fs.writeFile(`${r}/n`, text, 'base64')
      return fs.readFile(`${r}/n`, 'hex')
    },
  ]),
  ...['constructor', 'utf-9'].map((name): (typeof CALLS)[number] => [`readFile: encoding ${name}`, (fs, r) => fs.readFile(`${r}/f`, name)]),
  ...['xw', 'rx', 'wxx', 'as', 'r++', 'sa+'].map((flag): (typeof CALLS)[number] => [
    `writeFile: flag ${flag}`,
    (fs, r) => fs.writeFile(`${r}/n`, 'x', { flag }),
  ]),
  ['writeFile: opened to read', (fs, r) => fs.writeFile(`${r}/f`, 'x', { flag: 'r' }).catch(({ code }) => code)],
  ...['w', 'a+', 'r+'].map((flag): (typeof CALLS)[number] => [
    `readFile: flag ${flag}`,
    (fs, r) => fs.readFile(`${r}/f`, { flag, encoding: 'utf8' }).catch(({ code }) => code),
  ]),
  ['readFile: canceled', (fs, r) => fs.readFile(`${r}/f`, { signal: AbortSignal.abort() })],
  ['writeFile: canceled', (fs, r) => fs.writeFile(`${r}/f`, 'x', { signal: AbortSignal.abort() })],
  ...[-1, 2.5, 2 ** 53, null, '1'].map((length): (typeof CALLS)[number] => [
    `truncate: ${length}`,
    (fs, r) => fs.truncate(`${r}/f`, length as number),
  ]),
  ...['rwx', '9', undefined, -1, 2 ** 40].map((mode): (typeof CALLS)[number] => [
    `chmod: ${mode}`,
    (fs, r) => fs.chmod(`${r}/f`, mode as number),
  ]),
  ['copyFile: a mode that means nothing', (fs, r) => fs.copyFile(`${r}/f`, `${r}/n`, 99)],
  ['access: a mode that means nothing', (fs, r) => fs.access(`${r}/f`, 8)],
  ['symlink: an empty text', (fs, r) => fs.symlink('', `${r}/n`)],
  ['stat: a long name', (fs, r) => fs.stat(`${r}/${'x'.repeat(256)}`)],
  ['writeFile: a long name', (fs, r) => fs.writeFile(`${r}/${'ü'.repeat(128)}`, '')],
  ['readdir: a slash at the end', (fs, r) => fs.readdir(`${r}/d/`, { withFileTypes: true, recursive: true })],
  ['readFile: bytes of a path', (fs, r) => fs.readFile(new TextEncoder().encode(`${r}/f`) as never, 'utf8')],
  ...['file://host/f', 'file:///a%2Fb', 'file:///a%00b', 'http://host/f'].map((url): (typeof CALLS)[number] => [
    `readFile: ${url}`,
    (fs) => fs.readFile(new URL(url)),
  ]),
  [
    'open: parts of arrays, in all forms',
    async (fs, r) => {
      const handle = await fs.open(`${r}/n`, 'w+')
      await handle.write(Uint8Array.of(65, 66, 67), { offset: 1, length: 1 })
      await handle.write('cd', -1 as never)
      const bytes = new Uint8Array(4)
      const read = [
        await handle.read({ buffer: bytes, offset: 1, position: 1 }),
        await handle.read({ buffer: new Uint8Array(2), position: 0n as never }),
        await handle.read(new Uint8Array(3), { length: 2, offset: 1, position: 1 }),
        await handle.read(new Uint8Array(3), 0, 3, -1),
      ]
      await handle.close()
      return read.map(({ bytesRead, buffer }) => `${bytesRead} ${[...buffer].join()}`)
    },
  ],
  ...[[3], [0, 3], [-1], [0.5], ['1'], [0, -1]].map((parts): (typeof CALLS)[number] => [
    `open: parts that are not there, ${parts.join()}`,
    async (fs, r) => {
      const handle = await fs.open(`${r}/n`, 'w+')
      const codes: unknown[] = []
      for (const name of ['write', 'read'] as const)
        codes.push(
          await handle[name](new Uint8Array(2), ...(parts as [number])).then(
            () => 'none',
            ({ code }) => code,
          ),
        )
      await handle.truncate(-1).catch(({ code }) => codes.push(code))
      await handle.truncate(0.5).catch(({ code }) => codes.push(code))
      await handle.close()
      return codes
    },
  ]),
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
