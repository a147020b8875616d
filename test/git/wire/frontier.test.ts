/** How far back a fetch and a push look: no further than it takes to know what is new. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import type { CommitNode } from '../../../src/git/history/commit_graph.ts'
import type { Graph } from '../../../src/git/wire/graph.ts'
import { createNegotiation } from '../../../src/git/wire/negotiation.ts'
import { newCommits } from '../../../src/git/wire/new_commits.ts'

const name = (index: number): Oid => index.toString(16).padStart(40, '0') as Oid

/** A history whose commits are numbered, parents first; `asked` counts those that were read. */
function history(parents: readonly (readonly number[])[], timeOf = (index: number) => index) {
  const asked = new Set<Oid>()
  const nodes = new Map<Oid, CommitNode>()
  for (const [index, above] of parents.entries()) {
    nodes.set(name(index), { oid: name(index), tree: name(0), parents: above.map(name), timeMs: timeOf(index) * 1000 })
  }
  const graph: Graph = {
    async node(oid) {
      asked.add(oid)
      return nodes.get(oid) ?? null
    },
    commitOf: async (oid) => (nodes.has(oid) ? oid : null),
    reaches: async () => false,
  }
  const reach = (tips: readonly Oid[]): Set<Oid> => {
    const reached = new Set<Oid>()
    for (const todo = [...tips]; todo.length > 0; ) {
      const oid = todo.pop() as Oid
      if (!reached.has(oid)) todo.push(...(nodes.get(oid)?.parents ?? []))
      reached.add(oid)
    }
    return reached
  }
  return { graph, asked, reach }
}

const chain = (length: number) => Array.from({ length }, (_, index) => (index === 0 ? [] : [index - 1]))
const find = (graph: Graph, from: readonly Oid[], except: readonly Oid[]) =>
  newCommits({ graph, from, except, isHere: async () => true, signal: undefined })

const histories = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 30 })
  .map((rows) => rows.map((row, index) => [...new Set(index === 0 ? [] : row.map((number) => number % index))]))
const some = fc.array(fc.nat(29), { maxLength: 4 })

describe('new commits', () => {
  test('are those that nothing else leads to', () =>
    fc.assert(
      fc.asyncProperty(histories, some, some, async (parents, from, except) => {
        const { graph, reach } = history(parents)
        const [tips, known] = [from, except].map((list) => list.filter((index) => index < parents.length).map(name)) as [Oid[], Oid[]]
        const old = reach(known)
        const { commits } = await find(graph, tips, known)
        expect(new Set(commits)).toEqual(new Set([...reach(tips)].filter((oid) => !old.has(oid))))
      }),
    ))

  test('are all found whatever the clocks say', () =>
    fc.assert(
      fc.asyncProperty(
        histories,
        some,
        some,
        fc.array(fc.nat(9), { minLength: 30, maxLength: 30 }),
        async (parents, from, except, times) => {
          const { graph, reach } = history(parents, (index) => times[index] as number)
          const [tips, known] = [from, except].map((list) => list.filter((index) => index < parents.length).map(name)) as [Oid[], Oid[]]
          const old = reach(known)
          const found = new Set((await find(graph, tips, known)).commits)
          for (const oid of reach(tips)) if (!old.has(oid)) expect(found).toContain(oid)
          for (const oid of known) expect(found).not.toContain(oid)
        },
      ),
    ))

  test('of a long history are found at its end', async () => {
    const { graph, asked } = history(chain(1000))
    const { commits, edge } = await find(graph, [name(999)], [name(996)])
    expect(commits).toEqual([name(999), name(998), name(997)])
    expect([...edge]).toEqual([name(996)])
    expect(asked.size).toBeLessThan(10)
  })
})

describe('a negotiation', () => {
  test('tells nothing behind what the server knows, also of what it had passed', async () => {
    const { graph, asked } = history(chain(1000))
    const negotiation = createNegotiation(graph, [name(999)], new Set())
    const first = await negotiation.next()
    expect(first).toEqual(Array.from({ length: 16 }, (_, index) => name(999 - index)))
    await negotiation.acknowledge([name(998)])
    expect(await negotiation.next()).toEqual([])
    expect(negotiation.common()).toEqual([name(998)])
    expect(asked.size).toBeLessThan(30)
  })

  test('goes on from tips that the server does not know', async () => {
    // Two branches of 30 commits from one root: the server has one of them.
    const parents = [[], ...Array.from({ length: 60 }, (_, index) => [Math.max(0, index - 1)])]
    const { graph, reach } = history(parents)
    const negotiation = createNegotiation(graph, [name(60), name(59)], new Set())
    const told: Oid[] = []
    for (let haves = await negotiation.next(); haves.length > 0; haves = await negotiation.next()) {
      told.push(...haves)
      await negotiation.acknowledge(haves.filter((oid) => reach([name(60)]).has(oid)))
    }
    for (const oid of reach([name(59)])) if (!reach([name(60)]).has(oid)) expect(told).toContain(oid)
  })
})
