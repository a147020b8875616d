/** Ignore rules beyond git: `.ignore` files, walks, verdicts, caching, odd rule files. Git's own rules are held to git elsewhere. */
import { describe, expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import type { Entry, FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { createIgnoreRules, MAX_RULE_BYTES } from '../../../src/text/glob/ignore.ts'
import { inMemory, type Tree } from '../planted.ts'

const at = (path: string): Path => path as Path

/** Verdict as `source:line:pattern`, with `-` before it when the path is not ignored; `''` when no pattern matches. */
async function verdict(fs: FileSystem, path: string, directory = false): Promise<string> {
  const { ignored, source, line, pattern } = await createIgnoreRules(fs).check(at(path), directory)
  return source === null ? '' : `${ignored ? '' : '-'}${source}:${line}:${pattern}`
}

/** Paths that a walk from `start` keeps. */
async function kept(fs: FileSystem, start = ''): Promise<string[]> {
  const walk = await createIgnoreRules(fs).walk(at(start))
  const found: string[] = []
  const keep = (children: Entry[], ignored: (entry: Entry) => boolean) => children.filter((child) => !ignored(child))
  const scan = fs.scan(at(start), {
    filter(dir, children) {
      const test = walk.enter(dir, children)
      return test instanceof Promise ? test.then((ignored) => keep(children, ignored)) : keep(children, test)
    },
  })
  for await (const page of scan) found.push(...page.filter(({ kind }) => kind === 'file').map(({ path }) => path))
  return found.filter((path) => !/(^|\/)\.(git)?ignore$/.test(path))
}

describe('a verdict', () => {
  test.each<[name: string, files: Tree, path: string, expected: string]>([
    ['names pattern, file and line', { '.gitignore': '# c\n\n*.log\n' }, 'a/x.log', '.gitignore:3:*.log'],
    ['is that of the nearest file', { '.gitignore': '*.log', 'a/.gitignore': '!x.log' }, 'a/x.log', '-a/.gitignore:1:!x.log'],
    ['of .ignore before .gitignore', { '.gitignore': '*.log', '.ignore': '!x.log' }, 'x.log', '-.ignore:1:!x.log'],
    ['… in the same directory only', { '.ignore': '!x.log', 'a/.gitignore': '*.log' }, 'a/x.log', 'a/.gitignore:1:*.log'],
    ['of an ignored directory above', { '.gitignore': 'out/\n', 'out/.gitignore': '!keep' }, 'out/keep', '.gitignore:1:out/'],
    ['of info/exclude last', { '.git/info/exclude': 'x', '.gitignore': '!x' }, 'x', '-.gitignore:1:!x'],
    ['of info/exclude', { '.git/info/exclude': 'x\n' }, 'a/x', '.git/info/exclude:1:x'],
    ['is none', { '.gitignore': 'y' }, 'x', ''],
    ['for the root is none', { '.gitignore': '*' }, '', ''],
    ['holds for what is not there yet', { '.gitignore': '/new/' }, 'new/a/b', '.gitignore:1:/new/'],
    ['holds below a file', { '.gitignore': 'x', a: '' }, 'a/x', '.gitignore:1:x'],
    ['sees bytes, as git does', { '.gitignore': 'caf??' }, 'café', '.gitignore:1:caf??'],
    ['is not fooled by names of properties', { '.gitignore': '__proto__' }, 'constructor', ''],
    ['takes a link for no rule file', { '.gitignore': { link: 'rules' }, rules: 'x' }, 'x', ''],
    ['takes a directory for no rule file', { '.gitignore/a': '' }, 'x', ''],
  ])('%s', async (_, files, path, expected) => {
    expect(await verdict(await inMemory(files), path)).toBe(expected)
  })

  test('is asked of directories and files', async () => {
    const fs = await inMemory({ '.gitignore': 'x/' })
    expect([await verdict(fs, 'x', true), await verdict(fs, 'x', false)]).toEqual(['.gitignore:1:x/', ''])
  })

  test('ignores case where the storage does', async () => {
    const fs = await inMemory({ '.gitignore': 'Foo*\n/Bar/x[A-B]' })
    const folding = { open: fs.open, traits: { ...fs.traits, caseSensitive: false } }
    const judge = async (path: string) => (await createIgnoreRules(folding).check(at(path), false)).ignored
    expect(await Promise.all(['fOO1', 'bar/XA', 'BAR/xb', 'bar/xc'].map(judge))).toEqual([true, true, true, false])
    expect(await verdict(fs, 'foo1')).toBe('')
  })

  test('looks for each rule file once', async () => {
    const fs = await inMemory({ '.gitignore': 'a' })
    const opened: string[] = []
    const open: FileSystem['open'] = (path) => {
      opened.push(path)
      return fs.open(path)
    }
    const rules = createIgnoreRules({ open, traits: fs.traits })
    for (let i = 0; i < 5; i++) await rules.check(at('d/x'), false)
    expect(opened).toEqual(['.git/info/exclude', '.gitignore', '.ignore', 'd/.gitignore', 'd/.ignore'])
  })

  test('is refused by a rule file that is too large, by name', async () => {
    const fs = await inMemory({ '.gitignore': 'x\n'.repeat(MAX_RULE_BYTES) })
    const error = await createIgnoreRules(fs)
      .check(at('x'), false)
      .catch((thrown: unknown) => thrown)
    expect(isFilewrightError(error, 'too_large')).toBe(true)
    expect(String(error)).toContain('.gitignore')
  })

  test('passes other failures of the storage on', async () => {
    const fs = await inMemory({})
    await fs.close()
    const thrown = await createIgnoreRules(fs)
      .check(at('a'), false)
      .catch((error: unknown) => error)
    expect(isFilewrightError(thrown, 'unsupported')).toBe(true)
  })
})

describe('a walk', () => {
  const files = {
    '.gitignore': '*.log\nout/\n',
    'a/.gitignore': '!keep.log\nb/*.txt\n',
    'a/.ignore': 'c.md\n',
    'a/b/x.txt': '',
    'a/b/y.md': '',
    'a/c.md': '',
    'a/keep.log': '',
    'a/z.log': '',
    'a/b/keep.log': '',
    'out/f': '',
    'out/g.log': '',
    'out/sub/h': '',
    'z.log': '',
    z: '',
  }

  test.each<[start: string, found: string[]]>([
    ['', ['a/b/keep.log', 'a/b/y.md', 'a/keep.log', 'z']],
    ['a', ['a/b/keep.log', 'a/b/y.md', 'a/keep.log']],
    ['a/b', ['a/b/keep.log', 'a/b/y.md']],
    // A directory that is named is walked although it is ignored; the rules hold for what is in it.
    ['out', ['out/f', 'out/sub/h']],
  ])('from %j', async (start, found) => {
    expect(await kept(await inMemory(files), start)).toEqual(found)
  })

  test('answers at once where a directory has no rules of its own', async () => {
    const fs = await inMemory(files)
    const walk = await createIgnoreRules(fs).walk(at('a'))
    expect(walk.enter(at('a'), await fs.list(at('a')))).toBeInstanceOf(Promise)
    expect(walk.enter(at('a/b'), await fs.list(at('a/b')))).toBeInstanceOf(Function)
  })
})
