/** A preview as it may be shown: bounded in size, and marked where it could deceive. */
import { markHidden } from '../../text/hidden_characters.ts'
import { DIFF_IS_CUT } from '../past/show.ts'
import type { ApprovalPreview, PreviewedChange } from './request.ts'

/** Most changes that are shown. */
export const MOST_CHANGES = 200
/** Longest diff of one change, and of all that is shown, as JSON, in UTF-16 units: with three bytes each it fits into a note. */
const LONGEST_DIFF = 32 * 1024
const LONGEST_PREVIEW = 256 * 1024
/** Room that is left to the fields beside a diff. */
const BESIDE_DIFF = 1024

/** A change in words, before it is bounded and marked. */
export type DescribedChange = Omit<PreviewedChange, 'warnings'>

/** The preview of so many changes, which are described one after another as long as there is room. */
export async function boundedPreview(count: number, described: AsyncIterable<DescribedChange>): Promise<ApprovalPreview> {
  const shown: PreviewedChange[] = []
  let room = LONGEST_PREVIEW
  let truncated = false
  if (count === 0) return { changes: shown, count, truncated }
  for await (const change of described) {
    const one = bounded(change, Math.max(0, room / 2 - BESIDE_DIFF))
    room -= JSON.stringify(one).length
    if (room < 0) break
    truncated ||= one.note === DIFF_IS_CUT
    shown.push(one)
    if (shown.length === MOST_CHANGES) break
  }
  return { changes: shown, count, truncated: truncated || shown.length < count }
}

/** The change with its marks, its diff cut before and after they make it longer. */
function bounded(whole: DescribedChange, room: number): PreviewedChange {
  if (whole.diff === null) return marked(whole)
  const diff = cutText(whole.diff, LONGEST_DIFF)
  const shown = marked({ ...whole, diff })
  const rest = cutText(shown.diff ?? '', Math.min(LONGEST_DIFF, room))
  return diff === whole.diff && rest === shown.diff ? shown : { ...shown, diff: rest, note: DIFF_IS_CUT }
}

/** The change in words that deceive nobody. */
function marked({ path, to, from, diff, note, ...facts }: DescribedChange): PreviewedChange {
  const warnings = new Set<string>()
  const mark = (text: string): string => {
    const { text: safe, warnings: found } = markHidden(text)
    for (const warning of found) warnings.add(warning)
    return safe
  }
  return {
    ...facts,
    path: mark(path),
    ...(to !== undefined && { to: mark(to) }),
    ...(from !== undefined && { from: mark(from) }),
    diff: diff === null ? null : mark(diff),
    note: note === null ? null : mark(note),
    warnings: [...warnings],
  }
}

/** At the end of a line where there is one, never within a mark or a character. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = text.lastIndexOf('\n', longest - 1) + 1
  if (end > longest / 2) return text.slice(0, end)
  return text.slice(0, longest).replace(/\u27e6[^\u27e7]*$|[\ud800-\udbff]$/, '')
}
