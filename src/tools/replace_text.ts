/** Replacing one text in one file: what the single-text edits of several profiles share. */
import { FilewrightError } from '../core/errors.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import type { EditDiagnostic } from '../text/edit/diagnostics.ts'
import { planEdits } from '../text/edit/edit.ts'
import { countLines } from '../text/lines.ts'
import { decodeStrict, isBinary } from '../text/utf8.ts'
import { stageContent } from './stage_content.ts'
import type { UnchangedFile } from './tool.ts'

/** What to replace. */
export interface TextReplacement {
  readonly oldText: string
  readonly newText: string
  /** `unique`: the one occurrence, more are refused; `all`; or at most so many, the first ones. */
  readonly which: 'unique' | 'all' | number
  /** Refuse a file that is not valid UTF-8; else its other bytes stay what they are. */
  readonly strict?: boolean
  /** The error of a text that does not occur, or occurs too often. */
  readonly misfit: (diagnostic: EditDiagnostic) => FilewrightError
}

/** What was replaced. */
export interface Replaced {
  readonly replacements: number
  /** Line of the first occurrence in the text before, from 1. */
  readonly firstLine: number
  /** The file, when the edit leaves it as it is. */
  readonly unchanged: UnchangedFile | null
}

/**
 * Stages the edit of a file by exact replacement (C-18 to C-28). Throws `not_found`, `is_directory`, `not_regular`, `too_large`,
 * `binary_file`, `invalid_utf8`, `permission_denied`, and `misfit`.
 */
export async function replaceText(view: View, target: Resolved, edit: TextReplacement): Promise<Replaced> {
  const { bytes, hash } = await view.readWhole(target)
  if (isBinary(bytes)) throw new FilewrightError('binary_file', `${target.given} is binary; only text can be edited.`)
  if (edit.strict) decodeStrict(bytes, target.given)
  const { oldText, newText, which } = edit
  const item = { oldText, newText, replaceAll: which === 'all', requireUnique: which === 'unique' }
  const plan = planEdits(bytes, [typeof which === 'number' ? { ...item, most: which } : item], {
    ignoreWhitespace: false,
    confusables: false,
    maxCandidates: 1,
    maxBytes: view.traits.limits.textBytes,
  })
  if (!plan.ok) throw edit.misfit(plan.diagnostic)
  const unchanged = await stageContent(view, target, { hash }, plan.bytes)
  return { replacements: plan.occurrences, firstLine: countLines(bytes.subarray(0, plan.firstOffset + 1)), unchanged }
}
