/** Small edits gather what git cannot hold in one blob, and put it where it belongs when it is much or the tree changes its shape. */
import { expect, test } from 'vitest'
import { at, commit, hashOf, keptContents, link, makeDirectory, move, remove, scanAll, write } from '../../../src/testing/setup.ts'
import { snapshot } from '../../../src/testing/snapshot.ts'
import { type GitWorkspace, onRepository } from './place.ts'

/** Everything that is told of every entry. */
async function all(fs: GitWorkspace): Promise<unknown> {
  const entries = await scanAll(fs, '', { stat: true, target: true })
  return [await snapshot(fs), entries.map((entry) => ({ ...entry, size: null, hash: null })), await keptContents(fs)]
}

test('facts and kept contents are the same after every step, whoever reads them', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    const hasRecent = () => /\trecent$/m.test(git('ls-tree', 'refs/filewright/workspaces/main'))
    const same = async (label: string) => expect(await all(await open()), label).toEqual(await all(fs))
    await commit(fs, { ...write(fs, 'src/a.txt', '1', hashOf(fs, 'a\n')), mode: 0o600 }, link('src/deep/l', 'x'))
    expect(hasRecent()).toBe(true)
    await same('after a small edit')
    // Another process goes on from what is not settled.
    const other = await open()
    await commit(other, write(other, 'src/a.txt', '2', hashOf(fs, '1')), write(other, 'src/deep/er/new', ''))
    await same('after one of another process')
    await commit(fs, move('src/deep', 'deep', 'directory'))
    expect(hasRecent()).toBe(false)
    await same('after a move')
    await commit(fs, write(fs, 'deep/er/new', '3', hashOf(fs, '')))
    await commit(fs, remove('deep/er/new', hashOf(fs, '3')), makeDirectory('deep/er/d'))
    await same('after a removal')
    await commit(fs, write(fs, '.git', 'refused'))
    await commit(fs, write(fs, 'deep/er/x', 'x'), write(fs, '.git', 'again', hashOf(fs, 'refused')))
    await same('after something that git refuses')
  }))

test('what is much is settled', { timeout: 60_000 }, () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    let text = 'a\n'
    let settled = 0
    for (let turn = 0; turn < 12; turn++) {
      const files = Array.from({ length: 50 }, (_, index) => write(fs, `src/${turn}-${index}`, `${turn} ${index}`))
      await commit(fs, ...files, write(fs, 'src/a.txt', `${turn}`, hashOf(fs, text)))
      text = `${turn}`
      if (!/\trecent$/m.test(git('ls-tree', 'refs/filewright/workspaces/main'))) settled++
    }
    expect(settled).toBe(1)
    for (let turn = 0; turn < 300; turn++) {
      await commit(fs, write(fs, 'src/b.txt', `many ${turn}`, turn === 0 ? hashOf(fs, 'b\n') : hashOf(fs, `many ${turn - 1}`)))
    }
    expect(git('ls-tree', 'refs/filewright/workspaces/main').match(/\tkept$/m)).not.toBe(null)
    const again = await open()
    expect((await keptContents(again)).length).toBe(12 + 300)
    expect(await all(again)).toEqual(await all(fs))
    expect((await again.stat(at('src/3-7'))).mtimeMs).not.toBe(null)
  }),
)
