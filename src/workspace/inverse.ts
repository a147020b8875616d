/** The changes that take a record back. */
import type { Change, Expect, RecordedChange, Side } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { Path } from '../core/path.ts'
import { hashReader } from '../core/read.ts'

/** A path that is not as a record left it. */
export interface Difference {
  readonly path: Path
  readonly expected: Side | null
  readonly current: Side | null
}

/** The inverse of the changes, last first. Throws `unsupported` when a before-image was not kept. */
export function inverseOf(changes: readonly RecordedChange[]): Change[] {
  return [...changes].reverse().flatMap((change) => {
    if (!change.kept) {
      throw new FilewrightError(
        'unsupported',
        `What ${change.path} held before was not kept (create_backup was false), so this change cannot be undone.`,
      )
    }
    if (change.kind === 'move' && change.to) {
      return [{ kind: 'move', path: change.to, to: change.path, expect: expectSide(change.after) } satisfies Change]
    }
    return inverseAt(change)
  })
}

function inverseAt({ path, before, after }: RecordedChange): Change[] {
  if (before?.kind === 'file' && after?.kind !== 'link') return [restoreFile(path, before, expectSide(after))]
  if (before?.kind === 'link' && after?.kind !== 'file') return [{ kind: 'link', path, target: before.target, expect: expectSide(after) }]
  const removal: Change[] = after ? [{ kind: 'remove', path, expect: expectSide(after) }] : []
  if (!before) return removal
  if (before.kind === 'file') return [...removal, restoreFile(path, before, 'absent')]
  if (before.kind === 'link') return [...removal, { kind: 'link', path, target: before.target, expect: 'absent' }]
  return [...removal, { kind: 'makeDirectory', path, mode: before.mode }]
}

function restoreFile(path: Path, side: Extract<Side, { kind: 'file' }>, expect: Expect): Change {
  return { kind: 'write', path, content: { hash: side.hash, size: side.size }, mode: side.mode, expect }
}

function expectSide(side: Side | null): Expect {
  if (!side) return 'absent'
  return side.kind === 'file' ? { hash: side.hash } : side.kind === 'link' ? { link: side.target } : 'directory'
}

/** Paths that moved on since the record: their last state in it is not their state now. */
export async function differencesSince(fs: FileSystem, changes: readonly RecordedChange[]): Promise<Difference[]> {
  const expected = new Map<Path, Side | null>()
  for (const change of changes) {
    if (change.to) expected.set(change.path, null)
    expected.set(change.to ?? change.path, change.after)
  }
  const differences: Difference[] = []
  for (const [path, side] of expected) {
    const current = await sideAt(fs, path, side)
    if (!sameSide(side, current)) differences.push({ path, expected: side, current })
  }
  return differences
}

async function sideAt(fs: FileSystem, path: Path, expected: Side | null): Promise<Side | null> {
  try {
    const entry = await fs.stat(path)
    const mode = entry.mode ?? 0
    if (entry.kind === 'link') return { kind: 'link', target: entry.target ?? (await fs.readLink(path)) }
    if (entry.kind !== 'file') return { kind: 'directory', mode }
    const reader = await fs.open(path)
    try {
      // A different size is a difference already: nothing needs hashing then.
      const differs = expected?.kind !== 'file' || expected.size !== reader.size
      const hash = entry.hash ?? (differs && reader.size > fs.traits.limits.textBytes ? null : await hashReader(fs.hasher, reader))
      return { kind: 'file', hash: hash ?? ('' as never), size: reader.size, mode }
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}

function sameSide(a: Side | null, b: Side | null): boolean {
  if (!a || !b) return a === b
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash
  return a.kind === 'link' ? b.kind === 'link' && a.target === b.target : b.kind === 'directory'
}
