/** Acts that a crash may end anywhere, on the sample repository of `place.ts`. */
import { at, commit, draft, hashOf, makeDirectory, move, remove, utf8, write } from '../../../src/testing/setup.ts'
import { ADA, type GitWorkspace } from './place.ts'

export const ACTS: { readonly [name: string]: (fs: GitWorkspace) => Promise<unknown> } = {
  /** A few loose objects. */
  edit: (fs) =>
    commit(
      fs,
      write(fs, 'src/a.txt', 'edited\n', hashOf(fs, 'edited before\n')),
      remove('src/b.txt', hashOf(fs, 'b\n')),
      move('bin', 'tools', 'directory'),
      makeDirectory('nothing'),
    ),
  /** One pack. */
  edits: (fs) => commit(fs, makeDirectory('many'), ...Array.from({ length: 80 }, (_, index) => write(fs, `many/${index}`, `${index}`))),
  staged: async (fs) => {
    const content = await fs.stage(utf8('staged'))
    await fs.commit([{ kind: 'write', path: at('staged'), content, expect: 'absent' }], draft())
  },
  commit: (fs) => fs.repository.makeCommit({ message: 'Edits', author: ADA }, draft()),
  branch: async (fs) => fs.repository.createBranch('topic', (await fs.repository.resolve('HEAD')) as never, draft()),
  note: (fs) => fs.notes.swap('group/a', 'one', 'two'),
  forget: (fs) => fs.forget([hashOf(fs, 'a\n').hash]),
}

/** What is there before each of them. */
export async function prepare(fs: GitWorkspace): Promise<void> {
  await commit(fs, write(fs, 'src/a.txt', 'edited before\n', hashOf(fs, 'a\n')))
  await fs.notes.swap('group/a', null, 'one')
}
