/** A whole tree as data, read through the interface, so that two states can be compared. */
import type { FileSystem } from '../core/file_system.ts'
import type { Path } from '../core/path.ts'
import { check, same } from './assert.ts'
import { scanAll } from './setup.ts'

/** Everything a tree holds but times: kind, hash of content, mode, link text, by path. */
export interface Snapshot {
  readonly [path: string]: string
}

/** Reads the whole tree. Also checks what entries say about themselves against the bytes that are there. */
export async function snapshot(fs: FileSystem): Promise<Snapshot> {
  const entries = await scanAll(fs, '', { stat: true, target: true })
  const files = entries.filter((entry) => entry.kind === 'file')
  const hashes = new Map<Path, string>()
  await fs.readEach(
    files.map((entry) => entry.path),
    { maxBytes: Number.MAX_SAFE_INTEGER },
    (path, bytes, problem) => {
      check(bytes !== null, `${path} is listed and cannot be read: ${problem?.code}`)
      hashes.set(path, `${bytes.length} ${fs.hasher.hash(bytes)}`)
      return true
    },
  )
  const lines = new Map<string, string>()
  for (const { path, kind, size, hash, mode, target } of entries) {
    check(!lines.has(path), `${path} is listed twice`)
    if (kind === 'file') {
      const [length, real] = (hashes.get(path) ?? '').split(' ')
      same(String(size), length, `the size of ${path}`)
      check(hash === null || hash === real, `the hash of ${path} is not that of its bytes`)
    }
    lines.set(path, [kind, hashes.get(path) ?? target ?? '', kind === 'link' ? '' : (mode?.toString(8) ?? '')].join(' '))
  }
  return Object.fromEntries(lines)
}

/** Checks that an action which fails leaves the tree and the journal as they were. */
export async function unchangedBy(fs: FileSystem, what: string, action: () => Promise<unknown>): Promise<void> {
  const before = [await snapshot(fs), await fs.records()]
  await action()
  same([await snapshot(fs), await fs.records()], before, `${what}: the tree and the journal`)
}
