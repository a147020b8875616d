/** Diffs as they stand in the result of a change. */
import type { Path } from '../core/path.ts'
import { type UnifiedDiff, unifiedDiff } from '../text/diff/unified.ts'
import { isBinary, isUtf8 } from '../text/utf8.ts'

/** The last line of a diff that was cut, where no flag says so (C-44). */
const CUT = '… diff truncated …\n'

/** A diff's text, its last line telling when it was cut. */
export function diffText({ text, truncated }: UnifiedDiff): string {
  return truncated ? text + CUT : text
}

/** The diff of one file before and after a change; null when it was no text before (P-40). */
export function fileDiff(before: Uint8Array, after: Uint8Array, path: Path): string | null {
  if (isBinary(before) || !isUtf8(before)) return null
  return diffText(unifiedDiff(before, after, { oldPath: path, newPath: path }))
}

const NOTHING = new Uint8Array()

/** The diff of two states of a file, null standing for none; null when one of them is no text. */
export function sidesDiff(before: Uint8Array | null, after: Uint8Array, path: Path): string | null {
  if ([before ?? NOTHING, after].some((side) => isBinary(side) || !isUtf8(side))) return null
  return diffText(unifiedDiff(before ?? NOTHING, after, { oldPath: before && path, newPath: path }))
}
