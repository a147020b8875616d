/** Windows of a text file: by lines, from its end, by bytes or by characters, each with a cursor to go on (P-20 to P-31). */
import { FilewrightError } from '../../core/errors.ts'
import type { Reader } from '../../core/file_system.ts'
import { lineWindow, tailWindow } from './line_window.ts'
import { byteWindow, charWindow } from './offset_window.ts'
import type { TextFacts } from './text_facts.ts'
import type { TextWindow, WindowPart } from './text_window.ts'

/** What part of a file is wanted. Lines count from 1, bytes and characters from 0. */
export type WindowRequest =
  | { readonly kind: 'lines'; readonly start?: number | undefined; readonly end?: number | undefined }
  | { readonly kind: 'tail'; readonly lines: number }
  | { readonly kind: 'bytes'; readonly offset?: number | undefined; readonly limit?: number | undefined }
  | { readonly kind: 'chars'; readonly offset?: number | undefined; readonly limit?: number | undefined }

/**
 * Reads one window. `facts` are those of the version that `reader` holds. Never reads more than the window and what lies between
 * it and the nearest mark. Throws `invalid_argument` on the argument's name in the contract.
 */
export async function readWindow(reader: Reader, facts: TextFacts, request: WindowRequest): Promise<TextWindow> {
  const part = await readPart(reader, facts, request)
  const totals = { total_bytes: facts.totalBytes, total_lines: facts.totalLines }
  return facts.validUtf8 ? { ...part, ...totals } : { ...part, ...totals, invalid_utf8: true }
}

function readPart(reader: Reader, facts: TextFacts, request: WindowRequest): Promise<WindowPart> {
  switch (request.kind) {
    case 'lines':
      atLeast(1, request.start, 'start_line')
      atLeast(1, request.end, 'end_line')
      if (request.end !== undefined && request.end < (request.start ?? 1))
        throw invalid('end_line', `end_line ${request.end} is before start_line ${request.start ?? 1}.`)
      return lineWindow(reader, facts, request.start, request.end)
    case 'tail':
      atLeast(1, request.lines, 'tail_lines')
      return tailWindow(reader, facts, request.lines)
    case 'bytes':
      atLeast(0, request.offset, 'offset_bytes')
      atLeast(1, request.limit, 'limit_bytes')
      return byteWindow(reader, facts, request.offset ?? 0, request.limit)
    case 'chars':
      atLeast(0, request.offset, 'offset_chars')
      atLeast(1, request.limit, 'limit_chars')
      return charWindow(reader, facts, request.offset ?? 0, request.limit)
  }
}

function atLeast(least: number, value: number | undefined, field: string): void {
  if (value !== undefined && value < least) throw invalid(field, `${field} must be ${least} or more, not ${value}.`)
}

function invalid(field: string, message: string): FilewrightError {
  return new FilewrightError('invalid_argument', message, { field })
}
