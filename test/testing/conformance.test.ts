/** The conformance suite itself: what is broken must fail, and the ledger must stay true. */
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { type ConformanceOptions, type ConformanceSubject, conformanceCases } from '../../src/testing/index.ts'
import { BROKEN, LIMITS } from './broken.ts'
import { BROKEN_HISTORY } from './broken_history.ts'

const SMALL: ConformanceOptions = { bigBytes: 2 * 1024 * 1024 + 5, files: 40, commits: 20, changes: 700, runs: 150, seed: 42 }
const COMMANDS = 'commands: random ones come to what the model says'

function subject(open: () => FileSystem, persistent = false): ConformanceSubject {
  return { name: 'broken', persistent, create: () => ({ open }) }
}

/** Names of the cases that fail, of those whose names begin with `prefix`. */
async function failures(tested: ConformanceSubject, prefix = '', options: ConformanceOptions = SMALL): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of conformanceCases(tested, options).filter((candidate) => candidate.name.startsWith(prefix))) {
    await run().catch(() => failed.push(name))
  }
  return failed
}

describe('the suite on broken storages', () => {
  it('passes on the sound one', async () => {
    expect(await failures(subject(createMemoryFs))).toEqual([])
  })

  for (const [name, { noticedBy, commands, make }] of Object.entries({ ...BROKEN, ...BROKEN_HISTORY })) {
    it(`notices one that ${name}`, async () => {
      const broken = subject(() => {
        const fs = createMemoryFs({ limits: LIMITS })
        return { ...fs, ...make(fs) }
      })
      expect(await failures(broken, noticedBy)).not.toEqual([])
      if (commands) expect(await failures(broken, COMMANDS)).toEqual([COMMANDS])
    })
  }

  it('notices one that forgets everything when it is opened again', async () => {
    const forgetful = subject(createMemoryFs, true)
    expect((await failures(forgetful, 'reopen: ')).length).toBeGreaterThan(4)
    expect(await failures(forgetful, COMMANDS)).toEqual([COMMANDS])
  })
})

describe('the ledger', () => {
  const { make } = BROKEN['works after close'] as (typeof BROKEN)[string]
  const broken = () => {
    const fs = createMemoryFs({ limits: LIMITS })
    return { ...fs, ...make(fs) }
  }
  const name = 'close: calls after it are unsupported'
  const entry = { adapter: 'broken', case: name, failure: 'stat after close: got', reason: 'a test' }
  const run = async (tested: () => FileSystem, ...ledger: (typeof entry)[]) => [
    ...(await failures(subject(tested), 'close: ', { ledger })),
    ...(await failures(subject(tested), 'ledger: ', { ledger })),
  ]

  it('allows the failure that it lists', async () => {
    expect(await run(broken)).toEqual([name])
    expect(await run(broken, entry)).toEqual([])
  })

  it('fails when a listed difference does not occur any more', async () => {
    expect(await run(createMemoryFs, entry)).toEqual([name])
  })

  it('hides no other failure of the same case', async () => {
    expect(await run(broken, { ...entry, failure: 'something else' })).toEqual([name])
  })

  it('fails on an entry for a case that is not there', async () => {
    expect(await run(createMemoryFs, { ...entry, case: 'gone' })).toEqual(['ledger: every allowed difference names a case of this suite'])
  })

  it('is not concerned with other adapters', async () => {
    expect(await run(createMemoryFs, { ...entry, adapter: 'another' })).toEqual([])
  })
})
