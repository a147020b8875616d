/** How requests reach a workspace host: over the network, or into a worker of this tab. */
import type { Problem } from '../../src/http/routes.ts'

/** A request, as both ways can carry it. */
export interface TransportRequest {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

/** Sends one request to a path below `/v1`. */
export type Transport = (path: string, request?: TransportRequest) => Promise<Response>

/** An answer that tells of a failure. */
export class ApiError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** The answer as JSON. Throws {@link ApiError}. */
export async function json<T>(answer: Promise<Response>): Promise<T> {
  const response = await answer
  if (!response.ok) throw await failure(response)
  return response.json() as Promise<T>
}

/** What a failed answer says. */
export async function failure(response: Response): Promise<ApiError> {
  const fallback: Problem = {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    code: 'io_error',
    detail: `The server answered with status ${response.status}.`,
  }
  try {
    return new ApiError({ ...fallback, ...((await response.json()) as Partial<Problem>) })
  } catch {
    return new ApiError(fallback)
  }
}

/** A text for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
