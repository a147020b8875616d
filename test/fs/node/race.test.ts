/**
 * A directory is exchanged for a link to the outside while a storage reads, writes, scans and removes: nothing of the outside is
 * read or touched. A few thousand tries here; `FILEWRIGHT_RACE_TRIES=200000 npx vitest run test/fs/node/race.test.ts` for more.
 */
import { describe, expect, it } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { at, commit, copy, link, makeDirectory, move, readText, remove, scanAll, write } from '../../../src/testing/setup.ts'
import { attack, type Battlefield, SECRET } from './attacker.ts'
import { openNaiveFs } from './naive_fs.ts'

const TRIES = Number(process.env.FILEWRIGHT_RACE_TRIES ?? 1500)
const TIMEOUT_MS = 60_000 + TRIES * 5

/** What was seen or done outside: 0 for a careful storage. */
type Act = (fs: FileSystem, turn: number) => Promise<boolean>

const read: Act = async (fs) => (await readText(fs, 'd/f')) === SECRET
const readMany: Act = async (fs) => {
  let seen = false
  await fs.readEach([at('d/f'), at('d/gone'), at('d/sub/f')], { maxBytes: 100 }, (_path, bytes) => {
    if (bytes && new TextDecoder().decode(bytes) === SECRET) seen = true
    return undefined
  })
  return seen
}
const scan: Act = async (fs) => {
  const entries = await scanAll(fs, '', { stat: true })
  return entries.some((entry) => entry.size === SECRET.length)
}
const create: Act = async (fs, turn) => {
  await commit(fs, write(fs, `d/new${turn}`, 'x'))
  return false
}
const replace: Act = async (fs) => {
  const { version } = await fs.stat(at('d/f'))
  if (version) await commit(fs, write(fs, 'd/f', 'inside', { version }))
  return false
}
const removeOne: Act = async (fs, turn) => {
  if (turn % 2) {
    await commit(fs, write(fs, 'd/gone', 'inside'))
    return false
  }
  const { version } = await fs.stat(at('d/gone'))
  if (version) await commit(fs, remove('d/gone', { version }))
  return false
}
const structure: Act = async (fs, turn) => {
  await commit(fs, makeDirectory(`d/dir${turn}`), link(`d/link${turn}`, 'f'), move(`d/dir${turn}`, `d/moved${turn}`, 'directory'))
  return false
}

/** What is copied out of the directory, and into it, is of the inside. */
const copyOut: Act = async (fs, turn) => {
  const { version } = await fs.stat(at('d/f'))
  if (version) await commit(fs, copy('d/f', `copy${turn}`, { version }), copy('d/f', `d/copy${turn}`, { version }))
  return version !== null && (await readText(fs, `copy${turn}`)) === SECRET
}
/** Only where others are noticed. */
const observe: Act = async (fs) => {
  const record = await fs.observe?.([at('d')])
  return JSON.stringify(record ?? null).includes(fs.hasher.hash(new TextEncoder().encode(SECRET)))
}

const ACTS: { readonly [name: string]: Act } = { read, readMany, scan, create, replace, removeOne, structure, copyOut }

/** Tries an act again and again. Refusals are fine; anything but the product's own errors is not. */
async function battle(fs: FileSystem, field: Battlefield, act: Act, tries: number): Promise<{ escapes: number; done: number }> {
  let escapes = 0
  let done = 0
  for (let turn = 0; turn < tries; turn++) {
    try {
      if (await act(fs, turn)) escapes++
      done++
    } catch (error) {
      if (!isFilewrightError(error)) throw error
    }
  }
  return { escapes: escapes + field.damage().length, done }
}

describe.skipIf(process.platform !== 'linux')('while a directory is exchanged for a link', () => {
  it.each(Object.entries({ ...ACTS, observe }))('%s stays inside', { timeout: TIMEOUT_MS }, async (_name, act) => {
    const field = await attack()
    const fs = await openNodeFs({ root: field.root, durability: 'process' })
    try {
      const isRefused = act !== scan && act !== readMany && act !== observe
      let [done, tries] = [0, 0]
      // Until both states were met, where one is refused: on a busy machine the attacker may take its time.
      do {
        const round = await battle(fs, field, act, TRIES)
        expect(round.escapes).toBe(0)
        done += round.done
        tries += TRIES
      } while (isRefused && (done === 0 || done === tries) && tries < TRIES * 20)
      expect(done).toBeGreaterThan(0)
      if (isRefused) expect(done).toBeLessThan(tries)
    } finally {
      await fs.close()
      await field.stop()
    }
  })

  it.each(Object.entries(ACTS))(
    '%s does not in a storage that checks paths and then uses them',
    { timeout: TIMEOUT_MS },
    async (_name, act) => {
      const field = await attack()
      const fs = openNaiveFs(field.root)
      let escapes = 0
      try {
        // As often as it takes; it does not take long.
        for (let round = 0; escapes === 0 && round < 100; round++) escapes = (await battle(fs, field, act, 500)).escapes
      } finally {
        await fs.close()
        await field.stop()
      }
      expect(escapes).toBeGreaterThan(0)
    },
  )
})
