/** The difference that an edit made, in the form of the MCP reference server. */
import type { LineEdit } from '../../text/diff/diff.ts'
import { formatEdits } from '../../text/diff/unified.ts'
import { diffText } from '../text_diff.ts'

/** Equal lines around a change. */
const CONTEXT = 4
/** Length of the rule below `Index:`. */
const RULE = 67

/** The diff of a file in a fence that is longer than any row of backticks in it; bounded as every diff is (C-44). */
export function editDiff(before: Uint8Array, after: Uint8Array, edits: readonly LineEdit[], path: string): string {
  const unified = formatEdits(before, after, edits, { oldPath: '', newPath: '', context: CONTEXT })
  const hunks = diffText(unified).split('\n').slice(2).map(withCounts).join('\n')
  const diff = `Index: ${path}\n${'='.repeat(RULE)}\n--- ${path}\toriginal\n+++ ${path}\tmodified\n${hunks}`
  const longest = Math.max(2, ...Array.from(diff.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}diff\n${diff}${fence}\n\n`
}

/** A line of a diff; the ranges of a hunk with their counts, also where these are 1. */
function withCounts(line: string): string {
  if (!line.startsWith('@@ ')) return line
  return line.replace(/ ([-+]\d+)(?= )/g, ' $1,1')
}
