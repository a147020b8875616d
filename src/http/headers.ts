/** Headers that keep a browser from doing more with an answer than it should. */

/**
 * For the page. Script, style and workers come from files of this server only, and text never becomes markup: the page makes
 * its worker's address through the Trusted Types policy `filewright`. WebAssembly hashes large files in the tab.
 */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types filewright',
].join('; ')

/** For answers and for files of a workspace: whatever they hold, nothing in them runs. */
export const DATA_POLICY: string = "sandbox; default-src 'none'; frame-ancestors 'none'"

/** The response with the headers that every answer has; those it has already stay. */
export function secured(response: Response, policy: string): Response {
  const headers = new Headers(response.headers)
  const add = (name: string, value: string): void => {
    if (!headers.has(name)) headers.set(name, value)
  }
  add('content-security-policy', policy)
  add('x-content-type-options', 'nosniff')
  add('referrer-policy', 'no-referrer')
  add('cross-origin-resource-policy', 'same-origin')
  add('cross-origin-opener-policy', 'same-origin')
  add('x-frame-options', 'DENY')
  if (policy === DATA_POLICY) add('cache-control', 'no-store')
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}
