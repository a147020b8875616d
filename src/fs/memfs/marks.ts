/** Versions of entries, and hashes of files that were read: as strong as the times of a file allow, and no stronger. */
import type { Version } from '../../core/change.ts'
import type { Hash, Hasher } from '../../core/hash.ts'
import type { Path } from '../../core/path.ts'
import { hashFile } from './files.ts'
import type { NodeShapedStats } from './node_shaped_fs.ts'
import type { Volume } from './volume.ts'

/** Longer than a tick of any clock: a change this long after another has a later time. */
const TICK_MS = 20
const MOST = 100_000

/** What is remembered of files, by their numbers. */
export interface Marks {
  /**
   * The version of a regular file. Size and times are enough for one that has not changed for a while; one that has is read, since
   * two changes within a tick look alike.
   */
  versionOf(path: Path, stats: NodeShapedStats): Version
  /** The hash of a regular file, which is read unless that is known for sure. */
  hashOf(path: Path, stats: NodeShapedStats): Hash
  /** Says what a file holds that was just written, or read. */
  learn(stats: NodeShapedStats, hash: Hash): void
}

interface Mark {
  readonly facts: string
  hash: Hash
  /** Tells states apart whose facts are equal. */
  generation: number
  /** No change can have gone unnoticed since the hash was taken. */
  sure: boolean
}

export function createMarks(volume: Volume, hasher: Hasher): Marks {
  const marks = new Map<number, Mark>()
  let generations = 0

  const put = (stats: NodeShapedStats, hash: Hash, generation: number): Mark => {
    if (marks.size >= MOST) marks.clear()
    const mark = { facts: factsOf(stats), hash, generation, sure: isSettled(stats) }
    marks.set(stats.ino, mark)
    return mark
  }
  const find = (stats: NodeShapedStats): Mark | null => {
    const mark = marks.get(stats.ino)
    return mark && mark.facts === factsOf(stats) ? mark : null
  }
  /** Reads the file, whose mark is another one from then on if it holds something else than before. */
  const read = (path: Path, stats: NodeShapedStats): Mark => {
    const before = find(stats)
    // A file without a mark has the generation 0 once it is settled, whether it was ever read or not.
    const settled = isSettled(stats)
    const hash = hashFile(volume, hasher, path, stats)
    if (!before) return put(stats, hash, settled ? 0 : ++generations)
    if (before.hash !== hash) Object.assign(before, { hash, generation: ++generations })
    before.sure = settled
    return before
  }
  return {
    versionOf(path, stats) {
      let mark = find(stats)
      if (mark ? !mark.sure : !isSettled(stats)) {
        try {
          mark = read(path, stats)
        } catch {
          // What cannot be read can have a version all the same.
        }
      }
      return `w:${mark?.facts ?? factsOf(stats)}:${mark?.generation ?? 0}` as Version
    },
    hashOf(path, stats) {
      const mark = find(stats)
      return mark?.sure ? mark.hash : read(path, stats).hash
    },
    learn(stats, hash) {
      put(stats, hash, ++generations)
    },
  }
}

/** The version of a directory, which is what it is whatever is in it; and of a link, which never changes. */
export function versionOfOther(stats: NodeShapedStats, target: string | null): Version {
  return (
    target === null ? `d:${stats.dev}:${stats.ino}:${stats.mode}` : `l:${stats.dev}:${stats.ino}:${stats.ctimeMs}:${target}`
  ) as Version
}

function factsOf({ dev, ino, size, mtimeMs, ctimeMs, mode }: NodeShapedStats): string {
  const facts = `${dev}:${ino}:${size}:${mode}:${ctimeMs}`
  // Times make long texts, and these two are mostly one.
  return mtimeMs === ctimeMs ? facts : `${facts}:${mtimeMs}`
}

function isSettled({ ctimeMs }: NodeShapedStats): boolean {
  return Date.now() - ctimeMs >= TICK_MS
}
