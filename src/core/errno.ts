/** From the operating system's errors to the product's codes. */
import { type ErrorCode, FilewrightError, isFilewrightError } from './errors.ts'

const CODES: { readonly [errno: string]: readonly [code: ErrorCode, says: string] } = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_directory', 'is not a directory, or passes through something that is none'],
  EISDIR: ['is_directory', 'is a directory'],
  ELOOP: ['not_regular', 'is a link, not a regular file'],
  ENXIO: ['not_regular', 'is not a regular file'],
  ESPIPE: ['not_regular', 'is not a regular file'],
  EACCES: ['permission_denied', 'may not be used by this process'],
  EPERM: ['permission_denied', 'may not be used by this process'],
  EROFS: ['read_only', 'is on a read-only file system'],
  ENOSPC: ['no_space', 'does not fit: the disk is full'],
  EDQUOT: ['quota_exceeded', 'does not fit: the disk quota is used up'],
  EFBIG: ['too_large', 'is larger than the file system allows'],
  ERR_FS_FILE_TOO_LARGE: ['too_large', 'is larger than this process can handle'],
  EOVERFLOW: ['too_large', 'is larger than this process can handle'],
  ENAMETOOLONG: ['invalid_name', 'has a name that is too long for the file system'],
  EILSEQ: ['invalid_name', 'has a name that the file system cannot hold'],
  EINVAL: ['invalid_name', 'has a name that the file system cannot hold'],
  EEXIST: ['conflict', 'came to be at the same moment'],
  ENOTEMPTY: ['conflict', 'is not empty'],
  EXDEV: ['unsupported', 'is on another file system than the place it should go to'],
  EMLINK: ['io_error', 'has too many links'],
  EMFILE: ['io_error', 'could not be opened: this process has too many open files'],
  ENFILE: ['io_error', 'could not be opened: the system has too many open files'],
  EBUSY: ['io_error', 'is in use by the system'],
  ETXTBSY: ['io_error', 'is a program that is running'],
  ENOMEM: ['io_error', 'could not be used: the system is out of memory'],
}

/** The operating system's name of each failure, for callers that know no other names. */
export const ERRNO_OF: { readonly [code in ErrorCode]: string } = {
  invalid_argument: 'EINVAL',
  missing_argument: 'EINVAL',
  not_found: 'ENOENT',
  is_directory: 'EISDIR',
  not_directory: 'ENOTDIR',
  not_regular: 'EINVAL',
  outside_root: 'EACCES',
  already_exists: 'EEXIST',
  permission_denied: 'EACCES',
  binary_file: 'EILSEQ',
  invalid_utf8: 'EILSEQ',
  too_large: 'EFBIG',
  no_match: 'EINVAL',
  ambiguous_match: 'EINVAL',
  ambiguous_whitespace_match: 'EINVAL',
  confirmation_required: 'EEXIST',
  stale_expected_sha256: 'EBUSY',
  ignored_path: 'EPERM',
  sensitive_path: 'EPERM',
  invalid_regex: 'EINVAL',
  timeout: 'ETIMEDOUT',
  unsupported: 'ENOTSUP',
  conflict: 'EBUSY',
  no_space: 'ENOSPC',
  io_error: 'EIO',
  loop: 'ELOOP',
  invalid_name: 'EINVAL',
  protected_path: 'EPERM',
  approval_required: 'EPERM',
  approval_denied: 'EPERM',
  approval_stale: 'EPERM',
  corrupt: 'EIO',
  read_only: 'EROFS',
  quota_exceeded: 'EDQUOT',
  canceled: 'ECANCELED',
  runner_lost: 'EIO',
}

/** The operating system's name of an error, or undefined. */
export function errnoOf(error: unknown): string | undefined {
  return isFilewrightError(error) ? undefined : (error as { readonly code?: string } | null)?.code
}

/** An error of the product for whatever was thrown at `path`. Its message never shows a path of the host. */
export function failureAt(path: string, error: unknown): FilewrightError {
  if (isFilewrightError(error)) return error
  const errno = errnoOf(error)
  const [code, says] = CODES[errno ?? ''] ?? ['io_error', `failed${errno ? ` (${errno})` : ''}`]
  return new FilewrightError(code, `${path || 'The root of the workspace'} ${says}.`, { cause: error })
}

/** Runs `action`; what it throws becomes an error of the product about `path`. */
export function attempt<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw failureAt(path, error)
  }
}

/** Runs `action`; a failure of the given kind gives undefined. */
export function unless<T>(errno: string, action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (errnoOf(error) === errno) return undefined
    throw error
  }
}
