/** A line about what an operation found or did. */
import type { OperationCall } from '../tools/operation_call.ts'

/** Longest summary, in characters. */
const LONGEST = 300

/** The summary of a success; what was ignored is said too (P-153). */
export function summaryOf({ tool, operation, ignored }: OperationCall, result: { readonly [member: string]: unknown }): string {
  const said = tool.kind === 'write' ? firstLine(tool.text(result)) : readSummary(operation, result)
  return ignored.length === 0 ? said : `${said} Ignored, because ${operation} has no such option: ${ignored.join(', ')}.`
}

function readSummary(operation: string, result: { readonly [member: string]: unknown }): string {
  const path = result.file_path ?? result.path ?? result.directory_path ?? result.root_path ?? result.search_path
  const told = typeof result.summary === 'string' && result.summary !== '' ? firstLine(result.summary) : countsOf(result)
  return `${operation}${typeof path === 'string' && path !== '' ? ` ${path}` : ''}: ${told}`
}

/** Which numbers tell most, in this order. */
const COUNTS: readonly (readonly [member: string, noun: string])[] = [
  ['total_matches', 'matches'],
  ['total_entries', 'entries'],
  ['rendered_files', 'files'],
  ['total_lines', 'lines'],
  ['added_lines', 'lines added'],
  ['size_bytes', 'bytes'],
]

function countsOf(result: { readonly [member: string]: unknown }): string {
  if (Array.isArray(result.backups)) return `${result.backups.length} backups.`
  const found = COUNTS.find(([member]) => typeof result[member] === 'number')
  return found ? `${result[found[0]]} ${found[1]}.` : 'done.'
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return [...line].length <= LONGEST ? line : `${[...line].slice(0, LONGEST).join('')}…`
}
