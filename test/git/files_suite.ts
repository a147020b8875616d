/** What every storage of a git directory must do. */
import { describe, expect, it } from 'vitest'
import { isFilewrightError } from '../../src/core/errors.ts'
import type { GitFiles } from '../../src/git/files.ts'

/** A storage to be tested: a new empty one, and another look at the same when what is kept outlives the object. */
export interface FilesSubject {
  readonly name: string
  run(body: (files: GitFiles, again?: () => GitFiles) => Promise<void>): Promise<void>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (found: Uint8Array | null): string | null => found && new TextDecoder().decode(found)

const codeOf = async (action: () => unknown): Promise<string> => {
  try {
    await action()
    return 'none'
  } catch (error) {
    return isFilewrightError(error) ? error.code : String(error)
  }
}

const isEqual = (a: Uint8Array | null | undefined, b: Uint8Array): boolean =>
  a?.length === b.length && a.every((byte, at) => byte === b[at])

/** Bytes that tell where they come from. */
function pattern(length: number): Uint8Array {
  const all = new Uint8Array(length)
  for (let at = 0; at < length; at++) all[at] = (at * 31 + (at >> 8)) & 255
  return all
}

async function* parts(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

/** Registers the suite for one storage. */
export function registerFiles(subject: FilesSubject): void {
  const on = (body: (files: GitFiles, again?: () => GitFiles) => Promise<void>): Promise<void> => subject.run(body)

  describe(`git files: ${subject.name}`, () => {
    it('what is missing is null, false or empty', () =>
      on(async (files) => {
        expect(await files.read('refs/heads/none')).toBeNull()
        expect(await files.open('none')).toBeNull()
        expect(await files.stamp('none')).toBeNull()
        expect(await files.list('none')).toEqual([])
        expect(await files.remove('none/at/all')).toBe(false)
        expect(await files.touch('none')).toBe(false)
        expect(await codeOf(() => files.rename('none', 'some'))).toBe('not_found')
      }))

    it('writes, replaces, appends, renames, removes', () =>
      on(async (files, again) => {
        await files.write('a/b/c', bytes('one'))
        expect(text(await files.read('a/b/c'))).toBe('one')
        expect(await files.read('a/b')).toBeNull()
        await files.write('a/b/c', bytes('two'))
        await files.append('a/b/c', bytes(' more'))
        await files.append('log', bytes('first\n'))
        await files.rename('log', 'a/log')
        await files.write('d', bytes(''))
        expect(await files.touch('d')).toBe(true)
        const same = again?.() ?? files
        expect(text(await same.read('a/b/c'))).toBe('two more')
        expect(text(await same.read('a/log'))).toBe('first\n')
        expect(text(await same.read('d'))).toBe('')
        expect(await same.read('log')).toBeNull()
        expect(await files.remove('a/b/c')).toBe(true)
        expect(await files.remove('a/b/c')).toBe(false)
        expect(await files.read('a/b/c')).toBeNull()
      }))

    it('writes many', () =>
      on(async (files, again) => {
        const many = Array.from({ length: 50 }, (_, at) => ({ path: `objects/${at % 7}/${at}`, bytes: bytes(`${at}`) }))
        await files.writeMany([...many, { path: 'objects/large', bytes: pattern(400_000) }])
        const same = again?.() ?? files
        for (const { path, bytes: wanted } of many) expect(text(await same.read(path))).toBe(text(wanted))
        expect((await same.read('objects/large'))?.length).toBe(400_000)
        expect(await codeOf(() => files.writeMany([{ path: 'objects/1', bytes: bytes('x') }]))).toBe('conflict')
        expect((await files.list('objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
        await files.writeMany([])
      }))

    it('lists names, directories with a slash', () =>
      on(async (files) => {
        for (const path of ['r/h', 'r/x/1', 'r/x/y/2', 'r/x-y/3', 'r/x0/4', 'r2/5', 'top', 'r/x/3']) await files.write(path, bytes(path))
        expect([...(await files.list('r'))].sort()).toEqual(['h', 'x-y/', 'x/', 'x0/'])
        expect([...(await files.list('r/x'))].sort()).toEqual(['1', '3', 'y/'])
        const top = await files.list('')
        for (const name of ['r/', 'r2/', 'top']) expect(top).toContain(name)
      }))

    it('stamps change with what they stand for, and are equal while it stays', () =>
      on(async (files) => {
        const rest = (): Promise<void> => new Promise((done) => setTimeout(done, 120))
        await files.write('dir/one', bytes('1'))
        await rest()
        const [file, dir] = [await files.stamp('dir/one'), await files.stamp('dir')]
        expect(file).not.toBeNull()
        expect(await files.stamp('dir/one')).toBe(file)
        expect(await files.stamp('dir')).toBe(dir)
        await files.write('dir/one', bytes('2'))
        expect(await files.stamp('dir/one')).not.toBe(file)
        await files.write('dir/two', bytes('2'))
        const two = await files.stamp('dir')
        expect(two).not.toBe(dir)
        await files.remove('dir/two')
        expect(await files.stamp('dir')).not.toBe(two)
        await files.remove('dir/one')
        await files.write('dir/one', bytes('1'))
        expect(await files.stamp('dir/one')).not.toBe(file)
      }))

    it('large files: written as a stream, read in parts, read on when they are replaced or removed', () =>
      on(async (files) => {
        const body = pattern(1_200_345)
        await files.write('objects/pack/p', parts(body, 70_001))
        const file = await files.open('objects/pack/p')
        expect(file?.size).toBe(body.length)
        const check = async (offset: number, length: number): Promise<void> => {
          const found = await file?.read(offset, length)
          expect(isEqual(found, body.subarray(offset, offset + length))).toBe(true)
        }
        await check(0, 10)
        await check(262_140, 10)
        await check(100, 900_000)
        await check(1_200_340, 100)
        expect((await file?.read(2_000_000, 5))?.length).toBe(0)
        await files.write('objects/pack/p', bytes('short'))
        await check(524_280, 300_000)
        await files.remove('objects/pack/p')
        await check(5, 700_000)
        await file?.close()
        expect(await files.open('objects/pack/p')).toBeNull()
        await files.write('whole', body)
        expect(isEqual(await files.read('whole'), body)).toBe(true)
        await files.append('whole', bytes('end'))
        expect((await files.read('whole'))?.length).toBe(body.length + 3)
      }))

    it('a stream that fails leaves nothing, and what was there stays', () =>
      on(async (files) => {
        await files.write('objects/x', bytes('old'))
        const before = [...(await files.list('objects'))]
        const failing = async function* (): AsyncGenerator<Uint8Array> {
          yield pattern(600_000)
          throw new Error('the sender is gone')
        }
        await expect(files.write('objects/x', failing())).rejects.toThrow()
        expect(text(await files.read('objects/x'))).toBe('old')
        expect([...(await files.list('objects'))]).toEqual(before)
      }))

    it('a path is a file or a directory; empty directories are in nobody’s way', () =>
      on(async (files) => {
        await files.write('refs/heads/a/b', bytes('1'))
        expect(await codeOf(() => files.write('refs/heads/a', bytes('2')))).toBe('conflict')
        expect(await codeOf(() => files.write('refs/heads/a/b/c', bytes('2')))).toBe('conflict')
        expect(await codeOf(() => files.update('refs/heads/a/b/c', () => bytes('2')))).toBe('conflict')
        await files.remove('refs/heads/a/b')
        expect(await files.list('refs/heads')).toEqual([])
        await files.write('refs/heads/a', bytes('3'))
        expect(text(await files.read('refs/heads/a'))).toBe('3')
      }))

    it('paths that lead elsewhere are refused', () =>
      on(async (files) => {
        for (const path of ['', '../x', 'a/../../x', '/etc/x', 'a//b', './a', 'a\0b', 'a/']) {
          expect(await codeOf(() => files.write(path, bytes('x')))).toBe('invalid_name')
          expect(await codeOf(() => files.update(path, () => bytes('x')))).toBe('invalid_name')
        }
      }))

    it('an update sees what is there, and sets, removes or leaves it', () =>
      on(async (files) => {
        await files.update('f', (current) => {
          expect(current).toBeNull()
          return bytes('1')
        })
        await files.update('f', async (current) => (text(current) === '1' ? undefined : bytes('wrong')))
        expect(text(await files.read('f'))).toBe('1')
        await expect(
          files.update('f', () => {
            throw new Error('changed my mind')
          }),
        ).rejects.toThrow()
        await files.update('f', (current) => (text(current) === '1' ? null : undefined))
        expect(await files.read('f')).toBeNull()
        expect(await files.list('')).not.toContain('f.lock')
      }))

    it('of many updates at once none is lost', () =>
      on(async (files, again) => {
        const two = again?.() ?? files
        const add = (on: GitFiles): Promise<void> =>
          on.update('n', async (current) => {
            await new Promise((done) => setTimeout(done, Math.random()))
            return bytes(String(Number(text(current) ?? 0) + 1))
          })
        await Promise.all(Array.from({ length: 40 }, (_, at) => add(at % 2 ? files : two)))
        expect(text(await files.read('n'))).toBe('40')
      }))
  })
}
