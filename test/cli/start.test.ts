/** What a server loads before it answers: the modules that its start reaches without a dynamic import. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../../src')
/** What every MCP server on a folder loads, whatever its profile. */
const START = ['cli/main.ts', 'cli/config.ts', 'cli/commands/mcp.ts', 'fs/node.ts']

const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

/** Every package, or module of Node, that files load at once. */
function packagesOf(files: readonly string[]): Set<string> {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      if (from.startsWith('.')) visit(join(file, '..', from))
      else packages.add(from)
    }
  }
  for (const file of files) visit(join(SOURCES, file))
  return packages
}

test.each(['native', 'mcp_filesystem'])('a server with %s loads nothing that its first answer does not need', (profile) => {
  const packages = packagesOf([...START, `profiles/${profile}.ts`])
  const ofNode = [...packages].filter((name) => name.startsWith('node:')).sort()
  expect([...packages].filter((name) => !name.startsWith('node:')).sort()).toEqual([
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
    'commander',
    'zod',
  ])
  expect(ofNode).toEqual(['node:buffer', 'node:fs', 'node:fs/promises', 'node:net', 'node:os', 'node:path'])
})

test('what is loaded later is found where it is loaded', () => {
  expect(packagesOf(['text/yaml/document.ts'])).toContain('yaml')
  expect(packagesOf(['fs/sqlite/node_sqlite.ts'])).toContain('node:sqlite')
})
