/** Cases about walking a tree: order, depth, filters, signals. */
import type { Entry } from '../../core/file_system.ts'
import { check, fails, same } from '../assert.ts'
import { at, commit, compareBytes, hashOf, move, plant, scanAll, scanPaths, write } from '../setup.ts'
import { type CaseTable, withLinks } from './case.ts'

const TREE = {
  a: null,
  'a/x': '1',
  'a/sub': null,
  'a/sub/deep': '2',
  'a-': '3',
  'a.b': '4',
  a0: '5',
  é: null,
  'é/1': '6',
  '\uffee': '7',
  '😀': '8',
}
/** `a/` comes after `a-` and `a.b`, and before `a0`. */
const TREE_ORDER = ['a-', 'a.b', 'a', 'a/sub', 'a/sub/deep', 'a/x', 'a0', 'é', 'é/1', '\uffee', '😀']

export const scanningCases: CaseTable = {
  'scan: byte order of full paths, a directory as if its name ended in a slash': async (fs) => {
    await plant(fs, TREE)
    const paths = await scanPaths(fs, '')
    same(paths, TREE_ORDER, 'scan of the root')
    const keys = (await scanAll(fs, '')).map((entry) => (entry.kind === 'directory' ? `${entry.path}/` : entry.path))
    same(keys, keys.toSorted(compareBytes), 'the order of a scan')
  },

  'scan: from a directory, without it, with whole paths': async (fs) => {
    await plant(fs, { ...TREE, ab: null, 'ab/no': 'x' })
    same(await scanPaths(fs, 'a'), ['a/sub', 'a/sub/deep', 'a/x'], 'scan of a')
    same(await scanPaths(fs, 'a/sub'), ['a/sub/deep'], 'scan of a/sub')
    await plant(fs, { empty: null })
    same(await scanPaths(fs, 'empty'), [], 'scan of an empty directory')
  },

  'scan: errors of the start': async (fs) => {
    await plant(fs, { f: 'x' })
    await fails(() => scanAll(fs, 'nope'), 'not_found', 'scan of nothing')
    await fails(() => scanAll(fs, 'f'), 'not_directory', 'scan of a file')
    await fails(() => scanAll(fs, 'f/x'), 'not_directory', 'scan below a file')
  },

  'scan: facts that were asked for': async (fs) => {
    await plant(fs, TREE)
    for (const entry of await scanAll(fs, '', { stat: true, access: true })) {
      const { size, mtimeMs, mode, version, access } = await fs.stat(entry.path, { access: true })
      same(
        [entry.size, entry.mtimeMs, entry.mode, entry.version, entry.access],
        [size, mtimeMs, mode, version, access],
        `scan and stat of ${entry.path}`,
      )
    }
  },

  'scan: links are reported and not entered': withLinks(async (fs) => {
    await plant(fs, { d: null, 'd/f': 'x', l: { link: 'd' }, loop: { link: '.' } })
    const entries = await scanAll(fs, '', { target: true })
    same(
      entries.map((entry) => [entry.path, entry.kind, entry.target]),
      [
        ['d', 'directory', null],
        ['d/f', 'file', null],
        ['l', 'link', 'd'],
        ['loop', 'link', '.'],
      ],
      'scan',
    )
  }),

  'scan: maxDepth counts levels below the start': async (fs) => {
    await plant(fs, { a: null, 'a/b': null, 'a/b/c': null, 'a/b/c/d': 'x', f: 'y' })
    same(await scanPaths(fs, '', { maxDepth: 1 }), ['a', 'f'], 'one level')
    same(await scanPaths(fs, '', { maxDepth: 2 }), ['a', 'a/b', 'f'], 'two levels')
    same(await scanPaths(fs, 'a', { maxDepth: 2 }), ['a/b', 'a/b/c'], 'two levels below a')
    same(await scanPaths(fs, '', { maxDepth: 100 }), ['a', 'a/b', 'a/b/c', 'a/b/c/d', 'f'], 'more levels than there are')
  },

  'scan: the filter sees every entered directory once, children sorted, parents first': async (fs) => {
    await plant(fs, TREE)
    const seen: [string, string[]][] = []
    await scanAll(fs, '', {
      filter(dir, children) {
        seen.push([dir, children.map((child) => child.path)])
        return children
      },
    })
    const levels = (dir: string) => TREE_ORDER.filter((path) => path.slice(0, path.lastIndexOf('/') + 1) === (dir === '' ? '' : `${dir}/`))
    same(
      seen,
      ['', 'a', 'a/sub', 'é'].map((dir) => [dir, levels(dir)]),
      'calls of the filter',
    )
  },

  'scan: what the filter drops is neither reported nor entered': async (fs) => {
    await plant(fs, { ...TREE, node_modules: null, 'node_modules/x': '1', 'a/node_modules': null, 'a/node_modules/y': '2' })
    const drop = (dropped: (entry: Entry) => boolean) => (_: string, children: Entry[]) => children.filter((child) => !dropped(child))
    const pruned = await scanPaths(fs, '', { filter: drop((entry) => entry.path.endsWith('node_modules')) })
    same(pruned, TREE_ORDER, 'a scan without node_modules')
    const directories = await scanPaths(fs, '', { filter: drop((entry) => entry.kind !== 'directory') })
    same(directories, ['a', 'a/node_modules', 'a/sub', 'node_modules', 'é'], 'a scan of directories')
    same(await scanPaths(fs, '', { filter: () => [] }), [], 'a scan that drops everything')
    same(
      await scanPaths(fs, '', { maxDepth: 1, filter: drop((entry) => entry.path === 'a-') }),
      ['a.b', 'a', 'a0', 'node_modules', 'é', '\uffee', '😀'],
      'filter and depth',
    )
  },

  'scan: the filter may take its time, and read': async (fs) => {
    await plant(fs, { ...TREE, 'a/.rules': 'x' })
    const paths = await scanPaths(fs, '', {
      async filter(dir, children) {
        if (!children.some((child) => child.path === `${dir}/.rules`)) return children
        const reader = await fs.open(at(`${dir}/.rules`))
        const rule = new Uint8Array(1)
        await reader.read(0, rule)
        await reader.close()
        return children.filter((child) => !child.path.endsWith(`/${String.fromCharCode(rule[0] as number)}`))
      },
    })
    same(
      paths,
      TREE_ORDER.toSpliced(3, 0, 'a/.rules').filter((path) => path !== 'a/x'),
      'a scan with rules of its own',
    )
  },

  'scan: what a filter throws comes through': async (fs) => {
    await plant(fs, TREE)
    const thrown = new RangeError('from the filter')
    const filter = () => {
      throw thrown
    }
    const error = await scanAll(fs, '', { filter }).then(
      () => null,
      (reason: unknown) => reason,
    )
    check(error === thrown, "the filter's own error")
  },

  'scan: an abort ends it': async (fs) => {
    await plant(fs, TREE)
    await fails(() => scanAll(fs, '', { signal: AbortSignal.abort() }), 'canceled', 'a scan that was aborted before')
    const controller = new AbortController()
    const filter = (dir: string, children: Entry[]) => {
      if (dir === 'a') controller.abort()
      return children
    }
    await fails(() => scanAll(fs, '', { signal: controller.signal, filter }), 'canceled', 'a scan that is aborted on the way')
  },

  'scan: a caller may stop early, and commit meanwhile': async (fs, { sizes }) => {
    const changes = Array.from({ length: sizes.files }, (_, index) => write(fs, `f${index}`, `${index}`))
    await commit(fs, ...changes)
    let pages = 0
    for await (const page of fs.scan(at(''))) {
      pages++
      check(page.length > 0, 'a page has entries')
      await commit(fs, move('f0', 'g0', hashOf(fs, '0')))
      break
    }
    same(pages, 1, 'pages that were asked for')
    same((await scanPaths(fs, '')).length, sizes.files, 'a scan after the one that was left')
  },
}
