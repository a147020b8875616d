/** The journal's file: torn ends, records taken back by others, what it knows of paths. */
import * as disk from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RecordedChange } from '../../../src/core/change.ts'
import { type Hash, platformHasher } from '../../../src/core/hash.ts'
import type { Path } from '../../../src/core/path.ts'
import { type ChainHead, headAfter, sealRecord } from '../../../src/core/record.ts'
import { type FullRecord, openJournal } from '../../../src/fs/node/journal.ts'
import { nodeSys, OPEN } from '../../../src/fs/node/syscalls.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { commit, draft, hashOf, makeDirectory, move, write } from '../../../src/testing/setup.ts'
import { newFolder, problemsOf } from './scenarios.ts'

let folder: ReturnType<typeof newFolder>
let root: string
const open = () => openNodeFs({ root, durability: 'process' })
const journalFile = (): string => join(root, '.filewright/journal')

beforeEach(() => {
  folder = newFolder()
  root = folder.root
})
afterEach(() => folder.remove())

/** A record of one written file. */
function recordOf(path: string, head: ChainHead, note: string): FullRecord {
  const hasher = platformHasher()
  const after = { kind: 'file', hash: hasher.hash(Buffer.from(note)), size: note.length, mode: 0o644 } as const
  const changes: RecordedChange[] = [{ kind: 'write', path: path as Path, before: null, after, kept: true }]
  return { record: sealRecord(hasher, draft({ id: 'same', time: 'same', note }), changes, head).record, changes }
}

it.each(['{"sequence":2,"id":"to', '{"sequence":2}'])('is cut where an append was torn: %s', async (torn) => {
  const fs = await open()
  await commit(fs, write(fs, 'a', 'a'))
  await fs.close()
  disk.appendFileSync(journalFile(), torn)
  const again = await open()
  expect((await again.records()).length).toBe(1)
  await commit(again, write(again, 'b', 'b'))
  expect((await again.records()).length).toBe(2)
  expect(await problemsOf(again, root)).toEqual([])
  await again.close()
})

it.each([
  'nonsense',
  'null',
  '7',
  '{"sequence":2}',
  `{"sequence":2,"id":"x","hash":"${'0'.repeat(64)}","changesHash":"../../../outside","changes":null}`,
  `{"sequence":2,"id":"x","hash":"${'0'.repeat(64)}","changesHash":"${'0'.repeat(64)}","changes":[null]}`,
])('says so when a line in it is no record: %s', async (line) => {
  const fs = await open()
  await commit(fs, write(fs, 'a', 'a'))
  await fs.close()
  disk.appendFileSync(journalFile(), `${line}\n`)
  const again = await open()
  await expect(again.records()).rejects.toMatchObject({ code: 'corrupt' })
  await expect(commit(again, write(again, 'b', 'b'))).rejects.toMatchObject({ code: 'corrupt' })
  expect(disk.existsSync(join(root, 'b'))).toBe(false)
  await again.close()
})

it('does not take contents from outside the store, whatever a record calls their hash', async () => {
  const fs = await open()
  await commit(fs, write(fs, 'a', 'a'))
  disk.writeFileSync(join(root, 'inside'), 'x')
  const content = { hash: '../../inside' as Hash, size: 1 }
  await expect(commit(fs, { kind: 'write', path: 'b' as Path, content, expect: 'absent' })).rejects.toMatchObject({ code: 'not_found' })
  await fs.close()
})

it.each(['two', 'one more that is longer', '2'])('notices that its last record was taken back and became %j', (note) => {
  const path = join(root, 'journal')
  const fd = nodeSys.open(path, OPEN.store, 0o600)
  const [writer, reader] = [openJournal(nodeSys, fd, () => null), openJournal(nodeSys, fd, () => null)]
  const first = recordOf('a', writer.head, 'one')
  writer.append([first])
  const takeBack = writer.append([recordOf('b', writer.head, 'xyz')])
  reader.refresh()
  expect(reader.head.sequence).toBe(2)
  takeBack()
  writer.refresh()
  const other = recordOf('c', writer.head, note)
  writer.append([other])
  reader.refresh()
  expect(reader.head).toEqual(headAfter(other.record))
  expect(reader.known.get('b' as Path)).toBeUndefined()
  expect(reader.known.get('c' as Path)).toEqual(other.changes?.[0]?.after)
  nodeSys.close(fd)
})

it('knows what long records did, its own and those of others', async () => {
  const [own, other] = [await open(), await open()]
  const names = Array.from({ length: 500 }, (_, i) => `d/${'n'.repeat(100)}${i}`)
  const record = await commit(own, makeDirectory('d'), ...names.map((name) => write(own, name, name)))
  expect(record.changes).toBeNull()
  await commit(own, move('d', 'e', 'directory'))
  const [one, two] = [names[7] as string, names[8] as string].map((name) => name.replace('d/', 'e/')) as [string, string]
  disk.writeFileSync(join(root, one), 'changed')
  disk.writeFileSync(join(root, two), 'changed too')
  await commit(own, write(own, one, 'mine', hashOf(own, 'changed')))
  await commit(other, write(other, two, 'mine', hashOf(other, 'changed too')))
  const external = (await own.records()).filter(({ kind }) => kind === 'external')
  expect(external.flatMap(({ changes }) => changes?.map(({ path }) => path))).toEqual([two, one])
  await own.close()
  await other.close()
})

it('reads large files in turns before it judges them', async () => {
  const fs = await open()
  const body = Buffer.alloc(80 * 1024 * 1024, 'large')
  disk.writeFileSync(join(root, 'large'), body)
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)
  await expect(commit(fs, write(fs, 'large', 'small', hashOf(fs, 'else')))).rejects.toMatchObject({ code: 'conflict' })
  expect(ticks).toBeGreaterThan(1)
  await commit(fs, write(fs, 'large', 'small', { hash: fs.hasher.hash(body) }))
  clearInterval(timer)
  const kept = await fs.object(fs.hasher.hash(body))
  expect(kept.size).toBe(body.length)
  await kept.close()
  await fs.close()
})
