/** Rows 19 and 21: small views, and edits of 10 MB that do not fit. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { call, withoutNumbers } from './call.ts'
import type { Corpus } from './corpus.ts'
import { inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

const VIEW_BYTES = 6144
/** More files than a workspace remembers. */
const VIEWED_FILES = 500

export async function smallRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const root = join(scratch, 'small')
  mkdirSync(root)
  const workspace = await openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root, durability: 'process' }) })
  closing(workspace)
  return [...viewRows(workspace, root, corpus), failureRow(workspace, root, corpus)]
}

/** Row 19, of a file that the workspace knows and of one that it has to read whole first. */
function viewRows(workspace: Workspace, root: string, corpus: Corpus): Row[] {
  const text = readFileSync(corpus.edit).subarray(0, VIEW_BYTES)
  const names = Array.from({ length: VIEWED_FILES }, (_, i) => `view${i}.ts`)
  for (const name of names) writeFileSync(join(root, name), text)
  const row = (name: string, next: () => string): Row => {
    const view = () => call(workspace, 'view_file', { file_path: next() })
    return {
      number: '19',
      name,
      anchorName: 'readFileSync',
      gate: 4,
      anchor: inProcess(() => readFileSync(join(root, next()), 'utf8'), 2000),
      product: inProcess(view, 2000),
      check: async () => mustAgree('Text', `${withoutNumbers((await view()).content)}`, text.toString().replace(/\n$/, '')),
    }
  }
  let turn = 0
  return [
    row('view of 6 KB, a call, the same file', () => 'view0.ts'),
    row('view of 6 KB, a call, always another file', () => names[turn++ % names.length] as string),
  ]
}

/** Row 21. The text is missing by one character of a line in the middle. */
function failureRow(workspace: Workspace, root: string, corpus: Corpus): Row {
  copyFileSync(corpus.edit, join(root, 'failed.ts'))
  let value = 1
  const edit = (mistake: string) => {
    const [before, after] = [`const uniqueAnchor_4711 = ${value}${mistake}\n`, `const uniqueAnchor_4711 = ${value + 1}\n`]
    return workspace.call('edit_file', { file_path: 'failed.ts', replacements: [{ old_content: before, new_content: after }] })
  }
  const succeed = async (): Promise<void> => {
    const { error } = await edit('')
    if (error) throw error
    value++
  }
  const fail = () => edit(';')
  return {
    number: '21',
    name: 'edit of 10 MB that does not fit, and why',
    anchorName: 'the edit that fits',
    gate: 4,
    anchor: inProcess(succeed),
    product: inProcess(fail),
    check: async () => mustAgree('The failure', (await fail()).error?.code, 'no_match'),
    warm: 6,
  }
}
