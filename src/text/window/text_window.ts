/** What a window of a text file is, in the names of the contract. */

/** Why a window ends before what was asked for. */
export type TruncatedReason = 'max_lines' | 'max_output_chars' | 'byte_limit' | 'char_limit' | 'line_too_long' | 'large_file_preview'

/** A window, in the names of the contract (5.2). At most one cursor (`next_…`), and none at the end of the file (P-22). */
export interface TextWindow {
  readonly content: string
  readonly mode: 'line' | 'byte' | 'char'
  readonly start_line?: number
  readonly end_line?: number
  readonly requested_tail_lines?: number
  readonly offset_bytes?: number
  readonly offset_chars?: number
  readonly shown_bytes?: number
  readonly shown_chars?: number
  readonly total_chars?: number
  readonly total_bytes: number
  readonly total_lines: number
  readonly eof: boolean
  readonly truncated: boolean
  readonly truncated_reason?: TruncatedReason
  readonly next_start_line?: number
  readonly next_offset_bytes?: number
  readonly next_offset_chars?: number
  /** Present when the file is not valid UTF-8: each bad sequence is shown as U+FFFD (P-31). */
  readonly invalid_utf8?: true
}

/** A window without the totals, which are facts of the file. */
export type WindowPart = Omit<TextWindow, 'total_bytes' | 'total_lines' | 'invalid_utf8'>
