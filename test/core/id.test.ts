/** Ids sort in the order in which they were made. */
import { describe, expect, it } from 'vitest'
import { createIds, ID } from '../../src/core/id.ts'

describe('ids', () => {
  it('have the documented shape, with the time of their making', () => {
    const id = createIds(() => Date.UTC(2025, 0, 31, 10, 45, 0, 123))()
    expect(id).toMatch(ID)
    expect(id.slice(0, 23)).toBe('20250131T104500123Z-000')
  })

  it('sort within one millisecond, past the end of the counter, and when the clock steps back', () => {
    let now = 1_000_000
    const next = createIds(() => now)
    const ids = Array.from({ length: 70_000 }, next)
    now = 999_000
    ids.push(next(), next())
    now = 1_000_002
    ids.push(next())
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => ID.test(id))).toBe(true)
  })

  it('differ between sources of one time', () => {
    const now = () => 5
    const firsts = Array.from({ length: 50 }, () => createIds(now)())
    expect(new Set(firsts).size).toBeGreaterThan(40)
  })

  it('take fractions of a millisecond for the millisecond', () => {
    expect(createIds(() => 0.75)()).toMatch(/^19700101T000000000Z-/)
  })
})
