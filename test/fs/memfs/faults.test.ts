/** The memfs adapter when the `fs` fails: a commit is done or it is not, whichever call fails. */
import { createFsFromVolume, Volume } from 'memfs'
import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/core/change.ts'
import { createMemfsFs, type NodeShapedFs } from '../../../src/fs/memfs.ts'
import { at, commit, copy, hashOf, link, makeDirectory, move, plant, readText, remove, write } from '../../../src/testing/setup.ts'

const CHANGING = ['openSync', 'writeSync', 'fchmodSync', 'futimesSync', 'lutimesSync', 'mkdirSync', 'chmodSync', 'rmdirSync'] as const
const ALL = [
  ...CHANGING,
  'unlinkSync',
  'symlinkSync',
  'renameSync',
  'closeSync',
  'fstatSync',
  'readSync',
  'readlinkSync',
  'readdirSync',
  'lstatSync',
] as const

/** An `fs` whose calls fail from one on, so many of them, once it is armed. */
function failing(fs: NodeShapedFs) {
  const state = { calls: Number.NEGATIVE_INFINITY, from: 0, many: 1, failed: '' }
  const wrapped: Record<string, unknown> = { ...fs }
  for (const name of ALL) {
    const real = fs[name] as (...args: unknown[]) => unknown
    wrapped[name] = (...args: unknown[]) => {
      state.calls++
      if (state.calls < state.from || state.calls >= state.from + state.many) return real(...args)
      state.failed = name
      throw Object.assign(new Error(`${name} failed`), { code: 'ENOSPC' })
    }
  }
  return {
    fs: wrapped as unknown as NodeShapedFs,
    arm: (from: number, many = 1) => Object.assign(state, { calls: -1, from, many, failed: '' }),
    /** Answers which call failed; '' when there were not so many. */
    disarm() {
      state.calls = Number.NEGATIVE_INFINITY
      return state.failed
    },
  }
}

/** Everything in a volume, as facts to compare; a commit that is taken back may touch directories' times. */
function describeVolume(fs: ReturnType<typeof createFsFromVolume>, dir = '/'): Record<string, unknown> {
  const facts: Record<string, unknown> = {}
  for (const name of fs.readdirSync(dir) as string[]) {
    const path = `${dir === '/' ? '' : dir}/${name}`
    const stats = fs.lstatSync(path)
    if (stats.isSymbolicLink()) facts[path] = ['link', fs.readlinkSync(path), stats.mtimeMs]
    else if (stats.isFile()) facts[path] = ['file', fs.readFileSync(path, 'latin1'), stats.mode, stats.mtimeMs, stats.ino]
    else Object.assign(facts, { [path]: ['directory', stats.mode] }, describeVolume(fs, path))
  }
  return facts
}

async function build() {
  const volume = createFsFromVolume(new Volume())
  const faults = failing(volume as unknown as NodeShapedFs)
  const fs = createMemfsFs(faults.fs)
  await plant(fs, { d: null, 'd/old': 'old', 'd/gone': 'gone', l: { link: 'd/old' }, m: { link: 'nowhere' }, empty: null, moved: null })
  await commit(
    fs,
    { ...write(fs, 'moved/in', 'in'), mode: 0o640, mtimeMs: Date.UTC(2012, 3, 4) },
    makeDirectory('full'),
    write(fs, 'full/x', 'x'),
  )
  const changes: Change[] = [
    { ...write(fs, 'd/old', 'new', hashOf(fs, 'old')), mode: 0o600, mtimeMs: Date.UTC(2013, 4, 5) },
    remove('d/gone', hashOf(fs, 'gone')),
    write(fs, 'l', 'a file now', { link: 'd/old' }),
    move('m', 'd/m', { link: 'nowhere' }),
    move('moved', 'd/moved', 'directory'),
    write(fs, 'd/moved/in', 'changed', hashOf(fs, 'in')),
    remove('empty', 'directory'),
    { ...makeDirectory('made'), mode: 0o700 },
    link('made/link', '../d'),
    copy('d/moved/in', 'made/copy', hashOf(fs, 'changed')),
    { ...remove('full/x', hashOf(fs, 'x')), keep: false },
    remove('full', 'directory'),
  ]
  return { volume, faults, fs, changes }
}

describe('a call that fails', () => {
  it('leaves everything as it was, or as it should be', async () => {
    const outcomes = { before: 0, after: 0 }
    const seen = new Set<string>()
    for (let call = 0; ; call++) {
      const { volume, faults, fs, changes } = await build()
      const [before, records] = [describeVolume(volume), await fs.records()]
      faults.arm(call)
      const error = await commit(fs, ...changes).then(
        () => null,
        (reason: unknown) => reason as { code: string },
      )
      const failed = faults.disarm()
      if (failed === '') break
      seen.add(failed)
      if (error) {
        outcomes.before++
        expect(error.code, `call ${call} (${failed})`).toBe('no_space')
        expect(describeVolume(volume), `call ${call} (${failed})`).toEqual(before)
        expect(await fs.records()).toEqual(records)
        await commit(fs, ...changes)
      } else {
        outcomes.after++
      }
      expect((await fs.records()).length).toBe(records.length + 1)
      expect([await readText(fs, 'd/old'), await readText(fs, 'l'), await readText(fs, 'made/copy')]).toEqual([
        'new',
        'a file now',
        'changed',
      ])
      expect((await fs.list(at(''))).map(({ path }) => path)).toEqual(['d', 'l', 'made'])
      // Whatever could not be taken away then, the next commit takes away.
      await commit(fs, write(fs, 'l', 'again', hashOf(fs, 'a file now')))
      expect((volume.readdirSync('/') as string[]).filter((name) => name.startsWith('.filewright'))).toEqual([])
    }
    expect(outcomes.before).toBeGreaterThan(60)
    expect(outcomes.after).toBeGreaterThan(0)
    for (const name of [...CHANGING, 'unlinkSync', 'symlinkSync', 'renameSync']) expect([...seen]).toContain(name)
  })

  it('and never works again: the error says so, and nothing that was replaced is lost', async () => {
    let lost = 0
    for (let call = 0; ; call++) {
      const { volume, faults, fs, changes } = await build()
      faults.arm(call, Number.POSITIVE_INFINITY)
      const error = await commit(fs, ...changes).then(
        () => null,
        (reason: unknown) => reason as Error & { code: string },
      )
      const failed = faults.disarm()
      if (failed === '' || !error) break
      if (error.code === 'no_space') continue
      lost++
      expect(error).toMatchObject({ code: 'io_error', message: expect.stringContaining('could not be taken back') })
      const contents = Object.values(describeVolume(volume)).map((facts) => (facts as unknown[])[1])
      for (const text of ['old', 'gone', 'in', 'x']) {
        const isReplaced = !contents.includes(text)
        expect(isReplaced, `call ${call} (${failed}): ${text}`).toBe(false)
      }
    }
    expect(lost).toBeGreaterThan(10)
  })
})
