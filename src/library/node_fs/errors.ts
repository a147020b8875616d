/** Failures as Node's `fs` tells them: a code, a number, the call, and the path. */
import { ERRNO_OF } from '../../core/errno.ts'
import { type ErrorCode, FilewrightError, isFilewrightError, toFilewrightError } from '../../core/errors.ts'
import { utf8Length } from '../../core/path.ts'

/** What is thrown: the system's code, and what the product says of it as `cause`. */
export interface NodeFsError extends Error {
  /** `ENOENT`, `EEXIST`, …; `EPERM` is also what guards and approvals refuse, `EBUSY` what somebody else changed meanwhile. */
  readonly code: string
  /** Negative, as on Linux. */
  readonly errno: number
  /** `open`, `mkdir`, … */
  readonly syscall: string
  /** As the caller wrote it. */
  readonly path?: string
  readonly dest?: string
}

/** The numbers on Linux, and what Node says. */
const ERRNO: { readonly [code: string]: readonly [errno: number, says: string] } = {
  EPERM: [1, 'operation not permitted'],
  ENOENT: [2, 'no such file or directory'],
  EIO: [5, 'i/o error'],
  EBADF: [9, 'bad file descriptor'],
  EACCES: [13, 'permission denied'],
  EBUSY: [16, 'resource busy or locked'],
  EEXIST: [17, 'file already exists'],
  ENOTDIR: [20, 'not a directory'],
  EISDIR: [21, 'illegal operation on a directory'],
  EINVAL: [22, 'invalid argument'],
  EFBIG: [27, 'file too large'],
  ENOSPC: [28, 'no space left on device'],
  EROFS: [30, 'read-only file system'],
  ENAMETOOLONG: [36, 'name too long'],
  ENOTEMPTY: [39, 'directory not empty'],
  ELOOP: [40, 'too many symbolic links encountered'],
  EILSEQ: [84, 'illegal byte sequence'],
  ENOTSUP: [95, 'operation not supported on socket'],
  ETIMEDOUT: [110, 'connection timed out'],
  EDQUOT: [122, 'disk quota exceeded'],
  ERR_FS_EISDIR: [21, 'path is a directory'],
  ECANCELED: [125, 'operation canceled'],
}

/** A refusal by the rules of `fs` itself; `errno` says more than the product's code does. */
export function refusal(code: ErrorCode, errno: string, message: string): FilewrightError {
  return new FilewrightError(code, message, { details: { errno } })
}

/** A call, for messages. */
export interface CallName {
  readonly syscall: string
  readonly path?: string
  readonly dest?: string
}

/** Any failure of a call, as Node would tell it. What is wrong with the call itself, a `TypeError` or `RangeError`, stays as it is. */
export function nodeFsError(error: unknown, { syscall, path, dest }: CallName): Error {
  if (error instanceof TypeError || isOutOfRange(error) || isNodeFsError(error)) return error
  const failure = isFilewrightError(error) ? error : toFilewrightError(error)
  const told = failure.details?.errno
  const isLong = failure.code === 'invalid_name' && [path, dest].some((text) => hasLongName(text ?? ''))
  const code = typeof told === 'string' ? told : isLong ? 'ENAMETOOLONG' : ERRNO_OF[failure.code]
  const [errno, says] = ERRNO[code] ?? [5, 'i/o error']
  const where = path === undefined ? '' : ` '${path}'${dest === undefined ? '' : ` -> '${dest}'`}`
  // What the system would not say, such as which guard refused, follows what it would.
  const more = UNTOLD.has(failure.code) ? ` (${failure.message})` : ''
  const made = new Error(`${code}: ${says}, ${syscall}${where}${more}`, { cause: failure })
  return Object.assign(made, { code, errno: -errno, syscall, ...(path !== undefined && { path }), ...(dest !== undefined && { dest }) })
}

const UNTOLD: ReadonlySet<ErrorCode> = new Set([
  'ignored_path',
  'sensitive_path',
  'protected_path',
  'outside_root',
  'read_only',
  'approval_required',
  'approval_denied',
  'approval_stale',
  'conflict',
  'canceled',
  'unsupported',
  'invalid_name',
  'too_large',
])

/** Most bytes of a name on Linux. */
const NAME_BYTES = 255

function hasLongName(path: string): boolean {
  return path.split('/').some((name) => utf8Length(name) > NAME_BYTES)
}

function isOutOfRange(error: unknown): error is RangeError {
  return error instanceof RangeError && 'code' in error
}

function isNodeFsError(error: unknown): error is NodeFsError {
  return error instanceof Error && 'syscall' in error && 'errno' in error
}

/** What Node throws for an argument of the wrong type. */
export function wrongType(name: string, expected: string, value: unknown): TypeError {
  const error = new TypeError(`The "${name}" argument must be ${expected}. Received ${value === null ? 'null' : typeof value}`)
  return Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
}

/** What Node throws for an argument that means nothing. */
export function wrongValue(name: string, value: unknown, why: string, code = 'ERR_INVALID_ARG_VALUE'): TypeError {
  const error = new TypeError(`The argument '${name}' ${why}. Received ${JSON.stringify(value) ?? typeof value}`)
  return Object.assign(error, { code })
}

/** A whole number from `min` to `max`. Throws what Node throws for others. */
export function wholeNumber(name: string, value: unknown, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number') throw wrongType(name, 'of type number', value)
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  const error = new RangeError(`The value of "${name}" is out of range. It must be a whole number from ${min} to ${max}. Received ${value}`)
  throw Object.assign(error, { code: 'ERR_OUT_OF_RANGE' })
}
