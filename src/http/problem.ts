/** Failures as `application/problem+json`, with the product's codes and nothing of the host. */
import { ERRORS, type ErrorCode, FilewrightError, isFilewrightError, toFilewrightError } from '../core/errors.ts'
import type { Problem } from './routes.ts'

/** An error of the protocol: one of the product's codes, under the status that HTTP has for it. */
export class HttpError extends FilewrightError {
  readonly status: number
  readonly headers: { readonly [name: string]: string }

  constructor(status: number, code: ErrorCode, message: string, headers: { readonly [name: string]: string } = {}) {
    super(code, message)
    this.status = status
    this.headers = headers
  }
}

const TITLES: { readonly [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
}

/** What is told of an error. Messages of errors that are not ours are left out: they may name the host. */
export function describeProblem(error: unknown): Problem {
  const ours = toFilewrightError(error)
  const status = ours instanceof HttpError ? ours.status : ERRORS[ours.code].status
  return {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    code: ours.code,
    detail: ours.message,
    ...(ours.field === undefined ? {} : { field: ours.field }),
    ...(ours.details === undefined ? {} : { details: ours.details }),
  }
}

/** The response to an error; `more` adds members, such as a failed call's result. What was not expected is logged. */
export function problemResponse(error: unknown, more: object = {}): Response {
  logUnexpected(isFilewrightError(error) ? error.cause : error)
  const problem = describeProblem(error)
  const headers = new Headers(error instanceof HttpError ? error.headers : {})
  headers.set('content-type', 'application/problem+json')
  // What is left of a body that is too large, or comes too slowly, is not read: the connection cannot be used again.
  if (problem.status === 413 || problem.status === 408) headers.set('connection', 'close')
  return new Response(JSON.stringify({ ...problem, ...more }), { status: problem.status, headers })
}

/** Logs where an error came from. Its message stays out: it may hold names and content. */
function logUnexpected(error: unknown): void {
  if (!(error instanceof Error) || isFilewrightError(error) || error.name === 'AbortError') return
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  console.error(['Unexpected failure', error.name, ...places].join('\n'))
}

/** The error for a path that no route has. */
export function noSuchRoute(): HttpError {
  return new HttpError(404, 'not_found', 'There is no such route.')
}
