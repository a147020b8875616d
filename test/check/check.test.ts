/** The cases beside this file: what the tools of each profile answer, over MCP, on every storage that matters. */
import { describe, expect, it, test } from 'vitest'
import { PROFILE_NAMES } from '../../src/profiles/index.ts'
import { readCaseFiles } from './cases.ts'
import { play } from './player.ts'

const FILES = readCaseFiles(process.env.FILEWRIGHT_CHECK_CASES ?? import.meta.dirname)
const STORAGES = (process.env.FILEWRIGHT_CHECK_FS ?? 'node,memory,git').split(',')

test('every case has a name of its own, and a profile that there is', () => {
  const cases = FILES.flatMap(({ cases }) => cases)
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  for (const { id, profile = 'fileops' } of cases) expect(PROFILE_NAMES, id).toEqual(expect.arrayContaining(profile.split('+')))
})

describe.each(STORAGES)('on %s', (storage) => {
  describe.each(FILES.map(({ name, cases }) => [name, cases] as const))('%s', (_, cases) => {
    it.each(cases.filter(({ fs }) => fs?.includes(storage) ?? true).map((one) => [one.id, one] as const))('%s', async (_id, one) => {
      expect(await play(one, storage, 'here'), one.why).toEqual([])
    })
  })
})

describe('with the command as a process of its own', () => {
  it.each(FILES.map(({ name, cases }) => [name, cases[0]] as const))('%s', async (_, first) => {
    if (first) expect(await play(first, first.fs?.[0] ?? 'node', 'stdio'), first.why).toEqual([])
  })
})
