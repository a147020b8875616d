/** Rows 20, 22 and 37: edits of 10 MB, small writes, batches of them; at both durabilities. */
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
import type { Expect, WriteChange } from '../src/core/change.ts'
import { createIds } from '../src/core/id.ts'
import type { Path } from '../src/core/path.ts'
import type { RecordDraft } from '../src/core/record.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { call } from './call.ts'
import type { Corpus } from './corpus.ts'
import { command, inProcess, mustAgree, type Row, type Run } from './measure.ts'
import type { RowParts } from './row_parts.ts'

/** What a write survives. */
export type Durability = 'process' | 'power'

const WRITE_BYTES = 4096
/** Bytes of a line of the journal, about. */
const RECORD_BYTES = 800
/** Files of a batch. */
const BATCH = 100

const newId = createIds(Date.now)

/** What a commit of the bench says about itself. */
export function newDraft(): RecordDraft {
  return { id: newId(), time: new Date().toISOString(), kind: 'call', subject: 'bench', tool: 'bench', call: null }
}

export async function writeRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const rows: Row[] = []
  for (const durability of ['process', 'power'] as const) {
    const root = join(scratch, `write-${durability}`)
    mkdirSync(root)
    const workspace = await openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root, durability }), settings: { approval: 'off' } })
    closing(workspace)
    rows.push(editRow(workspace, root, corpus, durability), ...replaceRows(workspace, root, corpus, durability))
    rows.push(...batchRows(workspace, root, corpus, durability))
  }
  return rows
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

/**
 * Row 22 at two levels: what the storage does for one change (`commit`), and the whole call with its guards, its diff and the
 * reading back. Every write has other bytes, so that every before-image is a new one. The target's anchor replaces a file and
 * no more; beside it stands one that does by hand what a commit keeps: the file that was, and a line of a journal.
 */
function replaceRows(workspace: Workspace, root: string, corpus: Corpus, durability: Durability): Row[] {
  const isDurable = durability === 'power'
  const source = sourceText(corpus)
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
    await fs.commit([{ kind: 'write', path: 'commit.txt' as Path, content, expect }], newDraft())
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

/**
 * Row 37: many small changes at once. One commit against a commit of each; and a call that edits every file, with all its guards
 * and receipts, against a plain replacement of each file.
 */
function batchRows(workspace: Workspace, root: string, corpus: Corpus, durability: Durability): Row[] {
  const { fs } = workspace
  const source = sourceText(corpus)
  const names = Array.from({ length: BATCH }, (_, i) => `file${i}.ts`)
  for (const dir of ['batch', 'raw-batch']) {
    mkdirSync(join(root, dir))
    for (const name of names) writeFileSync(join(root, dir, name), `const turn = 0\n${source}`)
  }
  let turn = 0
  const bodyAt = (number: number): string => `const turn = ${number}\n${source}`
  const bytesAt = (number: number): Uint8Array => new TextEncoder().encode(bodyAt(number))
  const replaceAll = (): void => {
    turn++
    for (const name of names) replaceFile(join(root, 'raw-batch'), name, bodyAt(turn), durability === 'power')
  }
  let value = 0
  const change = (name: string): WriteChange => {
    const [before, bytes] = [bytesAt(value), bytesAt(value + 1)]
    const content = { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
    return { kind: 'write', path: `batch/${name}` as Path, content, expect: { hash: fs.hasher.hash(before) } }
  }
  const together = async (): Promise<void> => {
    await fs.commit(names.map(change), newDraft())
    value++
  }
  const oneByOne = async (): Promise<void> => {
    for (const name of names) await fs.commit([change(name)], newDraft())
    value++
  }
  const edits = async (): Promise<{ readonly [key: string]: unknown }> => {
    const replacements = [{ old_content: `const turn = ${value}\n`, new_content: `const turn = ${value + 1}\n` }]
    const { result } = await call(workspace, 'file_ops_hub', {
      operation: 'batch_file_ops',
      config: { operations: names.map((name) => ({ operation: 'edit_file', path: `batch/${name}`, config: { replacements } })) },
    })
    value++
    return result as { readonly [key: string]: unknown }
  }
  const check = async (): Promise<void> => {
    for (const name of names) mustAgree('Text', readFileSync(join(root, 'batch', name), 'utf8'), bodyAt(value))
  }
  const at = `durability ${durability}`
  const plain = inProcess(replaceAll, 3)
  const bare = durability === 'power' ? 'write, fsync, rename, fsync of each' : 'write, rename of each'
  return [
    {
      number: '37',
      name: `100 small writes in one commit, ${at}`,
      anchorName: '100 commits',
      gate: 0.6,
      anchor: inProcess(oneByOne, 3),
      product: inProcess(together, 3),
      check,
    },
    { number: '37', name: `the same commit, ${at}`, anchorName: bare, gate: null, anchor: plain, product: inProcess(together, 3), check },
    {
      number: '37',
      name: `a batch of 100 edits over 100 files, the whole call, ${at}`,
      anchorName: bare,
      gate: 2,
      anchor: plain,
      product: inProcess(edits, 3),
      check: async () => {
        mustAgree('Edits', (await edits()).completed, BATCH)
        await check()
      },
    },
  ]
}

/** Replaces a file as careful programs do, keeping nothing. */
function replaceFile(dir: string, name: string, body: string, isDurable: boolean): void {
  const temporary = join(dir, `${name}.tmp`)
  const descriptor = openSync(temporary, 'wx')
  writeSync(descriptor, body)
  if (isDurable) fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(temporary, join(dir, name))
  if (isDurable) syncDirectory(dir)
}

function sourceText(corpus: Corpus): string {
  return readFileSync(corpus.edit, 'latin1')
    .slice(0, WRITE_BYTES)
    .replace(/[^\n -~]/g, '.')
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
