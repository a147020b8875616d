/** Programs that take an `fs` do their work in a workspace: isomorphic-git, rollup, and TypeScript's compiler. */
import { join } from 'node:path'
import git from 'isomorphic-git'
import { rollup } from 'rollup'
import { API } from 'typescript/unstable/async'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { asNodeFs, type NodeFs, withNodeFs } from '../../src/library/as_node_fs.ts'
import { repo } from '../../src/testing/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { fsck, git as real, tempDir } from '../git/real_git.ts'

const author = { name: 'A', email: 'a@example.org', timestamp: 1_700_000_000, timezoneOffset: 0 }

function open(allowGitInternals = false): Promise<Workspace> {
  return openWorkspace({ fs: createMemoryFs(), settings: { allowGitInternals } })
}

/** A repository in a folder of the workspace, with two commits. */
async function commitTwice(fs: NodeFs, dir: string): Promise<string> {
  await git.init({ fs, dir, defaultBranch: 'main' })
  await fs.promises.mkdir(`${dir}/src`)
  await fs.promises.writeFile(`${dir}/src/a.txt`, 'one\n')
  await fs.promises.writeFile(`${dir}/run`, '#!/bin/sh\n', { mode: 0o755 })
  await git.add({ fs, dir, filepath: ['src/a.txt', 'run'] })
  await git.commit({ fs, dir, message: 'First', author })
  await fs.promises.writeFile(`${dir}/src/a.txt`, 'two\n')
  await fs.promises.writeFile(`${dir}/new.txt`, 'new\n')
  expect(await git.statusMatrix({ fs, dir })).toEqual([
    ['new.txt', 0, 2, 0],
    ['run', 1, 1, 1],
    ['src/a.txt', 1, 2, 1],
  ])
  await git.add({ fs, dir, filepath: '.' })
  const oid = await git.commit({ fs, dir, message: 'Second', author })
  const log = await git.log({ fs, dir })
  expect(log.map(({ commit }) => commit.message)).toEqual(['Second\n', 'First\n'])
  return oid
}

test('isomorphic-git: init, add, commit, status, log, checkout', async () => {
  const workspace = await open(true)
  const fs = asNodeFs(workspace)
  await fs.promises.mkdir('/repo')
  const oid = await commitTwice(fs, '/repo')
  await git
    .branch({ fs, dir: '/repo', ref: 'side', object: 'HEAD~0', checkout: false })
    .catch(() => git.branch({ fs, dir: '/repo', ref: 'side' }))
  const [, first] = await git.log({ fs, dir: '/repo' })
  await git.checkout({ fs, dir: '/repo', ref: first?.oid as string })
  expect(await fs.promises.readFile('/repo/src/a.txt', 'utf8')).toBe('one\n')
  expect(await fs.promises.readdir('/repo')).toEqual(['.git', 'run', 'src'])
  expect((await fs.promises.stat('/repo/run')).mode & 0o111).not.toBe(0)
  await git.checkout({ fs, dir: '/repo', ref: 'main' })
  expect(await git.resolveRef({ fs, dir: '/repo', ref: 'HEAD' })).toBe(oid)
  // Every file that it wrote is a change that can be taken back.
  await workspace.verify()
  expect((await workspace.log({ limit: 1000 })).every(({ record }) => record.tool === 'node-fs')).toBe(true)
})

test('isomorphic-git in a workspace that is a repository itself', async () => {
  const workspace = await repo({ 'a.txt': 'one\n' }, { now: Date.now, settings: { allowGitInternals: true } })
  const oid = await withNodeFs(workspace, (fs) => commitTwice(fs, '/repo'))
  expect(await git.resolveRef({ fs: asNodeFs(workspace), dir: '/repo', ref: 'main' })).toBe(oid)
  // Of the two repositories, neither knows of the other: git's own files are in no commit.
  const changes = (await workspace.fs.repository?.status())?.changes ?? []
  expect(changes.map(({ path }) => path).sort()).toEqual(['repo/new.txt', 'repo/run', 'repo/src/a.txt'])
})

test('isomorphic-git on a folder: git finds nothing wrong with what it made', async () => {
  const { dir, remove } = tempDir()
  onTestFinished(remove)
  const workspace = await openWorkspace({
    fs: await openNodeFs({ root: dir, durability: 'process' }),
    settings: { allowGitInternals: true },
  })
  const fs = asNodeFs(workspace)
  await fs.promises.mkdir(`${workspace.fs.traits.root}/repo`)
  const oid = await commitTwice(fs, `${workspace.fs.traits.root}/repo`)
  await workspace.close()
  const repo = join(dir, 'repo')
  fsck(repo)
  expect([real(repo, 'rev-parse', 'HEAD'), real(repo, 'status', '--porcelain')]).toEqual([oid, ''])
  expect(real(repo, 'log', '--format=%s')).toBe('Second\nFirst')
})

test('isomorphic-git: all that it does as one change', async () => {
  const workspace = await open(true)
  const oid = await withNodeFs(workspace, (fs) => commitTwice(fs, '/repo'), { tool: 'isomorphic-git' })
  expect(await git.resolveRef({ fs: asNodeFs(workspace), dir: '/repo', ref: 'main' })).toBe(oid)
  expect(await workspace.log()).toHaveLength(1)
  await workspace.undo('last')
  expect(await asNodeFs(workspace).promises.readdir('/')).toEqual([])
})

test('isomorphic-git: nothing where the operator does not permit git files', async () => {
  const workspace = await open()
  const fs = asNodeFs(workspace)
  await fs.promises.mkdir('/repo')
  await expect(git.init({ fs, dir: '/repo' })).rejects.toMatchObject({ code: 'EPERM' })
  await expect(withNodeFs(workspace, (gathered) => git.init({ fs: gathered, dir: '/repo' }))).rejects.toMatchObject({ code: 'EPERM' })
  expect(await fs.promises.readdir('/repo')).toEqual([])
})

test('rollup: reads modules and writes a bundle', async () => {
  const workspace = await open()
  await withNodeFs(workspace, async ({ promises: fs }) => {
    await fs.mkdir('/src')
    await fs.writeFile(
      '/src/main.js',
      `import { twice } from './twice.js'\nexport const four = twice(2)\nexport const lazy = () => import('./lazy.js')\n`,
    )
    await fs.writeFile('/src/twice.js', 'export const twice = (n) => 2 * n\nexport const unused = 1\n')
    await fs.writeFile('/src/lazy.js', 'export default 3\n')
  })
  const written = await withNodeFs(
    workspace,
    async (fs) => {
      const bundle = await rollup({ input: '/src/main.js', fs: fs.promises })
      const { output } = await bundle.write({ dir: '/dist', format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' })
      await bundle.close()
      return output.map(({ fileName }) => fileName)
    },
    { tool: 'rollup' },
  )
  expect(written.sort()).toEqual(['lazy.js', 'main.js'])
  const main = await asNodeFs(workspace).promises.readFile('/dist/main.js', 'utf8')
  expect(main).toContain('twice(2)')
  expect(main).not.toContain('unused')
  const [newest] = await workspace.log()
  expect(newest?.record.tool).toBe('rollup')
  expect([...(newest?.paths ?? [])].sort()).toEqual(['dist', 'dist/lazy.js', 'dist/main.js'])
})

test("TypeScript's compiler: diagnostics of files in a workspace", async () => {
  const workspace = await open()
  const { promises: fs } = asNodeFs(workspace)
  await fs.mkdir('/project/src', { recursive: true })
  await fs.writeFile(
    '/project/tsconfig.json',
    '{"compilerOptions":{"strict":true,"noEmit":true,"types":[],"target":"es2024"},"include":["src"]}',
  )
  await fs.writeFile('/project/src/a.ts', `import { b } from './b'\nexport const a: number = b\n`)
  await fs.writeFile('/project/src/b.ts', `export const b = 'text'\n`)
  expect(await diagnosticsOf(workspace, '/project')).toEqual([['/project/src/a.ts', 2322]])
  await workspace.call('edit', { path: '/project/src/b.ts', old: `'text'`, new: '1' })
  expect(await diagnosticsOf(workspace, '/project')).toEqual([])
})

/** The compiler asks for files one by one and does not wait, so that their texts are read before. */
async function diagnosticsOf(workspace: Workspace, dir: string): Promise<unknown[]> {
  const { promises: fs } = asNodeFs(workspace)
  const texts = new Map<string, string>()
  const folders = new Map<string, { files: string[]; directories: string[] }>([[dir, { files: [], directories: [] }]])
  for (const entry of await fs.readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`
    if (entry.isDirectory()) folders.set(path, { files: [], directories: [] })
    else texts.set(path, await fs.readFile(path, 'utf8'))
    folders.get(entry.parentPath)?.[entry.isDirectory() ? 'directories' : 'files'].push(entry.name)
  }
  const api = new API({
    cwd: dir,
    fs: {
      readFile: (path) => texts.get(path) ?? null,
      fileExists: (path) => texts.has(path),
      directoryExists: (path) => folders.has(path),
      getAccessibleEntries: (path) => folders.get(path) ?? { files: [], directories: [] },
      realpath: (path) => path,
    },
  })
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [`${dir}/tsconfig.json`] })
    const project = snapshot.getProject(`${dir}/tsconfig.json`)
    const found = await Promise.all(
      [...texts.keys()].filter((path) => path.endsWith('.ts')).map((path) => project?.program.getSemanticDiagnostics(path)),
    )
    return found.flat().map((diagnostic) => [diagnostic?.fileName, diagnostic?.code])
  } finally {
    await api.close()
  }
}
