/** Rows 1, 2 and 29: a repository of 20,000 files, walked, and a directory of as many. The gates of 1 and 2 have 0.3 on top, for confinement by handles. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSystem } from '../src/core/file_system.ts'
import { ROOT } from '../src/core/path.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { call, linesIn } from './call.ts'
import { command, inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

/** A tree with all budgets at their highest: everything is walked and sorted, 200,000 characters are drawn. */
const WHOLE_TREE = { root_path: '.', show_hidden: true, max_scanned_files: 1_000_000, max_scan_ms: 60_000, max_chars: 200_000 }

const WIDE_FILES = 20_000

export async function treeRows({ corpus: { repository }, scratch, closing }: RowParts): Promise<Row[]> {
  const fs = await openNodeFs({ root: repository })
  const workspace = await openWorkspace({ profile: 'fileops', fs })
  closing(workspace)
  const out = join(scratch, 'tree-output')
  const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0) ?? 'fdfind'
  const wide = join(scratch, 'wide')
  mkdirSync(wide)
  for (let i = 0; i < WIDE_FILES; i++) writeFileSync(join(wide, `entry${i}.ts`), 'x'.repeat(i % 100))
  const wideFs = await openNodeFs({ root: wide })
  closing(wideFs)
  const tree = () => call(workspace, 'file_tree', WHOLE_TREE)

  return [
    {
      number: '1',
      name: 'walk all',
      anchorName: 'fd -I -j1 -H',
      gate: 1.3,
      anchor: command(`${fd} -I -j1 -H . ${repository}`, out),
      product: inProcess(() => countEntries(fs)),
      warm: 8,
      check: async () => mustAgree('Entries', await countEntries(fs), linesIn(out)),
    },
    {
      number: '2',
      name: 'tree honouring nested ignore files, sorted, 200,000 characters drawn',
      anchorName: 'fd -j1 -H',
      gate: 1.1,
      anchor: command(`${fd} -j1 -H -E .git . ${repository}`, out),
      product: inProcess(tree),
      warm: 8,
      async check() {
        const { scanned_files, scanned_dirs, scan_truncated } = await tree()
        mustAgree('A cut scan', scan_truncated, false)
        // The tool counts the root too.
        mustAgree('Entries', Number(scanned_files) + Number(scanned_dirs) - 1, linesIn(out))
      },
    },
    {
      number: '29',
      name: 'list of 20,000 entries with sizes',
      anchorName: 'ls -la',
      gate: 0.9,
      anchor: command(`ls -la ${wide}`, out),
      product: inProcess(() => wideFs.list(ROOT, { stat: true })),
      check: async () => mustAgree('Lines', (await wideFs.list(ROOT, { stat: true })).length + 3, linesIn(out)),
      warm: 8,
    },
  ]
}

async function countEntries(fs: FileSystem): Promise<number> {
  let count = 0
  for await (const page of fs.scan(ROOT)) count += page.length
  return count
}
