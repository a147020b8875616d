/** What a call changed in the workspace, path by path (contract P-158). */
import type { Side } from '../core/change.ts'
import { isWithin, type Path, parentOf, ROOT } from '../core/path.ts'
import { equalSides } from './operation_receipt.ts'
import type { PathReceipt } from './tool.ts'

/** The net change: what came, changed, went and moved. Paths are relative to the root of the workspace. */
export interface WorkspaceDelta {
  readonly created: readonly string[]
  readonly modified: readonly string[]
  readonly deleted: readonly string[]
  readonly moved: readonly { readonly from: string; readonly to: string }[]
}

/** What stands at a path after all. */
interface Standing {
  /** Where it was before all; null for what is new. */
  readonly origin: Path | null
  /** What it was then. */
  readonly before: Side | null
  readonly after: Side
}

/**
 * Sums up the changes of one commit, in their order: each path that is told of is one of before the commit (deleted, moved from) or
 * one of after it. What a moved directory took along is told of only where it differs; what a move replaced is modified.
 */
export function deltaOf(paths: readonly PathReceipt[]): WorkspaceDelta {
  const standing = new Map<Path, Standing>()
  const gone = new Map<Path, Side>()
  for (const { kind, path, from, before, after } of paths) {
    if (kind === 'snapshot') continue
    const source = kind === 'move' && from !== null ? from : path
    const known = standing.get(source)
    const was = known ?? { origin: before && originOf(standing, source), before }
    standing.delete(source)
    if (source !== path) carry(standing, source, path)
    if (after) standing.set(path, { ...was, after })
    else if (was.origin !== null && was.before) gone.set(was.origin, was.before)
  }
  return told(standing, gone)
}

function told(standing: ReadonlyMap<Path, Standing>, gone: ReadonlyMap<Path, Side>): WorkspaceDelta {
  const created: string[] = []
  const modified: string[] = []
  const moved: { from: string; to: string }[] = []
  for (const [path, { origin, before, after }] of standing) {
    const replaced = gone.get(path) ?? null
    if (origin === null && replaced === null) created.push(path)
    if ([replaced, before].some((side) => side !== null && !equalSides(side, after))) modified.push(path)
    if (origin !== null && origin !== path && origin !== originOf(standing, path)) moved.push({ from: origin, to: path })
  }
  return { created, modified, deleted: [...gone.keys()].filter((path) => !standing.has(path)), moved }
}

/** Where an entry that no change touched was before all: it goes where the directories above it go. */
function originOf(standing: ReadonlyMap<Path, Standing>, path: Path): Path {
  for (let dir = path; dir !== ROOT; ) {
    dir = parentOf(dir)
    const above = standing.get(dir)
    if (above) return above.origin === null ? path : ((above.origin + path.slice(dir.length)) as Path)
  }
  return path
}

/** What is known below a moved directory is known below its new place. */
function carry(standing: Map<Path, Standing>, from: Path, to: Path): void {
  for (const [path, one] of [...standing]) {
    if (!isWithin(path, from)) continue
    standing.delete(path)
    standing.set((to + path.slice(from.length)) as Path, one)
  }
}
