/** What a call changed in the workspace, path by path (contract P-158). */
import type { Side } from '../core/change.ts'
import type { Path } from '../core/path.ts'
import { equalSides } from './operation_receipt.ts'
import type { PathReceipt } from './tool.ts'

/** The net change: what came, changed, went and moved. Paths are relative to the root of the workspace. */
export interface WorkspaceDelta {
  readonly created: readonly string[]
  readonly modified: readonly string[]
  readonly deleted: readonly string[]
  readonly moved: readonly { readonly from: string; readonly to: string }[]
}

/** One path: what was there before all, what is there after all, and where that came from. */
interface Fate {
  readonly before: Side | null
  readonly after: Side | null
  /** The path that a moved entry had first. */
  readonly origin: Path | null
}

/** Sums up the changes of one commit, in their order. */
export function deltaOf(paths: readonly PathReceipt[]): WorkspaceDelta {
  const fates = new Map<Path, Fate>()
  for (const { kind, path, from, before, after } of paths) {
    if (kind === 'snapshot') continue
    const known = fates.get(path)
    if (kind === 'move' && from !== null) {
      const moving = fates.get(from)
      fates.delete(from)
      fates.set(
        path,
        moving ? { ...moving, after, origin: moving.before === null ? null : (moving.origin ?? from) } : { before, after, origin: from },
      )
    } else {
      fates.set(path, { before: known ? known.before : before, after, origin: known?.origin ?? null })
    }
  }
  const all = [...fates]
  const select = (test: (fate: Fate) => boolean): string[] => all.filter(([, fate]) => test(fate)).map(([path]) => path)
  return {
    created: select(({ before, after }) => before === null && after !== null),
    modified: select(({ before, after }) => before !== null && after !== null && !equalSides(before, after)),
    deleted: select(({ before, after }) => before !== null && after === null),
    moved: all.flatMap(([to, { origin, after }]) => (origin !== null && after !== null && origin !== to ? [{ from: origin, to }] : [])),
  }
}
