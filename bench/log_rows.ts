/** Rows 15 to 18: windows and totals of one GiB. What is measured without a cache gets a workspace of its own in each run. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Path } from '../src/core/path.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { call, withoutNumbers } from './call.ts'
import { command, inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

const [FIRST, LAST] = [5_000_000, 5_000_200]
const DEEP = { file_path: 'big.log', start_line: FIRST, end_line: LAST }
const WINDOW = 64 * 1024
const TOTALS = { file_path: 'big.log', tail_lines: 1 }
/** A hash is made of a file of this size only when the caller compares. */
const HASHED = { ...TOTALS, known_sha256: 'a'.repeat(64) }

export async function logRows({ corpus: { log }, scratch, closing }: RowParts): Promise<Row[]> {
  const open = async () => openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root: dirname(log) }) })
  const fresh = async (args: object): Promise<{ readonly [key: string]: unknown }> => {
    const workspace = await open()
    try {
      return await call(workspace, 'view_file', args)
    } finally {
      await workspace.close()
    }
  }
  const kept = await open()
  closing(kept)
  const again = () => call(kept, 'view_file', DEEP)
  const out = join(scratch, 'log-output')
  const output = () => readFileSync(out, 'utf8')
  const sed = { anchorName: 'sed -n A,Bp', anchor: command(`sed -n '${FIRST},${LAST}p;${LAST}q' ${log}`, out) }
  const checkLines = async (view: typeof again) => mustAgree('Lines', `${withoutNumbers((await view()).content)}\n`, output())
  const block = new Uint8Array(WINDOW)
  const middle = Math.floor(statSync(log).size / 2)
  const readBlock = (position: number): void => {
    const descriptor = openSync(log, 'r')
    readSync(descriptor, block, 0, WINDOW, position)
    closeSync(descriptor)
  }
  // Row 15 at two levels: what the storage does for one window, and the whole call, which decodes it, numbers its lines and tells its place.
  const fs = await openNodeFs({ root: dirname(log) })
  closing(fs)
  const readWindow = async (position: number): Promise<void> => {
    const reader = await fs.open('big.log' as Path)
    await reader.read(position, block)
    await reader.close()
  }
  const storageRow: Row = {
    number: '15',
    name: '64 KiB in the middle of 1 GiB, from the storage',
    anchorName: `open and read of ${WINDOW / 1024} KiB`,
    gate: 3,
    anchor: inProcess(() => readBlock(middle), 500),
    product: inProcess(() => readWindow(middle), 500),
    async check() {
      readBlock(middle)
      const expected = Buffer.from(block)
      block.fill(0)
      await readWindow(middle)
      mustAgree('The window', expected.equals(block), true)
    },
  }
  const windowRow = (name: string, args: object, position: number): Row => ({
    number: '15',
    name: `${name}, a call`,
    anchorName: 'a millisecond',
    gate: 1,
    anchor: () => 0.001,
    product: inProcess(() => call(kept, 'view_file', { file_path: 'big.log', ...args }), 200),
    async check() {
      readBlock(position)
      const { content } = await call(kept, 'view_file', { file_path: 'big.log', ...args })
      mustAgree('The window', String(Buffer.from(block)).includes(withoutNumbers(content)), true)
    },
  })
  return [
    storageRow,
    windowRow('last 500 lines of 1 GiB, totals known', { tail_lines: 500 }, statSync(log).size - WINDOW),
    windowRow('64 KiB in the middle of 1 GiB, totals known', { offset_bytes: middle, limit_bytes: WINDOW }, middle),
    {
      ...sed,
      number: '16',
      name: 'lines deep in 1 GiB, first time',
      gate: 0.4,
      product: inProcess(() => fresh(DEEP)),
      check: () => checkLines(() => fresh(DEEP)),
      warm: 1,
    },
    {
      ...sed,
      number: '16',
      name: 'lines deep in 1 GiB, again',
      gate: 0.01,
      product: inProcess(again, 20),
      check: () => checkLines(again),
    },
    {
      number: '17',
      name: 'total_lines of 1 GiB',
      anchorName: 'wc -l',
      gate: 1.2,
      anchor: command(`wc -l < ${log}`, out),
      product: inProcess(() => fresh(TOTALS)),
      check: async () => mustAgree('Lines', (await fresh(TOTALS)).total_lines, Number(output())),
      warm: 1,
    },
    {
      number: '18',
      name: 'total_lines and SHA-256 of 1 GiB',
      anchorName: 'openssl dgst -sha256',
      gate: 1.1,
      anchor: command(`openssl dgst -sha256 -r ${log}`, out),
      product: inProcess(() => fresh(HASHED)),
      check: async () => mustAgree('Hash', (await fresh(HASHED)).sha256, output().split(' ')[0]),
      warm: 1,
    },
  ]
}
