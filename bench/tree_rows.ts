/** Rows 1 to 3 and 9: a repository of 20,000 files, walked and searched. The gates of 1 to 3 have 0.3 on top, for confinement by handles. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSystem } from '../src/core/file_system.ts'
import { ROOT } from '../src/core/path.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { call, WHOLE_SEARCH } from './call.ts'
import { NEEDLE } from './corpus.ts'
import { command, inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './rows.ts'

/** A tree with all budgets at their highest: everything is walked and sorted, 200,000 characters are drawn. */
const WHOLE_TREE = { root_path: '.', show_hidden: true, max_scanned_files: 1_000_000, max_scan_ms: 60_000, max_chars: 200_000 }

export async function treeRows({ corpus: { repository }, scratch, closing }: RowParts): Promise<Row[]> {
  const fs = await openNodeFs({ root: repository })
  const workspace = await openWorkspace({ fs })
  closing(workspace)
  const out = join(scratch, 'tree-output')
  const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0) ?? 'fdfind'
  const tree = () => call(workspace, 'file_tree', WHOLE_TREE)

  const searchRow = (name: string, query: string): Row => {
    const search = () => call(workspace, 'search_files', { search_path: '.', query, ...WHOLE_SEARCH })
    return {
      number: '3',
      name,
      anchorName: 'rg -j1',
      gate: 1.3,
      // ripgrep ends with 1 when it finds nothing.
      anchor: command(`rg -j1 --no-heading -n ${query} ${repository} || [ $? = 1 ]`, out),
      product: inProcess(search),
      async check() {
        const { total_matches, truncated } = await search()
        mustAgree('A cut search', truncated, false)
        mustAgree('Matches', total_matches, linesIn(out))
      },
    }
  }

  return [
    {
      number: '1',
      name: 'walk all',
      anchorName: 'fd -I -j1 -H',
      gate: 1.3,
      anchor: command(`${fd} -I -j1 -H . ${repository}`, out),
      product: inProcess(() => countEntries(fs)),
      check: async () => mustAgree('Entries', await countEntries(fs), linesIn(out)),
    },
    {
      number: '2',
      name: 'tree honouring nested ignore files, sorted, 200,000 characters drawn',
      anchorName: 'fd -j1 -H',
      gate: 1.1,
      anchor: command(`${fd} -j1 -H -E .git . ${repository}`, out),
      product: inProcess(tree),
      async check() {
        const { scanned_files, scanned_dirs, scan_truncated } = await tree()
        mustAgree('A cut scan', scan_truncated, false)
        // The tool counts the root too.
        mustAgree('Entries', Number(scanned_files) + Number(scanned_dirs) - 1, linesIn(out))
      },
    },
    searchRow('search, rare literal', NEEDLE),
    searchRow('search, no match', 'zzqqNothing'),
    {
      number: '9',
      name: 'search, common word, first 200 lines',
      anchorName: 'rg -j1, all lines',
      gate: 0.15,
      anchor: command(`rg -j1 --no-heading -n return ${repository}`, out),
      product: inProcess(() => firstLines(200)),
      async check() {
        mustAgree('Matches of 200', (await firstLines(200)).total_matches, 200)
        mustAgree('More lines than 200', linesIn(out) > 200, true)
      },
    },
  ]

  function firstLines(count: number): Promise<{ readonly [key: string]: unknown }> {
    return call(workspace, 'search_files', { search_path: '.', query: 'return', max_results: count, ...WHOLE_SEARCH })
  }
}

async function countEntries(fs: FileSystem): Promise<number> {
  let count = 0
  for await (const page of fs.scan(ROOT)) count += page.length
  return count
}

function linesIn(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1
}
