/** Rows 19 to 22: small views, edits of 10 MB that fit and that do not, small writes; where they write, at both durabilities. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Expect } from '../src/core/change.ts'
import { createIds } from '../src/core/id.ts'
import type { Path } from '../src/core/path.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { call, withoutNumbers } from './call.ts'
import type { Corpus } from './corpus.ts'
import { command, inProcess, mustAgree, type Row, type Run } from './measure.ts'
import type { RowParts } from './rows.ts'

type Durability = 'process' | 'power'

const VIEW_BYTES = 6144
const WRITE_BYTES = 4096
/** More files than a workspace remembers. */
const VIEWED_FILES = 500
/** Bytes of a line of the journal, about. */
const RECORD_BYTES = 800

const newId = createIds(Date.now)

export async function smallRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const rows: Row[] = []
  for (const durability of ['process', 'power'] as const) {
    const root = join(scratch, durability)
    mkdirSync(root)
    const workspace = await openWorkspace({ fs: await openNodeFs({ root, durability }) })
    closing(workspace)
    if (durability === 'process') rows.push(...viewRows(workspace, root, corpus), failureRow(workspace, root, corpus))
    rows.push(editRow(workspace, root, corpus, durability), ...writeRows(workspace, root, corpus, durability))
  }
  return rows
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

/** Row 20. The anchor keeps no earlier state, and makes no hash. */
function editRow(workspace: Workspace, root: string, corpus: Corpus, durability: Durability): Row {
  copyFileSync(corpus.edit, join(root, 'edit.ts'))
  const line = (value: number): string => `const uniqueAnchor_4711 = ${value}\n`
  let value = 1
  const edit = () =>
    call(workspace, 'edit_file', { file_path: 'edit.ts', replacements: [{ old_content: line(value), new_content: line(++value) }] })
  const copy = join(root, 'copy.ts')
  return {
    number: '20',
    name: `edit of 10 MB with both hashes and before-image, durability ${durability}`,
    anchorName: durability === 'power' ? 'cp and sync of the copy' : 'cp',
    gate: 3,
    anchor: command(`cp ${corpus.edit} ${copy}${durability === 'power' ? ` && sync ${copy}` : ''}`, join(root, 'edit-output')),
    product: inProcess(edit),
    async check() {
      const { backup_id } = await edit()
      mustAgree('Edited', readFileSync(join(root, 'edit.ts')).includes(line(value)), true)
      mustAgree('A backup', typeof backup_id, 'string')
    },
    warm: 6,
  }
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

/**
 * Row 22 at two levels: what the storage does for one change (`commit`), and the whole call with its guards, its diff and the
 * reading back. Every write has other bytes, so that every before-image is a new one. The target's anchor replaces a file and
 * no more; beside it stands one that does by hand what a commit keeps: the file that was, and a line of a journal.
 */
function writeRows(workspace: Workspace, root: string, corpus: Corpus, durability: Durability): Row[] {
  const isDurable = durability === 'power'
  const source = readFileSync(corpus.edit, 'latin1')
    .slice(0, WRITE_BYTES)
    .replace(/[^\n -~]/g, '.')
  let turn = 0
  const body = (): string => `// ${turn++}\n${source}`.slice(0, WRITE_BYTES)
  const journal = openSync(join(root, 'raw.journal'), 'w')
  const record = 'r'.repeat(RECORD_BYTES)
  const objects = join(root, 'raw.objects')
  mkdirSync(objects)
  const target = join(root, 'raw.txt')
  writeFileSync(target, '')

  const replace = (keep: boolean): void => {
    const temporary = join(root, `raw.${turn}.tmp`)
    const descriptor = openSync(temporary, 'wx')
    writeSync(descriptor, body())
    if (isDurable) fsyncSync(descriptor)
    closeSync(descriptor)
    if (keep) {
      linkSync(target, join(objects, String(turn)))
      writeSync(journal, record)
      if (isDurable) fsyncSync(journal)
      if (isDurable) syncDirectory(objects)
    }
    renameSync(temporary, target)
    if (isDurable) syncDirectory(root)
  }

  const { fs } = workspace
  const hashOf = (name: string) => fs.hasher.hash(readFileSync(join(root, name)))
  let expect: Expect = 'absent'
  const commit = async (): Promise<string> => {
    const bytes = new TextEncoder().encode(body())
    const content = { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
    const draft = { id: newId(), time: new Date().toISOString(), kind: 'call', subject: 'bench', tool: 'bench', call: null } as const
    await fs.commit([{ kind: 'write', path: 'commit.txt' as Path, content, expect }], draft)
    expect = { hash: content.hash }
    return content.hash
  }
  const write = () => call(workspace, 'write_file', { file_path: 'call.txt', content: body(), force_overwrite: true })

  const row = (name: string, anchorName: string, gate: number | null, anchor: Run, product: Run, check: Row['check']): Row => ({
    number: '22',
    name: `${name}, durability ${durability}`,
    anchorName,
    gate,
    anchor,
    product,
    check,
  })
  const checkCommit = async () => mustAgree('Hash', await commit(), hashOf('commit.txt'))
  const checkWrite = async () => mustAgree('Hash', (await write()).sha256_after, hashOf('call.txt'))
  const bare = isDurable ? 'write, fsync, rename, fsync' : 'write, rename'
  const raw = inProcess(() => replace(false), 100)
  const committed = inProcess(commit, 100)
  return [
    row('commit of 4 KB with journal and before-image', bare, 1.2, raw, committed, checkCommit),
    row(
      'the same commit',
      'the same by hand',
      null,
      inProcess(() => replace(true), 100),
      committed,
      checkCommit,
    ),
    row('write_file of 4 KB, the whole call', bare, 1.2, raw, inProcess(write, 100), checkWrite),
  ]
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
