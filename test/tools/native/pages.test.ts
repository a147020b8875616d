/** T-X-05 for the `native` tools: going on as the answers say shows everything exactly once. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { plant } from '../setup.ts'

const RUNS = Number(process.env.FILEWRIGHT_TEXT_RUNS ?? 60)

async function workspaceOn(files: { readonly [path: string]: string }): Promise<Workspace> {
  const fs = createMemoryFs()
  await plant(fs, files)
  return openWorkspace({ fs, profile: 'native' })
}

/** Calls until no cursor is left; answers the texts without their notes. */
async function pages(workspace: Workspace, tool: string, args: object, cursor: 'offset' | 'cursor'): Promise<string[]> {
  const texts: string[] = []
  for (let next: unknown; ; ) {
    const { result, text, error } = await workspace.call(tool, next === undefined ? args : { ...args, [cursor]: next })
    expect(error).toBeNull()
    texts.push(text)
    next = cursor === 'offset' ? result.next_offset : result.cursor
    if (next === undefined) return texts
    expect(texts.length).toBeLessThan(500)
  }
}

const line = fc.string({ unit: fc.constantFrom('a', 'x', ' ', 'é', '😀', '\t', '['), maxLength: 8 })

test('read', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (lines, limit, closed) => {
        // An empty last line that no line feed ends is no line.
        const text = lines.join('\n') + (closed || lines.at(-1) === '' ? '\n' : '')
        const workspace = await workspaceOn({ t: text })
        const shown = await pages(workspace, 'read', { path: 't', limit }, 'offset')
        expect(shown.map((page) => page.replace(/\[lines \d+-\d+ of \d+: go on with offset \d+\]$/, '')).join('')).toBe(text)
      },
    ),
    { numRuns: RUNS },
  )
})

test('read, whatever a page holds', async () => {
  // Lines of 1 to 1,999 characters: the bound on characters ends the pages, too.
  const lines = Array.from({ length: 400 }, (_, index) => `${index} ${'é'.repeat((index * 37) % 1990)}`)
  const workspace = await workspaceOn({ t: `${lines.join('\n')}\n` })
  const shown = await pages(workspace, 'read', { path: 't' }, 'offset')
  expect(shown.length).toBeGreaterThan(3)
  expect(shown.map((page) => page.replace(/\[lines .*\]$/, '')).join('')).toBe(`${lines.join('\n')}\n`)
  for (const page of shown) expect(page.length).toBeLessThan(50_200)
})

test('read, files that have no room: the answer tells where each of them begins', async () => {
  const workspace = await workspaceOn({ full: 'x'.repeat(60_000), other: 'a\nb\nc\n' })
  for (const [args, begin] of [
    [{ as: 'bytes' }, 0],
    [{ as: 'base64', offset: 2 }, 2],
    [{ as: 'bytes', offset: 3 }, 3],
  ] as const) {
    const { result } = await workspace.call('read', { ...args, paths: ['full', 'other'] })
    expect(result.files).toMatchObject([{ path: '/full' }, { path: 'other', next_offset: begin }])
  }
})

test('read, long lines: each that is cut is named', async () => {
  const long = 'x'.repeat(2001)
  const workspace = await workspaceOn({ t: ['a', long, 'b', long, long, 'c', ''].join('\n') })
  const { text } = await workspace.call('read', { path: 't' })
  expect(text).toMatch(/\[line 2 is cut .*\]\n\[lines that are cut too: 4, 5\]$/)
})

test('read, by bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 10 }), fc.integer({ min: 1, max: 9 }), async (lines, limit) => {
      const text = `${lines.join('\n')}x`
      const workspace = await workspaceOn({ t: text })
      const shown = await pages(workspace, 'read', { path: 't', as: 'bytes', limit }, 'offset')
      expect(shown.map((page) => page.replace(/\n\[bytes \d+-\d+ of \d+: go on with offset \d+\]$/, '')).join('')).toBe(text)
    }),
    { numRuns: RUNS },
  )
})

test('grep', async () => {
  const tree = fc.dictionary(fc.stringMatching(/^[a-c]{1,3}$/), fc.array(line, { maxLength: 8 }), { maxKeys: 6 })
  await fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 1, max: 4 }), async (files, limit) => {
      const planted = Object.fromEntries(
        Object.entries(files).flatMap(([name, lines]) => [
          [`d/${name}.x/f`, lines.join('\n')],
          [`d/${name}`, lines.join('\r\n')],
        ]),
      )
      const workspace = await workspaceOn({ ...planted, last: '' })
      const all = (await workspace.call('grep', { pattern: 'x', limit: 1000 })).text
      const hits = (text: string): string[] => {
        let file = ''
        return text.split('\n').flatMap((shown) => {
          if (/^\d+: /.test(shown)) return [`${file}:${shown}`]
          if (/^d\//.test(shown)) file = shown
          return []
        })
      }
      const paged = (await pages(workspace, 'grep', { pattern: 'x', limit }, 'cursor')).flatMap(hits)
      expect(paged).toEqual(hits(all))
      const names = async (args: object) =>
        (await pages(workspace, 'grep', { pattern: 'x', mode: 'files', ...args }, 'cursor')).flatMap((text) =>
          text.split('\n').filter((shown) => shown.startsWith('d/')),
        )
      expect(await names({ limit })).toEqual(await names({ limit: 1000 }))
    }),
    { numRuns: RUNS },
  )
})

test('list and tree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.stringMatching(/^[a-c]{1,4}$/), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (names, limit) => {
        const workspace = await workspaceOn(Object.fromEntries(names.map((name) => [`d/${name}/${name}`, name])))
        const all = (await workspace.call('list', { glob: '*', limit: 1000 })).text
        const shown = (await pages(workspace, 'list', { glob: '*', limit }, 'offset')).flatMap((text) =>
          text.split('\n').filter((entry) => !entry.startsWith('[')),
        )
        expect(shown).toEqual(all.split('\n').filter((entry) => !entry.startsWith('[')))
      },
    ),
    { numRuns: RUNS },
  )
})
