/** The one error type of the product, its closed set of codes, and the tables that give each code a meaning. */

/** Every way a call can fail (contract C-45). Closed: a new code needs a row in every table below, or nothing compiles. */
export type ErrorCode =
  | 'invalid_argument'
  | 'missing_argument'
  | 'not_found'
  | 'is_directory'
  | 'not_directory'
  | 'not_regular'
  | 'outside_root'
  | 'already_exists'
  | 'permission_denied'
  | 'binary_file'
  | 'invalid_utf8'
  | 'too_large'
  | 'no_match'
  | 'ambiguous_match'
  | 'ambiguous_whitespace_match'
  | 'confirmation_required'
  | 'stale_expected_sha256'
  | 'ignored_path'
  | 'sensitive_path'
  | 'invalid_regex'
  | 'timeout'
  | 'unsupported'
  | 'conflict'
  | 'no_space'
  | 'io_error'
  | 'loop'
  | 'invalid_name'
  | 'protected_path'
  | 'approval_required'
  | 'approval_denied'
  | 'approval_stale'
  | 'corrupt'
  | 'read_only'
  | 'quota_exceeded'
  | 'canceled'
  | 'runner_lost'

/** What a caller can do about a code: send the same call again, send a corrected one, or give up (contract P-155). */
export type RetryClass = 'retry_same_call' | 'retry_after_correction' | 'do_not_retry'

/** How one code is answered on every surface. */
export interface ErrorMeaning {
  /** HTTP status of a response that carries the code. */
  readonly status: number
  /** Exit status of the command line: 2 the call is wrong, 3 not found, 4 refused, 5 the state differs, 6 the system failed. */
  readonly exit: 2 | 3 | 4 | 5 | 6
  readonly retry: RetryClass
  /** True when no corrected call can succeed. */
  readonly terminal: boolean
  /** The machine-readable next step. */
  readonly action: string
  /** The next step in words, appended to messages that have none of their own. */
  readonly advice: string
}

const meaning = (
  status: number,
  exit: ErrorMeaning['exit'],
  retry: RetryClass,
  action: string,
  advice: string,
  terminal: boolean = retry === 'do_not_retry',
): ErrorMeaning => ({ status, exit, retry, terminal, action, advice })

/** Status, exit code, retry class and advice of every code. */
export const ERRORS: { readonly [code in ErrorCode]: ErrorMeaning } = {
  invalid_argument: meaning(400, 2, 'retry_after_correction', 'fix_argument', 'Correct the argument and call again.'),
  missing_argument: meaning(400, 2, 'retry_after_correction', 'fix_argument', 'Add the argument and call again.'),
  not_found: meaning(404, 3, 'retry_after_correction', 'use_file_tree', 'List the tree to find the right path.'),
  is_directory: meaning(409, 2, 'retry_after_correction', 'use_list_directory', 'Use list_directory for directories.'),
  not_directory: meaning(409, 2, 'retry_after_correction', 'correct_source_path', 'Correct the path.'),
  not_regular: meaning(409, 4, 'do_not_retry', 'use_other_tool', 'Only regular files hold content.'),
  outside_root: meaning(403, 4, 'retry_after_correction', 'correct_source_path', 'Use a path inside the workspace.'),
  already_exists: meaning(409, 5, 'retry_after_correction', 'confirm_overwrite', 'Confirm the overwrite or choose another path.'),
  permission_denied: meaning(403, 4, 'do_not_retry', 'report_to_user', 'Ask the user to change the permissions.'),
  binary_file: meaning(415, 4, 'do_not_retry', 'use_other_tool', 'Text tools do not work on binary files.'),
  invalid_utf8: meaning(415, 4, 'do_not_retry', 'use_other_tool', 'The file is not valid UTF-8.'),
  too_large: meaning(413, 4, 'do_not_retry', 'use_other_tool', 'Read it by windows.'),
  no_match: meaning(409, 5, 'retry_after_correction', 'reread_file', 'Read the file again and copy the text exactly.'),
  ambiguous_match: meaning(409, 5, 'retry_after_correction', 'reread_file', 'Add surrounding lines until the text is unique.'),
  ambiguous_whitespace_match: meaning(409, 5, 'retry_after_correction', 'reread_file', 'Copy the text exactly, with its white space.'),
  confirmation_required: meaning(428, 5, 'retry_after_correction', 'reread_file', 'Send the current hash as expected_sha256.'),
  stale_expected_sha256: meaning(412, 5, 'retry_after_correction', 'reread_file', 'The file changed: read it again.'),
  ignored_path: meaning(403, 4, 'retry_after_correction', 'request_permission', 'Pass allow_ignored if the user agrees.'),
  sensitive_path: meaning(403, 4, 'retry_after_correction', 'request_permission', 'Pass allow_sensitive if the user agrees.'),
  invalid_regex: meaning(400, 2, 'retry_after_correction', 'fix_argument', 'Correct the pattern.'),
  timeout: meaning(504, 6, 'retry_same_call', 'retry', 'Narrow the call or try again.'),
  unsupported: meaning(501, 4, 'do_not_retry', 'use_other_tool', 'This is not available here.'),
  conflict: meaning(409, 5, 'retry_after_correction', 'reread_file', 'The files moved on: read them again.'),
  no_space: meaning(507, 6, 'do_not_retry', 'report_to_user', 'The storage is full.'),
  io_error: meaning(500, 6, 'retry_same_call', 'retry', 'The storage failed; try again.'),
  loop: meaning(409, 2, 'retry_after_correction', 'correct_source_path', 'The links lead in a circle.'),
  invalid_name: meaning(400, 2, 'retry_after_correction', 'fix_argument', 'Choose another name.'),
  protected_path: meaning(403, 4, 'do_not_retry', 'use_other_path', 'This path is never changed by a tool.'),
  approval_required: meaning(403, 4, 'retry_same_call', 'request_approval', 'A person must approve it; then send the same call.', false),
  approval_denied: meaning(403, 4, 'do_not_retry', 'request_approval', 'A person refused it.'),
  approval_stale: meaning(409, 5, 'retry_same_call', 'request_approval', 'The files changed after the approval: ask again.'),
  corrupt: meaning(500, 6, 'do_not_retry', 'report_to_user', 'Stored data does not match its hash.'),
  read_only: meaning(403, 4, 'do_not_retry', 'report_to_user', 'The workspace is read-only.'),
  quota_exceeded: meaning(507, 6, 'do_not_retry', 'report_to_user', 'The quota is used up.'),
  canceled: meaning(499, 6, 'retry_same_call', 'retry', 'The call was canceled.'),
  runner_lost: meaning(502, 6, 'retry_same_call', 'retry', 'The runner is gone; try again.'),
}

/** Optional parts of an error. */
export interface ErrorParts {
  /** The argument that is wrong, in the caller's notation (`replacements[1].old_content`). */
  readonly field?: string
  /** Facts as data, merged into the failed tool's result (a current hash, diagnostics). */
  readonly details?: { readonly [key: string]: unknown }
  readonly cause?: unknown
}

/** Longest message, in UTF-16 units, and how much of the end of a longer one is kept, where it says what to do. */
const [LONGEST_MESSAGE, KEPT_END] = [10_000, 1000]

/** The one error of the product. The message names the path as the caller wrote it, never a place outside the workspace (C-46). */
export class FilewrightError extends Error {
  override readonly name = 'FilewrightError'
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly details: { readonly [key: string]: unknown } | undefined

  constructor(code: ErrorCode, message: string, parts: ErrorParts = {}) {
    super(bounded(message), parts.cause === undefined ? undefined : { cause: parts.cause })
    this.code = code
    this.field = parts.field
    this.details = parts.details
  }
}

/** A message repeats what a caller sent, which may be megabytes. */
function bounded(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message
  const [start, end] = [message.slice(0, LONGEST_MESSAGE - KEPT_END), message.slice(-KEPT_END)]
  return `${start}… [${message.length - LONGEST_MESSAGE} characters left out] …${end}`.toWellFormed()
}

/** True when `error` is a {@link FilewrightError}, of the given code if one is named. Works across bundled copies of the class. */
export function isFilewrightError(error: unknown, code?: ErrorCode): error is FilewrightError {
  const is = error instanceof Error && error.name === 'FilewrightError' && 'code' in error
  return is && (code === undefined || (error as FilewrightError).code === code)
}

/** Any thrown value as a {@link FilewrightError}. What is not one of ours becomes `io_error`, without its message: that may name a host path. */
export function toFilewrightError(error: unknown): FilewrightError {
  if (isFilewrightError(error)) return error
  if (error instanceof Error && error.name === 'AbortError')
    return new FilewrightError('canceled', 'The call was canceled.', { cause: error })
  return new FilewrightError('io_error', 'An unexpected failure; nothing was changed.', { cause: error })
}
