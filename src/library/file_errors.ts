/** What the registered tools of `builtin` throw: one class for each kind of failure, under the names of contract B-3. */
import type { ErrorCode } from '../core/errors.ts'
import type { CallResult } from '../workspace/workspace.ts'

/** A failed call of a registered tool. It is always one of the classes below. */
export class FileToolError extends Error {
  override readonly name: string = 'FileToolError'
  /** The workspace's own word for what went wrong, of which several lead to one class. */
  readonly code: ErrorCode
  /** The argument that is at fault, when there is one. */
  readonly field: string | undefined
  /** Id of the request that waits for a person's approval; null when none does. */
  readonly approvalId: string | null

  constructor(message: string, parts: { readonly code: ErrorCode; readonly field?: string; readonly approvalId?: string | null }) {
    super(message)
    this.code = parts.code
    this.field = parts.field
    this.approvalId = parts.approvalId ?? null
  }
}

/** A path outside of the sandbox, an argument that is wrong, a text or pattern that does not fit. */
export class ValueError extends FileToolError {
  override readonly name = 'ValueError'
}

/** Nothing is at the path. */
export class FileNotFoundError extends FileToolError {
  override readonly name = 'FileNotFoundError'
}

/** A directory is where a file should be. */
export class IsADirectoryError extends FileToolError {
  override readonly name = 'IsADirectoryError'
}

/** Something else is where a directory should be. */
export class NotADirectoryError extends FileToolError {
  override readonly name = 'NotADirectoryError'
}

/** The storage, the operator or a person does not allow it. */
export class PermissionError extends FileToolError {
  override readonly name = 'PermissionError'
}

/** The bytes of a file are none of its encoding. */
export class UnicodeDecodeError extends FileToolError {
  override readonly name = 'UnicodeDecodeError'
}

/** A text has characters that the encoding lacks. */
export class UnicodeEncodeError extends FileToolError {
  override readonly name = 'UnicodeEncodeError'
}

/** There is no such encoding. */
export class LookupError extends FileToolError {
  override readonly name = 'LookupError'
}

const CLASSES: { readonly [name: string]: typeof FileToolError } = {
  ValueError,
  FileNotFoundError,
  IsADirectoryError,
  NotADirectoryError,
  PermissionError,
  UnicodeDecodeError,
  UnicodeEncodeError,
  LookupError,
}

/** What a failed call throws; null for one that succeeded. */
export function thrownBy({ result, error, approvalId }: CallResult): FileToolError | null {
  if (!error) return null
  // The profile has chosen the name; a call that no tool answered has none.
  const Thrown = CLASSES[String(result.error_type)] ?? ValueError
  return new Thrown(error.message, { ...error, approvalId })
}
