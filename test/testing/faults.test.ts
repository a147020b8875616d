/** Planned failures happen when they are planned, and nowhere else. */
import { describe, expect, it } from 'vitest'
import type { Hash } from '../../src/core/hash.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { type FileSystemMethod, withFaults } from '../../src/testing/index.ts'
import { at, commit, keptContents, listNames, makeDirectory, readText, scanAll, utf8, write } from '../../src/testing/setup.ts'
import { openWorkspace } from '../../src/workspace/open.ts'

describe('withFaults', () => {
  it('fails the planned call of a method, before it does anything', async () => {
    const fs = withFaults(createMemoryFs(), [{ method: 'commit', call: 2, code: 'no_space' }])
    await commit(fs, makeDirectory('a'))
    await expect(commit(fs, makeDirectory('b'))).rejects.toMatchObject({ code: 'no_space' })
    await commit(fs, makeDirectory('c'))
    expect(await listNames(fs, '')).toEqual(['a', 'c'])
    expect((await fs.records()).map(({ sequence }) => sequence)).toEqual([2, 1])
  })

  it('fails a call after its work', async () => {
    const fs = withFaults(createMemoryFs(), [{ method: 'commit', call: 1, code: 'io_error', after: true }])
    await expect(commit(fs, makeDirectory('a'))).rejects.toMatchObject({ code: 'io_error' })
    expect(await listNames(fs, '')).toEqual(['a'])
  })

  it('fails scans, reads and stagings', async () => {
    const fs = withFaults(createMemoryFs(), [
      { method: 'scan', call: 1, code: 'io_error' },
      { method: 'open', call: 1, code: 'corrupt' },
      { method: 'stage', call: 2, code: 'quota_exceeded' },
    ])
    await commit(fs, write(fs, 'f', 'x'))
    await expect(scanAll(fs, '')).rejects.toMatchObject({ code: 'io_error' })
    expect(await scanAll(fs, '')).toHaveLength(1)
    await expect(fs.open(at('f'))).rejects.toMatchObject({ code: 'corrupt' })
    expect((await fs.open(at('f'))).size).toBe(1)
    await fs.stage(utf8('one'))
    await expect(fs.stage(utf8('two'))).rejects.toMatchObject({ code: 'quota_exceeded' })
  })

  it('fails what history is asked, and notes', async () => {
    const inner = createMemoryFs()
    const fs = withFaults(inner, [
      { method: 'contents', call: 1, code: 'io_error' },
      { method: 'forget', call: 1, code: 'timeout' },
      { method: 'adopt', call: 1, code: 'no_space' },
      { method: 'notes.swap', call: 2, code: 'io_error', after: true },
      { method: 'notes.list', call: 1, code: 'io_error' },
    ])
    await expect(keptContents(fs)).rejects.toMatchObject({ code: 'io_error' })
    expect(await keptContents(fs)).toEqual([])
    await expect(fs.forget([])).rejects.toMatchObject({ code: 'timeout' })
    await expect(fs.adopt([makeDirectory('a')], [])).rejects.toMatchObject({ code: 'no_space' })
    expect(await listNames(fs, '')).toEqual([])
    expect(await fs.notes.swap('group/name', null, 'one')).toBe(true)
    await expect(fs.notes.swap('group/name', 'one', 'two')).rejects.toMatchObject({ code: 'io_error' })
    await expect(fs.notes.list('')).rejects.toMatchObject({ code: 'io_error' })
    expect(await inner.notes.list('')).toEqual([{ key: 'group/name', value: 'two' }])
  })

  it('shows the traits and the hasher of what it wraps', () => {
    const inner = createMemoryFs()
    const fs = withFaults(inner, [])
    expect(fs.traits).toBe(inner.traits)
    expect(fs.hasher).toBe(inner.hasher)
  })
})

describe('what goes wrong without a failure', () => {
  it('another writer comes between the plan of a call and its commit', async () => {
    const fs = withFaults(createMemoryFs(), [
      {
        method: 'commit',
        call: 2,
        meanwhile: async (inner) => {
          const { hash } = await inner.stat(at('a.txt'))
          await commit(inner, write(inner, 'a.txt', 'theirs\nold\n', { hash: hash as Hash }))
        },
      },
    ])
    const workspace = await openWorkspace({ fs })
    await workspace.call('write', { path: 'a.txt', content: 'old\n' })
    const { error } = await workspace.call('edit', { path: 'a.txt', old: 'old', new: 'mine' })
    // The call is planned anew on what is there now, and both changes are kept.
    expect(error).toBeNull()
    expect(await readText(fs, 'a.txt')).toBe('theirs\nmine\n')
  })

  it('every commit is slow', async () => {
    const fs = withFaults(createMemoryFs(), [{ method: 'commit', call: 'every', delayMs: 20 }])
    const begun = performance.now()
    await commit(fs, makeDirectory('a'))
    await commit(fs, makeDirectory('b'))
    expect(performance.now() - begun).toBeGreaterThanOrEqual(38)
    expect(await listNames(fs, '')).toEqual(['a', 'b'])
  })

  it('every read fails', async () => {
    const fs = withFaults(createMemoryFs(), [{ method: 'open', call: 'every', code: 'io_error' }])
    await commit(fs, write(fs, 'a', 'x'))
    for (let i = 0; i < 3; i++) await expect(fs.open(at('a'))).rejects.toMatchObject({ code: 'io_error' })
  })

  it('what can never happen is refused', () => {
    const refused = expect.objectContaining({ code: 'invalid_argument' })
    for (const method of ['comit', 'notes.sett', 'traits'] as unknown as FileSystemMethod[])
      expect(() => withFaults(createMemoryFs(), [{ method, call: 1, code: 'io_error' }])).toThrow(refused)
    for (const call of [0, -1, 1.5])
      expect(() => withFaults(createMemoryFs(), [{ method: 'commit', call, code: 'io_error' }])).toThrow(refused)
  })

  it('pages can only fail', () => {
    expect(() => withFaults(createMemoryFs(), [{ method: 'scan', call: 1, delayMs: 5 }])).toThrow('can only fail')
  })
})
