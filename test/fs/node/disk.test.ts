/** What only a disk has: special files, odd names, links to the outside, owners and modes, other programs. */
import { execFileSync } from 'node:child_process'
import * as disk from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ErrorCode, isFilewrightError } from '../../../src/core/errors.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { type NodeFsOptions, openNodeFs } from '../../../src/fs/node.ts'
import {
  at,
  bytesOf,
  commit,
  hashOf,
  inline,
  link,
  listNames,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  scanPaths,
  utf8,
  write,
} from '../../../src/testing/setup.ts'
import { newFolder, problemsOf } from './scenarios.ts'

const isRoot = process.getuid?.() === 0
let folder: ReturnType<typeof newFolder>
let root: string
let fs: FileSystem

const open = (options: Partial<NodeFsOptions> = {}): Promise<FileSystem> => openNodeFs({ root, durability: 'process', ...options })
const inRoot = (path: string): string => join(root, path)

async function code(action: () => unknown): Promise<ErrorCode | 'none'> {
  try {
    await action()
    return 'none'
  } catch (error) {
    if (!isFilewrightError(error)) throw error
    // No message tells where on the host the folder is.
    expect(error.message).not.toContain(root)
    return error.code
  }
}

beforeEach(async () => {
  folder = newFolder()
  root = folder.root
  fs = await open()
})

afterEach(async () => {
  await fs.close()
  folder.remove()
})

describe('the store', () => {
  it('is not made by reading, nor by a commit that is refused', async () => {
    disk.writeFileSync(inRoot('a'), 'a')
    await readText(fs, 'a')
    await scanPaths(fs, '')
    expect(await fs.records()).toEqual([])
    expect(await code(() => fs.object(hashOf(fs, 'a').hash))).toBe('not_found')
    expect(await code(() => commit(fs, write(fs, 'a', 'b')))).toBe('conflict')
    expect(disk.readdirSync(root)).toEqual(['a'])
  })

  it('is there for git to ignore, for its owner alone, and for no method', async () => {
    await commit(fs, write(fs, 'a', 'a'), makeDirectory('sub'), makeDirectory('sub/.filewright'))
    expect(disk.readFileSync(inRoot('.filewright/.gitignore'), 'utf8')).toBe('*\n')
    expect(disk.statSync(inRoot('.filewright')).mode & 0o777).toBe(0o700)
    expect(await scanPaths(fs, '')).toEqual(['a', 'sub', 'sub/.filewright'])
    expect(await listNames(fs, '')).toEqual(['a', 'sub'])
    for (const path of ['.filewright', '.filewright/journal']) {
      expect(await code(() => fs.stat(at(path)))).toBe('not_found')
      expect(await code(() => fs.open(at(path)))).toBe('not_found')
      expect(await code(() => fs.list(at(path)))).toBe('not_found')
      expect(await code(() => scanPaths(fs, path))).toBe('not_found')
      await fs.readEach([at(path)], { maxBytes: 1e6 }, (_path, bytes, problem) => {
        expect([bytes, problem?.code]).toEqual([null, 'not_found'])
        return undefined
      })
      expect(await code(() => commit(fs, write(fs, path, 'x')))).toBe('protected_path')
      expect(await code(() => commit(fs, remove(path, 'directory')))).toBe('protected_path')
      expect(await code(() => commit(fs, move('a', path, hashOf(fs, 'a'))))).toBe('protected_path')
    }
  })

  it.each(['file', 'link'])('is not opened when a %s is in its place, and nothing outside is made', async (kind) => {
    disk.mkdirSync(`${root}.outside`)
    if (kind === 'file') disk.writeFileSync(inRoot('.filewright'), 'x')
    else disk.symlinkSync('../root.outside', inRoot('.filewright'))
    expect(await code(() => commit(fs, write(fs, 'a', 'a')))).toBe('not_directory')
    expect(await code(() => open())).toBe('not_directory')
    expect(disk.readdirSync(`${root}.outside`)).toEqual([])
    expect(disk.existsSync(inRoot('a'))).toBe(false)
  })

  it('does not act when it came from elsewhere', async () => {
    await commit(fs, write(fs, 'a', 'a'))
    await fs.close()
    // As somebody would craft it: a plan that belongs to the last record, with content ready to be put anywhere.
    const plan = join(root, '.filewright/plan')
    const steps = [{ do: 'put', staged: 't-1-0', path: 'crafted', over: 'nothing', saved: null, hash: null }]
    disk.writeFileSync(plan, `${JSON.stringify({ sequence: 1, store: '1:1', steps, keeps: [] })}\n`)
    disk.writeFileSync(join(root, '.filewright/staged/t-1-0'), 'crafted')
    fs = await open()
    expect(await scanPaths(fs, '')).toEqual(['a'])
    expect(await problemsOf(fs, root)).toEqual([])
    await commit(fs, write(fs, 'b', 'b'))
  })

  it.each(['staged', 'objects', 'plan', '.gitignore'])('tells its history although its %s got lost', async (part) => {
    await commit(fs, write(fs, 'a', 'a'))
    await fs.close()
    disk.rmSync(inRoot(`.filewright/${part}`), { recursive: true })
    fs = await open()
    expect(await fs.records()).toHaveLength(1)
    await commit(fs, write(fs, 'b', 'b'))
    expect(await fs.records()).toHaveLength(2)
  })

  it('begins anew when somebody deletes it', async () => {
    await commit(fs, write(fs, 'a', 'a'))
    disk.rmSync(inRoot('.filewright'), { recursive: true })
    expect(await fs.records()).toEqual([])
    const record = await commit(fs, write(fs, 'a', 'b', hashOf(fs, 'a')))
    expect([record.sequence, record.previous]).toEqual([1, null])
    expect(await problemsOf(fs, root)).toEqual([])
  })

  it('tells when what it kept was changed', async () => {
    await commit(fs, write(fs, 'a', 'old'))
    await commit(fs, write(fs, 'a', 'new', hashOf(fs, 'old')))
    const kept = inRoot(`.filewright/objects/${hashOf(fs, 'old').hash}`)
    disk.writeFileSync(kept, 'OLD')
    expect(await code(() => fs.object(hashOf(fs, 'old').hash))).toBe('corrupt')
    const { hash, size } = inline(fs, 'old')
    const back = { ...write(fs, 'a', '', hashOf(fs, 'new')), content: { hash, size } }
    expect(await code(() => commit(fs, back))).toBe('corrupt')
    expect(await readText(fs, 'a')).toBe('new')
  })
})

describe('what is no regular file', () => {
  it('is listed, and never read or written', async () => {
    execFileSync('mkfifo', [inRoot('fifo')])
    const server = createServer().listen(inRoot('socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    for (const path of ['fifo', 'socket']) {
      const entry = await fs.stat(at(path))
      expect([entry.kind, entry.size, entry.hash]).toEqual(['special', null, null])
      expect(await code(() => fs.open(at(path)))).toBe('not_regular')
      await fs.readEach([at(path)], { maxBytes: 1e6 }, (_path, bytes, problem) => {
        expect([bytes, problem?.code]).toEqual([null, 'not_regular'])
        return undefined
      })
      expect(await code(() => commit(fs, write(fs, path, 'x')))).toBe('conflict')
      expect(await code(() => commit(fs, write(fs, path, 'x', { version: entry.version as never })))).toBe('not_regular')
      expect(await code(() => commit(fs, remove(path, { version: entry.version as never })))).toBe('not_regular')
    }
    expect((await fs.list(at(''))).map(({ kind }) => kind)).toEqual(['special', 'special'])
    server.close()
  })

  it('ends in not_directory when it is a link in the middle, and is not followed at the end', async () => {
    disk.mkdirSync(inRoot('real'))
    disk.writeFileSync(inRoot('real/a'), 'a')
    disk.symlinkSync('real', inRoot('dir'))
    disk.symlinkSync('real/a', inRoot('file'))
    for (const act of [
      () => fs.stat(at('dir/a')),
      () => fs.open(at('dir/a')),
      () => fs.list(at('dir')),
      () => scanPaths(fs, 'dir'),
      () => commit(fs, write(fs, 'dir/b', 'b')),
      () => commit(fs, makeDirectory('dir/b')),
      () => commit(fs, link('dir/b', 'a')),
    ]) {
      expect(await code(act)).toBe('not_directory')
    }
    expect(await code(() => fs.open(at('file')))).toBe('not_regular')
    expect(disk.readdirSync(inRoot('real'))).toEqual(['a'])
  })

  it.each(['..', '.', 'a/../b', 'a//b', 'a/./b', '/etc/passwd', 'a\0b'])('is not reached by %j, should it ever get here', async (path) => {
    disk.mkdirSync(inRoot('a'))
    expect(await code(() => fs.stat(at(path)))).toBe('invalid_argument')
    expect(await code(() => commit(fs, write(fs, path, 'x')))).toBe('invalid_argument')
    expect(disk.readdirSync(root)).toEqual(['a'])
  })
})

describe('names', () => {
  it('that are not UTF-8 are read, written, moved and removed', async () => {
    const name = Buffer.from([0x62, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xc3, 0xa9])
    disk.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), 'bad')
    disk.symlinkSync(name, inRoot('link'))
    const shown = 'b\udcff\udcc3(\udced\udca0\udc80é'
    expect(await listNames(fs, '')).toEqual([shown, 'link'])
    expect(await scanPaths(fs, '')).toEqual([shown, 'link'])
    expect(await fs.readLink(at('link'))).toBe(shown)
    expect(await readText(fs, shown)).toBe('bad')
    await commit(
      fs,
      write(fs, shown, 'good', hashOf(fs, 'bad')),
      move(shown, `${shown}2`, hashOf(fs, 'good')),
      link('link', `${shown}2`, { link: shown }),
    )
    expect(disk.readdirSync(root, { encoding: 'buffer' }).some((other) => other.equals(Buffer.concat([name, Buffer.from('2')])))).toBe(true)
    expect(disk.readlinkSync(inRoot('link'), { encoding: 'buffer' }).equals(Buffer.concat([name, Buffer.from('2')]))).toBe(true)
    await commit(fs, remove(`${shown}2`, hashOf(fs, 'good')))
    expect(await listNames(fs, '')).toEqual(['link'])
  })

  it('have one spelling: no escapes that spell UTF-8, and no other lone surrogates', async () => {
    disk.writeFileSync(inRoot('é'), 'e')
    for (const path of ['\udcc3\udca9', '\ud800', 'a\udfff']) {
      expect(await code(() => fs.stat(at(path)))).toBe('invalid_name')
      expect(await code(() => commit(fs, write(fs, path, 'x')))).toBe('invalid_name')
    }
    expect(disk.readdirSync(root)).toEqual(['é'])
  })

  it('make paths that the system could not take whole', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `${i}`.padEnd(200, 'x'))
    let path = ''
    for (const name of names) {
      path = path ? `${path}/${name}` : name
      await commit(fs, makeDirectory(path))
    }
    await commit(fs, write(fs, `${path}/file`, 'deep'))
    expect(await readText(fs, `${path}/file`)).toBe('deep')
    expect((await scanPaths(fs, '')).length).toBe(31)
    await commit(fs, remove(`${path}/file`, hashOf(fs, 'deep')))
    for (; path; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) await commit(fs, remove(path, 'directory'))
    expect(disk.readdirSync(root)).toEqual(['.filewright'])
  })
})

describe('files that are more than their bytes', () => {
  it('with another name outside are not written through it, nor is history', async () => {
    disk.writeFileSync(`${root}.outside`, 'old')
    disk.linkSync(`${root}.outside`, inRoot('a'))
    await commit(fs, write(fs, 'a', 'new', hashOf(fs, 'old')))
    expect(disk.readFileSync(`${root}.outside`, 'utf8')).toBe('old')
    disk.writeFileSync(`${root}.outside`, 'mischief')
    expect(new TextDecoder().decode(await bytesOf(await fs.object(hashOf(fs, 'old').hash)))).toBe('old')
  })

  it('keep their mode; set-user and set-group bits go; new ones get what the process gives', async () => {
    disk.writeFileSync(inRoot('a'), 'a')
    disk.chmodSync(inRoot('a'), 0o6750)
    await commit(fs, write(fs, 'a', 'b', hashOf(fs, 'a')), write(fs, 'new', 'n'), makeDirectory('dir'), {
      ...write(fs, 'own', 'o'),
      mode: 0o4711,
    })
    const modeOf = (path: string): number => disk.statSync(inRoot(path)).mode & 0o7777
    expect([modeOf('a'), modeOf('new'), modeOf('dir'), modeOf('own')]).toEqual([
      0o750,
      0o666 & ~process.umask(),
      0o777 & ~process.umask(),
      0o711,
    ])
    await commit(fs, remove('a', hashOf(fs, 'b')))
  })

  it('keep the time they are given', async () => {
    await commit(fs, { ...write(fs, 'a', 'a'), mtimeMs: 1_234_567_890_123 })
    expect((await fs.stat(at('a'))).mtimeMs).toBe(1_234_567_890_123)
  })

  it.skipIf(!isRoot)('keep their owner, and new ones get the group that their directory asks for (needs root)', async () => {
    disk.writeFileSync(inRoot('a'), 'a')
    disk.chownSync(inRoot('a'), 1234, 4321)
    disk.mkdirSync(inRoot('shared'))
    disk.chownSync(inRoot('shared'), 0, 4321)
    disk.chmodSync(inRoot('shared'), 0o2775)
    await commit(fs, write(fs, 'a', 'b', hashOf(fs, 'a')), write(fs, 'shared/f', 'f'), makeDirectory('shared/d'))
    const owner = (path: string): number[] => [disk.statSync(inRoot(path)).uid, disk.statSync(inRoot(path)).gid]
    expect([owner('a'), owner('shared/f')[1], owner('shared/d')[1]]).toEqual([[1234, 4321], 4321, 4321])
    expect(disk.statSync(inRoot('shared/d')).mode & 0o2000).toBe(0o2000)
  })
})

describe('another program', () => {
  const external = async (): Promise<unknown[]> =>
    (await fs.records())
      .filter(({ kind }) => kind === 'external')
      .flatMap(({ changes }) => changes?.map(({ kind, path, kept }) => [kind, path, kept]))

  it('that changed what the journal knows is put on record first', async () => {
    await plant(fs, { a: 'a', b: 'b', c: 'c', d: null, e: 'e' })
    disk.writeFileSync(inRoot('a'), 'other')
    disk.rmSync(inRoot('b'))
    disk.chmodSync(inRoot('c'), 0o700)
    disk.rmdirSync(inRoot('d'))
    disk.writeFileSync(inRoot('d'), 'a file now')
    await commit(fs, write(fs, 'a', 'mine', hashOf(fs, 'other')), write(fs, 'b', 'mine'), write(fs, 'c', 'mine', hashOf(fs, 'c')))
    await commit(fs, remove('d', hashOf(fs, 'a file now')))
    await commit(fs, write(fs, 'e', 'mine', hashOf(fs, 'e')))
    expect(await external()).toEqual([
      ['write', 'd', true],
      ['write', 'a', false],
      ['remove', 'b', false],
      ['write', 'c', true],
    ])
    expect(await problemsOf(fs, root)).toEqual([])
  })

  it('that changed a file since it was looked at makes a conflict', async () => {
    await commit(fs, write(fs, 'a', 'a'))
    const { version } = await fs.stat(at('a'))
    disk.writeFileSync(inRoot('a'), 'b')
    expect(await code(() => commit(fs, write(fs, 'a', 'c', { version: version as never })))).toBe('conflict')
    expect(await code(() => commit(fs, write(fs, 'a', 'c', hashOf(fs, 'a'))))).toBe('conflict')
    expect(await readText(fs, 'a')).toBe('b')
  })

  it('does not change what an open reader reads, when it replaces the file', async () => {
    await commit(fs, write(fs, 'a', 'old'))
    const reader = await fs.open(at('a'))
    await commit(fs, write(fs, 'a', 'new', hashOf(fs, 'old')))
    expect(await bytesOf(reader)).toEqual(utf8('old'))
  })
})

describe('a process', () => {
  it('is left with no open files, whatever was done or refused', async () => {
    disk.mkdirSync(inRoot('dir/sub'), { recursive: true })
    disk.symlinkSync('dir', inRoot('link'))
    disk.writeFileSync(inRoot('dir/sub/f'), 'f')
    await commit(fs, write(fs, 'first', 'x'))
    const handles = (): number => disk.readdirSync('/proc/self/fd').length
    const before = handles()
    for (let i = 0; i < 20; i++) {
      for (const act of [
        () => fs.stat(at('dir/sub/f')),
        () => fs.stat(at('dir/sub/missing')),
        () => fs.stat(at('link/sub')),
        () => fs.statMany([at('dir/sub/f'), at('missing/x'), at('first')]),
        () => fs.list(at('dir/sub'), { stat: true, access: true }),
        () => fs.list(at('missing')),
        () => fs.open(at('link')),
        () => fs.open(at('dir')),
        () => readText(fs, 'dir/sub/f'),
        () => fs.readEach([at('dir/sub/f'), at('dir'), at('nope/f')], { maxBytes: 10 }, () => undefined),
        () => fs.readEach([at('dir/sub/f')], { maxBytes: 10 }, () => false),
        () => scanPaths(fs, ''),
        () => scanPaths(fs, '', { filter: () => Promise.reject(new Error('no')) }).catch(() => {}),
        async () => {
          for await (const _page of fs.scan(at(''))) break
        },
        () => fs.object(hashOf(fs, 'nothing').hash),
        () => fs.stage(utf8('staged')),
        () => commit(fs, write(fs, `dir/sub/${i}`, 'x'), move('first', `f${i}`, hashOf(fs, 'x')), move(`f${i}`, 'first', hashOf(fs, 'x'))),
        () => commit(fs, write(fs, 'dir/sub/f', 'x')),
        () => commit(fs, write(fs, `new${i}`, 'x'), write(fs, 'link/f', 'x')),
      ]) {
        await code(act)
      }
    }
    expect(handles()).toBe(before)
  })

  it('can do other things during a long walk, and end it', async () => {
    for (let i = 0; i < 300; i++) {
      disk.mkdirSync(inRoot(`d${i}/sub`), { recursive: true })
      for (let k = 0; k < 20; k++) disk.writeFileSync(inRoot(`d${i}/sub/${k}`), 'x')
    }
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const entries = await scanPaths(fs, '', { stat: true })
    clearInterval(timer)
    expect(entries.length).toBe(300 * 22)
    expect(ticks).toBeGreaterThan(0)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 1)
    const forever = Array.from({ length: 200_000 }, () => at('d1/sub/1'))
    expect(await code(() => fs.readEach(forever, { maxBytes: 10, signal: controller.signal }, () => undefined))).toBe('canceled')
  })

  it('walks a tree that is deeper than paths can be, as far as they can', async () => {
    const at200 = Array(200).fill('d').join('/')
    const scratch = `${root}.deep`
    // Made in two halves: the system takes no path of this length either.
    disk.mkdirSync(join(scratch, at200), { recursive: true })
    disk.mkdirSync(inRoot(at200), { recursive: true })
    disk.renameSync(scratch, inRoot(`${at200}/more`))
    expect((await scanPaths(fs, '')).length).toBe(256)
  })

  it('knows a folder by the path it was given, too', async () => {
    disk.symlinkSync(root, `${root}.alias`)
    const aliased = await openNodeFs({ root: `${root}.alias`, durability: 'process' })
    expect([aliased.traits.root, aliased.traits.aliases]).toEqual([disk.realpathSync(root), [`${root}.alias`]])
    await aliased.close()
    await expect(openNodeFs({ root: inRoot('missing') })).rejects.toMatchObject({ code: 'not_found' })
    disk.writeFileSync(inRoot('file'), '')
    await expect(openNodeFs({ root: inRoot('file') })).rejects.toMatchObject({ code: 'not_directory' })
  })
})
