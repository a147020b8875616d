/** Patches are what git takes: applied by it, they give the tree byte for byte. */
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { commitWishes, wishes } from '../random_changes.ts'
import { STORAGES, temporaryFolder, treeOf } from '../storages.ts'

type Tree = { [path: string]: string | null }

const RUNS = Number(process.env.PAST_RUNS ?? 25)

/** What git knows of a tree. */
const withoutDirectories = (tree: Tree): Tree => Object.fromEntries(Object.entries(tree).filter(([, what]) => what !== null))

function plant(folder: string, tree: Tree): void {
  for (const [path, what] of Object.entries(tree)) {
    const at = join(folder, path)
    if (what === null) mkdirSync(at, { recursive: true })
    else if (what.startsWith('-> ')) symlinkSync(what.slice(3), at)
    else {
      const executable = what.startsWith('x ')
      writeFileSync(at, Buffer.from(executable ? what.slice(2) : what, 'latin1'))
      chmodSync(at, executable ? 0o755 : 0o644)
    }
  }
}

function harvest(folder: string, dir = ''): Tree {
  const tree: Tree = {}
  for (const name of readdirSync(join(folder, dir))) {
    const path = dir === '' ? name : `${dir}/${name}`
    const stats = lstatSync(join(folder, path))
    if (stats.isDirectory()) Object.assign(tree, harvest(folder, path))
    else if (stats.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(folder, path))}`
    else tree[path] = `${stats.mode & 0o100 ? 'x ' : ''}${readFileSync(join(folder, path), 'latin1')}`
  }
  return tree
}

function git(folder: string, args: readonly string[], input: string): void {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..'), GIT_CONFIG_NOSYSTEM: '1', HOME: folder }
  execFileSync('git', ['-c', 'core.autocrlf=false', ...args], { cwd: folder, input, env, stdio: ['pipe', 'pipe', 'pipe'] })
}

async function patch(workspace: Workspace, range: { from?: number; to?: number }): Promise<string> {
  let text = ''
  for await (const part of workspace.patch(range)) text += part.text ?? ''
  return text
}

/** Applies the patch to the tree, and takes it back again. */
function applied(tree: Tree, text: string): { readonly there: Tree; readonly back: Tree } {
  const folder = temporaryFolder()
  plant(folder, tree)
  const apply = (...options: string[]) => text === '' || git(folder, ['apply', '--whitespace=nowarn', ...options, '-'], text)
  apply()
  const there = harvest(folder)
  apply('--reverse')
  return { there, back: harvest(folder) }
}

describe('git apply', () => {
  it('takes any run of a random past, and takes it back', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(wishes, fc.nat(), fc.nat(), async (groups, pick, span) => {
        const fs = createMemoryFs()
        const workspace = await openWorkspace({ profile: 'fileops', fs })
        const trees: Tree[] = [{}]
        for (const group of groups) {
          for (const wish of group) if (await commitWishes(fs, [wish])) trees.push(await treeOf(fs))
        }
        fc.pre(trees.length > 1)
        const from = 1 + (pick % (trees.length - 1))
        const to = from + (span % (trees.length - from))
        const { there, back } = applied(trees[from - 1] as Tree, await patch(workspace, { from, to }))
        expect(there).toEqual(withoutDirectories(trees[to] as Tree))
        expect(back).toEqual(withoutDirectories(trees[from - 1] as Tree))
      }),
      { numRuns: RUNS },
    )
  })
})

describe.each(STORAGES)('on %s', (_, open) => {
  const start = async (): Promise<{ fs: FileSystem; workspace: Workspace; write: (path: string, content: string) => Promise<void> }> => {
    const fs = await open()
    const workspace = await openWorkspace({ profile: 'fileops', fs })
    const write = async (file_path: string, content: string): Promise<void> => {
      expect((await workspace.call('write_file', { file_path, content, force_overwrite: true })).error).toBeNull()
    }
    return { fs, workspace, write }
  }

  it('tells one record, or a run net of what came and went', async () => {
    const { workspace, write } = await start()
    await write('a b.txt', 'one\n')
    await write('a b.txt', 'two')
    await write('gone', 'x')
    await workspace.call('delete_file', { file_path: 'gone' })
    expect(await patch(workspace, { from: 2, to: 2 })).toMatch(
      /^diff --git a\/a b.txt b\/a b.txt\nindex [0-9a-f]{40}\.\.[0-9a-f]{40}\n--- a\/a b.txt\t\n\+\+\+ b\/a b.txt\t\n@@ -1 \+1 @@\n-one\n\+two\n\\ No newline at end of file\n$/,
    )
    const all = await patch(workspace, {})
    expect(all).not.toContain('gone')
    expect(applied({}, all).there).toEqual({ 'a b.txt': 'two' })
    await workspace.close()
  })

  it('names what is wrong with a run, and what history gave up', async () => {
    const { workspace, write } = await start()
    await expect(patch(workspace, {})).rejects.toMatchObject({ code: 'not_found' })
    await write('a', 'one')
    await write('a', 'two')
    await write('a', 'three')
    await expect(patch(workspace, { from: 3, to: 2 })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(patch(workspace, { from: 7 })).rejects.toMatchObject({ code: 'not_found' })
    await workspace.purge({ path: 'a' })
    await expect(patch(workspace, { from: 2, to: 2 })).rejects.toMatchObject({ code: 'unsupported', details: { path: 'a' } })
    expect(await patch(workspace, {})).toContain('+three')
    await workspace.close()
  })

  it("leaves git's own files out, and says so", async () => {
    const { workspace } = await start()
    const content = await workspace.stage(new TextEncoder().encode('x'))
    await workspace.importFiles(
      [
        { path: '.git/config', content },
        { path: 'a', content },
      ],
      { operator: true },
    )
    const parts = []
    for await (const { path, text } of workspace.patch()) parts.push([path, text === null])
    expect(parts).toEqual([
      ['.git/config', true],
      ['a', false],
    ])
    await workspace.close()
  })
})
