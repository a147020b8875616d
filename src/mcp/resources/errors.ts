/** How a failed request for a resource is answered: each code of the product as a JSON-RPC error. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { ERRORS, type ErrorCode, toFilewrightError } from '../../core/errors.ts'

/** The two that JSON-RPC leaves for it: what the client asked for is wrong, or the server failed at it. */
const { InvalidParams, InternalError } = ProtocolErrorCode

/**
 * The JSON-RPC code of every code. A resource that is not there is -32602 with nothing but its `uri` as data, in both eras: the
 * library has no -32002 any more, and clients know both.
 */
export const RESOURCE_ERRORS: { readonly [code in ErrorCode]: ProtocolErrorCode } = {
  invalid_argument: InvalidParams,
  missing_argument: InvalidParams,
  not_found: InvalidParams,
  is_directory: InvalidParams,
  not_directory: InvalidParams,
  not_regular: InvalidParams,
  outside_root: InvalidParams,
  already_exists: InvalidParams,
  permission_denied: InvalidParams,
  binary_file: InvalidParams,
  invalid_utf8: InvalidParams,
  too_large: InvalidParams,
  no_match: InvalidParams,
  ambiguous_match: InvalidParams,
  ambiguous_whitespace_match: InvalidParams,
  confirmation_required: InvalidParams,
  stale_expected_sha256: InvalidParams,
  ignored_path: InvalidParams,
  sensitive_path: InvalidParams,
  invalid_regex: InvalidParams,
  timeout: InternalError,
  unsupported: InvalidParams,
  conflict: InvalidParams,
  no_space: InternalError,
  io_error: InternalError,
  loop: InvalidParams,
  invalid_name: InvalidParams,
  protected_path: InvalidParams,
  approval_required: InvalidParams,
  approval_denied: InvalidParams,
  approval_stale: InvalidParams,
  corrupt: InternalError,
  read_only: InvalidParams,
  quota_exceeded: InternalError,
  canceled: InternalError,
  runner_lost: InternalError,
}

/** The error to throw for a request about `uri`. Its data holds the product's code, unless the resource is simply not there. */
export function resourceError(error: unknown, uri: string): ProtocolError {
  if (error instanceof ProtocolError) return error
  const { code, message, details } = toFilewrightError(error)
  if (code === 'not_found') return notFound(uri)
  const text = /[.!?]$/.test(message) ? message : `${message}. ${ERRORS[code].advice}`
  return new ProtocolError(RESOURCE_ERRORS[code], text, { uri, code, ...details })
}

/** There is no such resource. Clients tell this error from others by its data, which is the URI alone. */
export function notFound(uri: string): ResourceNotFoundError {
  return new ResourceNotFoundError(uri)
}
