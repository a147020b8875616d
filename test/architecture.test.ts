/** Holds the sources to the table of floors, and shows that the checker catches each kind of breach. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkArchitecture, importsOf } from './architecture.ts'

const FILES = '{src,web,worker,test}/**/*.{ts,tsx,js,mjs,css}'

test('the sources keep to the floors', () => {
  const files = globSync(FILES, { cwd: `${import.meta.dirname}/..` })
  expect(files).toContain('src/core/path.ts')
  const sources = new Map(files.map((file) => [file, readFileSync(`${import.meta.dirname}/../${file}`, 'utf8')]))
  expect(checkArchitecture(sources)).toEqual([])
})

describe('what is caught', () => {
  const use = (path: string): string => `import { x } from '${path}'\n`
  const cases: readonly [name: string, rule: string | null, sources: Record<string, string>][] = [
    ['an import that points down', null, { 'src/tools/a.ts': use('../core/b.ts'), 'src/core/b.ts': '' }],
    ['an upward import', 'floor', { 'src/core/a.ts': use('../tools/b.ts'), 'src/tools/b.ts': '' }],
    ['an upward import of types', 'floor', { 'src/core/a.ts': `import type {\n  X,\n} from '../tools/b.ts'`, 'src/tools/b.ts': '' }],
    ['an upward re-export', 'floor', { 'src/core/a.ts': `export * from '../text/b.ts'`, 'src/text/b.ts': '' }],
    ['an upward dynamic import', 'floor', { 'src/core/a.ts': `const x = await import('../text/b.ts')`, 'src/text/b.ts': '' }],
    ['an upward import for its effect', 'floor', { 'src/core/a.ts': `import '../text/b.ts'`, 'src/text/b.ts': '' }],
    ['an import of a sibling', 'floor', { 'src/text/a.ts': use('../policy/b.ts'), 'src/policy/b.ts': '' }],
    ['an import of a public entry', 'floor', { 'src/cli/a.ts': use('../index.ts'), 'src/index.ts': '' }],
    ['a folder without a floor', 'floor', { 'src/cli/a.ts': use('../extra/b.ts'), 'src/extra/b.ts': '' }],
    ['a cycle in one folder', 'cycle', { 'src/text/a.ts': use('./b.ts'), 'src/text/b.ts': `import type { X } from './a.ts'` }],
    ["a bundler's wish", null, { 'web/a.ts': use('./b.ts?worker&url'), 'web/b.ts': '' }],
    ['an import of nothing', 'missing', { 'src/text/a.ts': use('./gone.ts') }],
    ['node: on the disk adapter', null, { 'src/fs/node/a.ts': use('node:fs') }],
    ['node: elsewhere', 'node', { 'src/fs/sqlite/a.ts': use('node:sqlite') }],
    ['node: in the worker', 'node', { 'worker/a.ts': use('node:crypto') }],
    ['cloudflare: outside the worker', 'package', { 'src/http/a.ts': use('cloudflare:workers') }],
    ['a package in the core', 'package', { 'src/core/a.ts': use('@scope/zod/mini') }],
    ['a host that names an adapter', null, { 'worker/a.ts': use('../src/fs/sqlite/b.ts'), 'src/fs/sqlite/b.ts': '' }],
    ['an adapter with its own parts', null, { 'src/fs/memory.ts': use('./memory/b.ts'), 'src/fs/memory/b.ts': '' }],
    ['an adapter that imports another', 'adapter', { 'src/fs/sqlite/a.ts': use('../memory.ts'), 'src/fs/memory.ts': '' }],
    ['an adapter named below the hosts', 'adapter', { 'src/workspace/a.ts': use('../fs/memory.ts'), 'src/fs/memory.ts': '' }],
    ['a grab-bag file', 'name', { 'src/text/utils.ts': '' }],
    ['a grab-bag folder', 'name', { 'test/helpers/a.ts': '' }],
    ['a source of 400 lines', null, { 'web/a.tsx': 'x\n'.repeat(400) }],
    ['a source of 401 lines', 'length', { 'web/a.tsx': 'x\n'.repeat(401) }],
    ['a test of 601 lines', 'length', { 'test/a.test.ts': 'x\n'.repeat(601) }],
  ]
  test.each(cases)('%s', (_, rule, sources) => {
    const breaches = checkArchitecture(new Map(Object.entries(sources)))
    expect(breaches.map((breach) => breach.rule)).toEqual(rule === null ? [] : [rule])
  })
})

test('imports are read from code, not from comments', () => {
  const text = `/** import { a } from 'a' */\n// import { b } from 'b'\nimport c, { type C } from 'c'\nexport { d } from 'd'\nlet e: import('e').E\ntype F = 'import' | 'from'`
  expect(importsOf(text)).toEqual(['c', 'd', 'e'])
})
