/** Row 14: search in memory, against a plain loop over the same bytes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryFs } from '../src/fs/memory.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { call, WHOLE_SEARCH } from './call.ts'
import { NEEDLE } from './corpus.ts'
import { inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

export async function memoryRows({ corpus: { repository }, closing }: RowParts): Promise<Row[]> {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  closing(workspace)
  const contents = new Map<string, Buffer>()
  const files = []
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: repository, encoding: 'utf8', maxBuffer: 1e9 })
  for (const path of listed.stdout.split('\n').filter((name) => name !== '')) {
    const bytes = readFileSync(join(repository, path))
    contents.set(path, bytes)
    files.push({ path, content: await workspace.stage(bytes) })
  }
  await workspace.importFiles(files, { operator: true })

  const needle = Buffer.from(NEEDLE)
  const plain = (): number => {
    let found = 0
    for (const bytes of contents.values()) if (bytes.indexOf(needle) >= 0) found++
    return found
  }
  const search = () => call(workspace, 'search_files', { search_path: '.', query: NEEDLE, ...WHOLE_SEARCH })
  return [
    {
      number: '14',
      name: 'search in memory, rare literal',
      anchorName: 'Map and Buffer.indexOf',
      gate: 2,
      anchor: inProcess(plain, 5),
      product: inProcess(search, 5),
      check: async () => mustAgree('Files', (await search()).matched_files, plain()),
    },
  ]
}
