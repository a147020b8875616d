/** The floors of the project as data, and a checker of sources against them. */
import { dirname, join } from 'node:path/posix'

/** What one folder is, and what it may use. Paths are prefixes; the longest that fits a file is its place. */
interface Place {
  readonly path: string
  /** An import must lead to a lower floor, or stay in the same place. */
  readonly floor: number
  /** May import `node:` modules. */
  readonly node?: true
  /** May name storage adapters. */
  readonly host?: true
  /** Packages it may import; default: any. */
  readonly packages?: readonly string[]
}

/** The table of design floors. `src/` itself holds the public entries of the package and nothing else. */
export const PLACES: readonly Place[] = [
  { path: 'src/', floor: 7, host: true },
  { path: 'worker/', floor: 6, host: true },
  { path: 'web/', floor: 6, host: true },
  { path: 'src/cli/', floor: 6, host: true, node: true },
  { path: 'src/cli.ts', floor: 6, host: true, node: true },
  { path: 'src/http/', floor: 5 },
  { path: 'src/mcp/', floor: 5 },
  { path: 'src/runner/', floor: 5 },
  { path: 'src/runner/local.ts', floor: 5, node: true },
  { path: 'src/library/', floor: 5 },
  { path: 'src/testing/', floor: 4.5, host: true },
  { path: 'src/testing/folder_files.ts', floor: 4.5, host: true, node: true },
  { path: 'src/testing/from_commit.ts', floor: 4.5, host: true, node: true },
  { path: 'src/testing/from_package.ts', floor: 4.5, host: true, node: true },
  { path: 'src/testing/tasks.ts', floor: 4.5, host: true, node: true },
  { path: 'src/workspace/', floor: 4 },
  { path: 'src/profiles/', floor: 3 },
  { path: 'src/tools/', floor: 2 },
  { path: 'src/fs/', floor: 1, packages: [] },
  { path: 'src/fs/node/', floor: 1, node: true, packages: [] },
  { path: 'src/fs/node.ts', floor: 1, node: true, packages: [] },
  { path: 'src/fs/sqlite/node_sqlite.ts', floor: 1, node: true, packages: [] },
  { path: 'src/fs/wasm_hasher.ts', floor: 1, packages: ['hash-wasm'] },
  { path: 'src/fs/git/node_files.ts', floor: 1, node: true, packages: [] },
  { path: 'src/fs/git/node_disk.ts', floor: 1, node: true, packages: [] },
  { path: 'src/fs/git/node_places.ts', floor: 1, node: true, packages: [] },
  { path: 'src/policy/', floor: 1 },
  { path: 'src/text/', floor: 1 },
  { path: 'src/git/', floor: 0.5, packages: [] },
  { path: 'src/host/', floor: 0.5, node: true, packages: [] },
  { path: 'src/git/browser_platform.ts', floor: 0.5, packages: ['pako', 'hash-wasm'] },
  { path: 'src/core/', floor: 0, packages: [] },
]

/** Most lines of a source file, and of a test. */
const MOST_LINES = 400
const MOST_TEST_LINES = 600
const GRAB_BAGS = /^(utils?|helpers?|commons?)$/

/** A breach of a rule. */
export interface Breach {
  readonly rule: 'floor' | 'cycle' | 'node' | 'package' | 'adapter' | 'name' | 'length' | 'missing'
  readonly file: string
  readonly what: string
}

/** Checks sources, given as path and text. Tests are checked for names and length only. */
export function checkArchitecture(sources: ReadonlyMap<string, string>): Breach[] {
  const breaches: Breach[] = []
  const graph = new Map<string, string[]>()
  for (const [file, text] of sources) {
    breaches.push(...checkName(file), ...checkLength(file, text))
    const place = placeOf(file)
    // Scripts in plain JavaScript prepare the machine; nothing imports them.
    if (!place || file.endsWith('.mjs')) continue
    const targets: string[] = []
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('.')) {
        breaches.push(...checkPackage(file, place, specifier))
        continue
      }
      // A bundler's wishes (`?worker`) are no part of the path.
      const target = join(dirname(file), specifier.replace(/\?.*$/, ''))
      if (!sources.has(target)) breaches.push({ rule: 'missing', file, what: specifier })
      targets.push(target)
      breaches.push(...checkImport(file, place, target))
    }
    graph.set(file, targets)
  }
  return [...breaches, ...findCycles(graph)]
}

/** What a module imports: values and types, static and dynamic, and what it re-exports. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const pattern = /(?:^|[\s;}])(?:import|export)\b[^'"`;()=]*?\bfrom\s*['"]([^'"]+)['"]|(?<!['"`.\w$])import\s*\(?\s*['"]([^'"]+)['"]/g
  return [...code.matchAll(pattern)].map((match) => (match[1] ?? match[2]) as string)
}

function placeOf(file: string): Place | undefined {
  const fitting = PLACES.filter(({ path }) => file === path || (path.endsWith('/') && file.startsWith(path)))
  const place = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  // Only files that stand in src itself are entries.
  return place?.path === 'src/' && file.split('/').length > 2 ? undefined : place
}

/** The adapter a file belongs to: `src/fs/memory.ts` and `src/fs/memory/` are one. */
function adapterOf(file: string): string | undefined {
  return /^src\/fs\/([^/.]+)/.exec(file)?.[1]
}

/** The folder whose files may import each other. */
function folderOf(file: string): string {
  const [top, second = ''] = file.split('/')
  return top === 'src' ? second.replace(/\.ts$/, '') : (top as string)
}

function checkImport(file: string, from: Place, target: string): Breach[] {
  const to = placeOf(target)
  if (!to) return [{ rule: 'floor', file, what: `${target} is on no floor` }]
  const adapter = adapterOf(target)
  if (adapter !== undefined && adapter !== adapterOf(file) && !from.host) return [{ rule: 'adapter', file, what: target }]
  const same = folderOf(file) === folderOf(target) && from.path !== 'src/'
  return same || to.floor < from.floor ? [] : [{ rule: 'floor', file, what: target }]
}

function checkPackage(file: string, place: Place, specifier: string): Breach[] {
  if (specifier.startsWith('node:')) return place.node ? [] : [{ rule: 'node', file, what: specifier }]
  if (specifier.startsWith('cloudflare:')) return place.path === 'worker/' ? [] : [{ rule: 'package', file, what: specifier }]
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  return place.packages && !place.packages.includes(name) ? [{ rule: 'package', file, what: specifier }] : []
}

function checkName(file: string): Breach[] {
  const bad = file.split('/').find((part) => GRAB_BAGS.test(part.replace(/\..*$/, '')))
  return bad === undefined ? [] : [{ rule: 'name', file, what: bad }]
}

function checkLength(file: string, text: string): Breach[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return lines > (file.startsWith('test/') ? MOST_TEST_LINES : MOST_LINES) ? [{ rule: 'length', file, what: `${lines} lines` }] : []
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): Breach[] {
  const breaches: Breach[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const at = path.indexOf(file)
    if (at >= 0) breaches.push({ rule: 'cycle', file, what: [...path.slice(at), file].join(' → ') })
    if (at >= 0 || done.has(file)) return
    path.push(file)
    for (const target of graph.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return breaches
}
