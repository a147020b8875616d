/** Edits: items applied in order to bytes, all or none; what is outside a replaced span never changes (C-18 to C-28, P-50 to P-57). */
import { FilewrightError } from '../../core/errors.ts'
import { equalBytes } from '../bytes.ts'
import { diffSpans, type LineEdit } from '../diff/diff.ts'
import { countLines, skipLines } from '../lines.ts'
import { createPacer } from '../pause.ts'
import { bomLength, encodeText, isUtf8, REPLACEMENT } from '../utf8.ts'
import { type EditDiagnostic, explainAmbiguous, explainInvalid, explainMissing } from './diagnostics.ts'
import { type Found, findExact, findFolded, type Range, SHOWN_PLACES } from './match.ts'
import { createDraft, followPlaces, type Span } from './splice.ts'
import { findByLines } from './whitespace.ts'

/** One replacement. */
export interface EditItem {
  readonly oldText: string
  readonly newText: string
  /** Replace every occurrence; wins over `requireUnique`. */
  readonly replaceAll: boolean
  /** Most occurrences replaced, the first ones, when neither all nor a unique one is asked for; default 1. */
  readonly most?: number
  /** Refuse more than one occurrence; else the first is replaced. */
  readonly requireUnique: boolean
  /** Lines of the current text, from 1, that the match must lie within. */
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
}

/** How the items of one call are matched. */
export interface EditOptions {
  readonly ignoreWhitespace: boolean
  readonly confusables: boolean
  /** Most candidates in a diagnostic; 0 for none. */
  readonly maxCandidates: number
  /** Largest result. */
  readonly maxBytes: number
}

/** How a text was found; a later one is weaker. */
export type MatchMode = 'exact' | 'whitespace_normalized' | 'confusable_normalized'

/** Edits that fit. */
export interface EditPlan {
  readonly ok: true
  readonly bytes: Uint8Array
  readonly changed: boolean
  /** The changed lines, for {@link formatEdits} and {@link snippetsOf}. */
  readonly edits: readonly LineEdit[]
  /** Items that changed something. */
  readonly appliedCount: number
  readonly occurrences: number
  /** Where the first occurrence of the first item begins, in the bytes before. */
  readonly firstOffset: number
  /** The weakest mode that any item needed. */
  readonly matchMode: MatchMode
  readonly linesBefore: number
  readonly linesAfter: number
}

/** An item that does not fit, and why; nothing is changed. */
export interface EditRefusal {
  readonly ok: false
  readonly diagnostic: EditDiagnostic
}

/**
 * Plans edits of a text. Each item is applied to the result of those before it; the first that does not fit stops the plan.
 * Throws `invalid_utf8` when a text holds U+FFFD and the file is not UTF-8 (P-57), `too_large` above `maxBytes`.
 */
export function planEdits(before: Uint8Array, items: readonly EditItem[], options: EditOptions): EditPlan | EditRefusal {
  const steps = planning(before, items, options)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** As {@link planEdits}, with pauses between items, for many of them in a large text. Throws `canceled` too. */
export async function planEditsInTurns(
  before: Uint8Array,
  items: readonly EditItem[],
  options: EditOptions,
  signal: AbortSignal,
): Promise<EditPlan | EditRefusal> {
  const pacer = createPacer(signal)
  const steps = planning(before, items, options)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (pacer.isDue()) await pacer.pause()
  }
}

/** Plans edits, and yields after each item. */
function* planning(before: Uint8Array, items: readonly EditItem[], options: EditOptions): Generator<void, EditPlan | EditRefusal> {
  const empty = items.findIndex((item) => item.oldText === '')
  if (empty >= 0) return { ok: false, diagnostic: explainInvalid(empty, 'empty_old_content') }
  refuseReplacementCharacter(before, items)
  const draft = createDraft(before, options.maxBytes)
  let spans: Span[] = []
  let [applied, occurrences, firstOffset] = [0, 0, 0]
  let mode: MatchMode = 'exact'
  for (const [index, item] of items.entries()) {
    const bytes = draft.bytes()
    const range = scopeOf(bytes, item)
    const match = findItem(bytes, item, range, options)
    const { count } = match.places
    if (count === 0) return { ok: false, diagnostic: explainMissing(bytes, index, item, range, options.maxCandidates) }
    if (count > 1 && match.mode === 'whitespace_normalized')
      return { ok: false, diagnostic: explainAmbiguous(bytes, index, match.places, 'ambiguous_whitespace_match') }
    if (count > 1 && item.requireUnique && !item.replaceAll)
      return { ok: false, diagnostic: explainAmbiguous(bytes, index, match.places, 'ambiguous_match') }
    const places = item.replaceAll ? match.places : firstOf(match.places, item.most ?? 1)
    if (index === 0) firstOffset = places.starts[0] as number
    if (changes(bytes, places, match.replace)) {
      spans = followPlaces(spans, bytes, places, match.replace.length)
      draft.replace(places, match.replace)
      applied++
    }
    occurrences += places.count
    if (MODES.indexOf(match.mode) > MODES.indexOf(mode)) mode = match.mode
    yield
  }
  const bytes = draft.bytes()
  const edits = diffSpans(before, bytes, spans)
  const last = edits[edits.length - 1]
  const linesBefore = last ? last.oldLine + last.oldLines + countLines(before.subarray(last.oldEnd)) : countLines(before)
  return {
    ok: true,
    bytes,
    changed: edits.length > 0,
    edits,
    appliedCount: applied,
    occurrences,
    firstOffset,
    matchMode: mode,
    linesBefore,
    linesAfter: edits.reduce((lines, edit) => lines + edit.newLines - edit.oldLines, linesBefore),
  }
}

const MODES: readonly MatchMode[] = ['exact', 'whitespace_normalized', 'confusable_normalized']

const firstOf = ({ count, starts, ends }: Found['places'], most: number): Found['places'] => ({
  count: Math.min(count, most),
  starts: starts.subarray(0, most),
  ends: ends.subarray(0, most),
})

/** Whether the replacement differs from what it replaces anywhere. */
function changes(bytes: Uint8Array, { count, starts, ends }: Found['places'], replacement: Uint8Array): boolean {
  for (let i = 0; i < count; i++) if (!equalBytes(bytes.subarray(starts[i], ends[i]), replacement)) return true
  return false
}

/** Exact first; a fallback only when exact finds nothing, and never two at once (P-52). */
function findItem(bytes: Uint8Array, item: EditItem, range: Range, options: EditOptions): Found & { readonly mode: MatchMode } {
  const texts = { search: encodeText(item.oldText), replace: encodeText(item.newText) }
  const keep = item.replaceAll ? Number.POSITIVE_INFINITY : Math.max(SHOWN_PLACES, item.most ?? 1)
  const exact = findExact(bytes, texts, range, keep)
  if (exact.places.count > 0) return { ...exact, mode: 'exact' }
  if (options.ignoreWhitespace) {
    const lines = findByLines(bytes, texts, range)
    if (lines.places.count > 0) return { ...lines, mode: 'whitespace_normalized' }
  }
  if (options.confusables) {
    const folded = findFolded(bytes, texts, range, keep)
    if (folded.places.count > 0) return { ...folded, mode: 'confusable_normalized' }
  }
  return { ...exact, mode: 'exact' }
}

/** The bytes in which an item may match: its lines, or all; a leading BOM only when the search text begins with one (C-14). */
function scopeOf(bytes: Uint8Array, { oldText, startLine, endLine }: EditItem): Range {
  const text = oldText.startsWith('\ufeff') ? 0 : bomLength(bytes)
  const start = startLine === undefined ? 0 : skipLines(bytes, startLine - 1)
  if (start < 0) return { start: bytes.length, end: bytes.length }
  const end = endLine === undefined ? -1 : skipLines(bytes, endLine - (startLine ?? 1) + 1, start)
  return { start: Math.max(start, text), end: end < 0 ? bytes.length : Math.max(end, text) }
}

function refuseReplacementCharacter(bytes: Uint8Array, items: readonly EditItem[]): void {
  const index = items.findIndex((item) => item.oldText.includes(REPLACEMENT) || item.newText.includes(REPLACEMENT))
  if (index < 0 || isUtf8(bytes)) return
  throw new FilewrightError(
    'invalid_utf8',
    'The file is not valid UTF-8: U+FFFD stands for bytes that cannot be written back. Use text around them.',
    { field: `replacements[${index}]` },
  )
}
