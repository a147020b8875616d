/** A scan tells the same of directories that nobody has loaded as of those that were. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Entry, FileSystem, ScanOptions } from '../../../src/core/file_system.ts'
import { ROOT } from '../../../src/core/path.ts'
import { at, commit, makeDirectory, move, write } from '../../../src/testing/setup.ts'
import { onRepository } from './place.ts'

const WANTS: readonly ScanOptions[] = [{}, { target: true }, { access: true }, { target: true, access: true }, { maxDepth: 2 }]

async function told(fs: FileSystem, options: ScanOptions): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const page of fs.scan(ROOT, options)) entries.push(...page)
  return entries
}

/** Opens it anew for each scan, and again with all of it loaded. */
async function expectSame(open: () => Promise<FileSystem>, paths: readonly string[]): Promise<void> {
  for (const options of WANTS) {
    const unloaded = await open()
    const loaded = await open()
    await told(loaded, { stat: true })
    const entries = await told(unloaded, options)
    expect(entries).toEqual(await told(loaded, options))
    // And once more, as what was told before has changed nothing.
    expect(await told(unloaded, options)).toEqual(entries)
    if (!options.maxDepth) expect(entries.map(({ path }) => path)).toEqual(expect.arrayContaining([...paths]))
  }
}

test('of links, submodules, executables and directories at any depth, also after changes', () =>
  onRepository(async ({ dir, git, open }) => {
    mkdirSync(join(dir, 'deep/a/b/c'), { recursive: true })
    mkdirSync(join(dir, 'deep/a.b'))
    mkdirSync(join(dir, 'deep/links/below'), { recursive: true })
    for (const path of ['deep/a/b/c/one', 'deep/a/b/two', 'deep/a.b/three', 'deep/a-b', 'deep/links/below/four', 'deep/run']) {
      writeFileSync(join(dir, path), path)
    }
    chmodSync(join(dir, 'deep/run'), 0o755)
    symlinkSync('../a/b', join(dir, 'deep/links/to'))
    git('add', '-A')
    git('update-index', '--add', '--cacheinfo', '160000,1234567890123456789012345678901234567890,deep/a/sub')
    git('commit', '-q', '-m', 'Many kinds')
    const all = ['deep/a/b/c/one', 'deep/a/sub', 'deep/links/to', 'deep/links/below/four', 'deep/run']
    await expectSame(open, all)
    const targets = (await told(await open(), { target: true })).filter(({ target }) => target !== null)
    expect(targets.map(({ path, target }) => [path, target])).toContainEqual(['deep/links/to', '../a/b'])

    const fs = await open()
    await commit(fs, makeDirectory('deep/a/empty'), write(fs, 'deep/a/b/c/new', 'new'), move('deep/links', 'moved', 'directory'))
    await expectSame(open, ['deep/a/empty', 'deep/a/b/c/new', 'deep/a.b/three', 'moved/to', 'moved/below/four'])
    // Moved, it is the same tree elsewhere: nothing of it was loaded here.
    await expect(fs.stat(at('moved/below/four'))).resolves.toMatchObject({ kind: 'file' })
  }))
