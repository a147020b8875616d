/** A git directory in memory over another one: what is written above is seen, and what is below stays. */
import { describe, expect, test } from 'vitest'
import type { GitFiles } from '../../src/git/files.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { layeredGitFiles } from '../../src/testing/layered_files.ts'
import { registerFiles } from '../git/files_suite.ts'

registerFiles({ name: 'a layer over nothing', run: (body) => body(layeredGitFiles(createMemoryGitFiles())) })

registerFiles({
  name: 'a layer over another repository',
  async run(body) {
    const base = createMemoryGitFiles()
    for (const path of ['HEAD', 'refs/tags/v1', 'objects/aa/x', 'other/y']) await base.write(path, bytes(path))
    await body(layeredGitFiles(base))
  },
})

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function text(files: GitFiles, path: string): Promise<string | null> {
  const found = await files.read(path)
  return found && new TextDecoder().decode(found)
}

async function layered(): Promise<{ readonly base: GitFiles; readonly files: GitFiles; unchanged(): Promise<void> }> {
  const base = createMemoryGitFiles()
  await base.write('refs/heads/main', bytes('1'))
  await base.write('refs/heads/a/b', bytes('2'))
  await base.write('log', bytes('first\n'))
  const look = async (): Promise<unknown> =>
    Promise.all(['refs/heads/main', 'refs/heads/a/b', 'log'].map(async (path) => [path, await text(base, path), await base.stamp(path)]))
  const before = await look()
  return { base, files: layeredGitFiles(base), unchanged: async () => expect(await look()).toEqual(before) }
}

describe('what is below', () => {
  test('is read, listed, and covered by what is written', async () => {
    const { files, unchanged } = await layered()
    expect(await text(files, 'log')).toBe('first\n')
    await files.write('refs/heads/main', bytes('3'))
    await files.write('refs/heads/new', bytes('4'))
    expect([await text(files, 'refs/heads/main'), [...(await files.list('refs/heads'))].sort()]).toEqual(['3', ['a/', 'main', 'new']])
    await unchanged()
  })

  test('is removed for the layer alone, with directories that become empty', async () => {
    const { files, unchanged } = await layered()
    expect(await files.remove('refs/heads/a/b')).toBe(true)
    expect(await files.remove('refs/heads/a/b')).toBe(false)
    expect([await files.read('refs/heads/a/b'), await files.open('refs/heads/a/b'), await files.stamp('refs/heads/a/b')]).toEqual([
      null,
      null,
      null,
    ])
    expect(await files.list('refs/heads')).toEqual(['main'])
    expect(await files.touch('refs/heads/a/b')).toBe(false)
    await files.write('refs/heads/a', bytes('5'))
    expect(await text(files, 'refs/heads/a')).toBe('5')
    await unchanged()
  })

  test('is appended to, renamed and updated in the layer', async () => {
    const { files, unchanged } = await layered()
    await files.append('log', bytes('second\n'))
    await files.append('log', bytes('third\n'))
    expect(await text(files, 'log')).toBe('first\nsecond\nthird\n')
    await files.rename('refs/heads/a/b', 'moved')
    expect([await text(files, 'moved'), await files.read('refs/heads/a/b')]).toEqual(['2', null])
    await files.update('refs/heads/main', (current) => bytes(`${new TextDecoder().decode(current as Uint8Array)}!`))
    expect(await text(files, 'refs/heads/main')).toBe('1!')
    await files.update('refs/heads/main', () => null)
    expect(await files.read('refs/heads/main')).toBeNull()
    await files.update('refs/heads/main', (current) => {
      expect(current).toBeNull()
      return bytes('6')
    })
    expect(await text(files, 'refs/heads/main')).toBe('6')
    await unchanged()
  })

  test('stands in the way as a file or a directory', async () => {
    const { files, unchanged } = await layered()
    await expect(files.write('refs/heads/a', bytes('x'))).rejects.toMatchObject({ code: 'conflict' })
    await expect(files.update('refs/heads/main/x', () => bytes('x'))).rejects.toMatchObject({ code: 'conflict' })
    await unchanged()
  })

  test('stamps tell of both', async () => {
    const { base, files } = await layered()
    const before = [await files.stamp('refs/heads'), await files.stamp('log')]
    expect([await files.stamp('refs/heads'), await files.stamp('log')]).toEqual(before)
    await base.write('refs/heads/theirs', bytes('7'))
    expect(await files.stamp('refs/heads')).not.toBe(before[0])
    expect(await text(files, 'refs/heads/theirs')).toBe('7')
  })
})
