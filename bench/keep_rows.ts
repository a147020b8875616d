/** Rows 38 and 39: backups of 10 MB, and copies of 1 GB. */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from '../src/core/change.ts'
import type { Path } from '../src/core/path.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { call } from './call.ts'
import { command, inProcess, mustAgree, type Row, type Run } from './measure.ts'
import type { RowParts } from './row_parts.ts'
import { newDraft } from './write_rows.ts'

/** Memory that a copy may take, whatever its size. */
const MOST_MEMORY = 64 * 1024 * 1024

export async function keepRows({ corpus, scratch, closing }: RowParts): Promise<Row[]> {
  const root = join(scratch, 'keep')
  mkdirSync(root)
  const workspace = await openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root, durability: 'process' }) })
  closing(workspace)
  const { fs } = workspace
  const commit = (...changes: Change[]) => fs.commit(changes, newDraft())
  const hashAt = (name: string) => fs.hasher.hash(readFileSync(join(root, name)))
  /** Does something before each run that does not count. */
  const after = (prepare: () => unknown, run: Run): Run => {
    return async () => {
      await prepare()
      return run()
    }
  }

  const text = readFileSync(corpus.edit)
  let turn = 0
  /** Ten megabytes that history does not have yet, and that the storage wrote itself. */
  const renew = async (): Promise<void> => {
    text.write(`// ${turn++} `, 0, 'latin1')
    const { version } = await fs.stat('edit.ts' as Path).catch(() => ({ version: null }))
    const content = { hash: fs.hasher.hash(text), size: text.length, bytes: text }
    await commit({ kind: 'write', path: 'edit.ts' as Path, content, expect: version === null ? 'absent' : { version }, keep: false })
  }
  const snapshot = async (): Promise<void> => {
    const { version } = await fs.stat('edit.ts' as Path)
    await commit({ kind: 'snapshot', path: 'edit.ts' as Path, expect: { version: version as never }, keep: { id: `backup-${turn}` } })
  }
  const replace = async (): Promise<void> => {
    const { version } = await fs.stat('edit.ts' as Path)
    const bytes = new TextEncoder().encode(`${turn}`)
    const content = { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
    await commit({ kind: 'write', path: 'edit.ts' as Path, content, expect: { version: version as never } })
  }
  const isKept = async (): Promise<void> => {
    const hash = hashAt('edit.ts')
    await snapshot()
    mustAgree('Kept', (await fs.object(hash)).size, text.length)
  }
  const copied = command(`cp ${corpus.edit} ${join(root, 'copy.ts')}`, join(root, 'output'))

  linkSync(corpus.log, join(root, 'big.log'))
  const { size } = statSync(corpus.log)
  const discard = async (name: string): Promise<void> => {
    if (!statSync(join(root, name), { throwIfNoEntry: false })) return
    truncateSync(join(root, name), 0)
    rmSync(join(root, name))
  }
  const copyLog = () => call(workspace, 'copy_file', { source_path: 'big.log', destination_path: 'copy.log' })
  const forgetHash = (): void => {
    // A new name is a new version, whose hash nobody knows.
    rmSync(join(root, 'big.log'))
    linkSync(corpus.log, join(root, 'big.log'))
  }
  let peak = 0
  const watched = async (): Promise<void> => {
    const before = process.memoryUsage().rss
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before)
    }, 5)
    await copyLog()
    clearInterval(timer)
  }
  const cpLog = after(() => discard('cp.log'), command(`cp ${corpus.log} ${join(root, 'cp.log')}`, join(root, 'output')))
  const checkCopy = async (): Promise<void> => {
    await discard('copy.log')
    await watched()
    mustAgree('Size', statSync(join(root, 'copy.log')).size, size)
    if (peak > MOST_MEMORY) throw new Error(`A copy of ${size} bytes took ${peak} bytes of memory.`)
  }
  return [
    {
      number: '38',
      name: 'backup of 10 MB',
      anchorName: 'cp',
      gate: 1.1,
      anchor: copied,
      product: after(renew, inProcess(snapshot)),
      check: isKept,
    },
    {
      number: '38',
      name: 'before-image of 10 MB that a small write replaces, with that write',
      anchorName: 'cp',
      gate: 0.05,
      anchor: copied,
      product: after(renew, inProcess(replace)),
      check: async () => {
        await renew()
        const hash = hashAt('edit.ts')
        await replace()
        mustAgree('Kept', (await fs.object(hash)).size, text.length)
      },
    },
    {
      number: '39',
      name: 'copy_file of 1 GB, its hash known',
      anchorName: 'cp',
      gate: 1.2,
      anchor: cpLog,
      product: after(() => discard('copy.log'), inProcess(copyLog)),
      check: checkCopy,
      warm: 1,
    },
    {
      number: '39',
      name: 'copy_file of 1 GB, with its SHA-256',
      anchorName: 'cp, openssl dgst -sha256',
      gate: null,
      anchor: after(
        () => discard('cp.log'),
        command(`cp ${corpus.log} ${join(root, 'cp.log')} && openssl dgst -sha256 ${corpus.log}`, join(root, 'output')),
      ),
      product: after(async () => {
        await discard('copy.log')
        forgetHash()
      }, inProcess(copyLog)),
      check: checkCopy,
      warm: 1,
    },
  ]
}
