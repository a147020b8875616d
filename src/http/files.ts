/** Files as raw bytes: conditional reads, ranges, puts and removals; and the tree, one directory at a time. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { Reader } from '../core/file_system.ts'
import { type Hash, parseHash } from '../core/hash.ts'
import { compareText, nameOf } from '../core/path.ts'
import { hashReader } from '../core/read.ts'
import { BINARY_TEST_BYTES, isBinary } from '../text/utf8.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { readBody } from './body.ts'
import { type Precondition, putFile, removeFile } from './file_tools.ts'
import { HttpError } from './problem.ts'
import { booleanParameter, integerParameter } from './query.ts'
import { type FileAnswer, HTTP_LIMITS, type TreePage } from './routes.ts'

/** Most entries of a page of the tree. */
const TREE_LIMIT = 1000
/** Longest time of an upload, in milliseconds. */
const UPLOAD_MS = 10 * 60_000
const BLOCK = 256 * 1024

/** Bounds of bodies that hold content. */
export const CONTENT_BODY: { readonly bytes: number; readonly totalMs: number } = { bytes: HTTP_LIMITS.bodyBytes, totalMs: UPLOAD_MS }

/** The children of a directory, a page at a time. */
export async function treePage(workspace: Workspace, query: URLSearchParams): Promise<TreePage> {
  const limit = integerParameter(query, 'limit', { min: 1, max: TREE_LIMIT }) ?? TREE_LIMIT
  const after = query.get('after')
  const view = await workspace.view()
  const target = await view.resolve(query.get('path') || '.', { field: 'path' })
  if (!target.entry) throw new FilewrightError('not_found', `${target.given} does not exist.`)
  if (target.entry.kind !== 'directory') throw new FilewrightError('not_directory', `${target.given} is not a directory.`)
  const children = await view.list(target.path, { stat: true, target: true })
  // By comparison, not by place: the entry may be gone since the last page.
  const rest = after === null ? children : children.filter(({ path }) => compareText(nameOf(path), after) > 0)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return {
    path: target.path,
    entries: page.map(({ path, kind, size, mtimeMs, mode, hash, target: link }) => {
      return { name: nameOf(path), path, kind, size, mtimeMs, mode, hash, target: link }
    }),
    next: last && page.length < rest.length ? nameOf(last.path) : null,
  }
}

/** Answers GET and HEAD of one file. */
export async function getFile(workspace: Workspace, given: string, request: Request): Promise<Response> {
  const view = await workspace.view()
  const target = await view.resolve(given)
  if (!target.entry) throw new FilewrightError('not_found', `${given} does not exist.`)
  if (target.entry.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory: read the tree.`)
  const reader = await view.open(target.path)
  let streaming = false
  try {
    const hash = reader.entry.hash ?? (await hashReader(view.hasher, reader))
    const headers = await fileHeaders(reader, nameOf(target.path), hash)
    if (listsTag(request.headers.get('if-none-match'), hash)) return new Response(null, { status: 304, headers })
    const whole = { start: 0, end: reader.size }
    const range = rangeOf(request, reader.size, hash)
    const { start, end } = range ?? whole
    headers.set('content-length', String(end - start))
    if (range) headers.set('content-range', `bytes ${start}-${end - 1}/${reader.size}`)
    const status = range ? 206 : 200
    if (request.method === 'HEAD') return new Response(null, { status, headers })
    if (end - start <= BLOCK) return new Response(await readPart(reader, start, end), { status, headers })
    streaming = true
    return new Response(streamPart(reader, start, end), { status, headers })
  } finally {
    if (!streaming) await reader.close()
  }
}

/** Answers PUT. */
export async function writeFile(workspace: Workspace, given: string, request: Request): Promise<Response> {
  const expect = preconditionOf(request)
  const content = await workspace.stage(readBody(request, CONTENT_BODY))
  return change(workspace, putFile, { path: given, content }, expect, request)
}

/** Answers DELETE. */
export async function deleteFile(workspace: Workspace, given: string, request: Request): Promise<Response> {
  return change(workspace, removeFile, { path: given }, preconditionOf(request), request)
}

async function change(workspace: Workspace, tool: typeof putFile, args: object, expect: Precondition, request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams
  const allowed = { allow_ignored: booleanParameter(query, 'allow_ignored'), allow_sensitive: booleanParameter(query, 'allow_sensitive') }
  const sent = expect === undefined ? { ...args, ...allowed } : { ...args, ...allowed, expect }
  const { result, error, changeId } = await workspace.run(tool, sent, { signal: request.signal })
  if (error) throw changeError(error, result)
  const { path, hash, created } = result as { path: string; hash: Hash | null; created: boolean }
  const answer: FileAnswer = { path, hash, changeId }
  return Response.json(answer, { status: created ? 201 : 200, headers: hash === null ? {} : { etag: `"${hash}"` } })
}

/** An error of a file tool with its facts. A file that exists against `If-None-Match` is a failed precondition to HTTP. */
function changeError({ code, message }: { readonly code: ErrorCode; readonly message: string }, result: object): FilewrightError {
  if (code === 'already_exists') return new HttpError(412, code, message)
  const { error: _, ...details } = result as { readonly error?: string; readonly [key: string]: unknown }
  return new FilewrightError(code, message, { details })
}

async function fileHeaders(reader: Reader, name: string, hash: Hash): Promise<Headers> {
  const head = await readPart(reader, 0, Math.min(reader.size, BINARY_TEST_BYTES))
  const headers = new Headers({
    etag: `"${hash}"`,
    'accept-ranges': 'bytes',
    // A proxy that compresses would make the tag a weak one.
    'cache-control': 'private, no-cache, no-transform',
    // Never a type that a browser would run, and never shown in place.
    'content-type': isBinary(head) ? 'application/octet-stream' : 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename*=UTF-8''${encodeRfc5987(name)}`,
  })
  if (reader.entry.mtimeMs !== null) headers.set('last-modified', new Date(reader.entry.mtimeMs).toUTCString())
  return headers
}

function encodeRfc5987(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** What a conditional request expects. Throws `invalid_argument` for tags that are not one hash. */
function preconditionOf(request: Request): Precondition {
  const match = request.headers.get('if-match')?.trim()
  const noneMatch = request.headers.get('if-none-match')?.trim()
  if (noneMatch !== undefined && (noneMatch !== '*' || match !== undefined)) {
    throw new FilewrightError('invalid_argument', 'Send If-Match with one ETag, or If-None-Match: *.')
  }
  if (noneMatch !== undefined) return 'absent'
  if (match === undefined) return undefined
  return match === '*' ? 'present' : parseHash(match.replace(/^"(.*)"$/, '$1'), 'If-Match')
}

function listsTag(header: string | null, hash: Hash): boolean {
  if (header === null) return false
  return header.split(',').some((tag) => [`"${hash}"`, '*'].includes(tag.trim().replace(/^W\//, '')))
}

/** The range that a request asks for; null for the whole, also where ranges are several, odd, or of another version. */
function rangeOf(request: Request, size: number, hash: Hash): { start: number; end: number } | null {
  const match = /^bytes=([0-9]*)-([0-9]*)$/.exec(request.headers.get('range')?.trim() ?? '')
  const condition = request.headers.get('if-range')
  if (!match || match[0] === 'bytes=-' || (condition !== null && condition.trim() !== `"${hash}"`)) return null
  const [, from = '', to = ''] = match
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  if (start >= end) throw new HttpError(416, 'invalid_argument', `The file has ${size} bytes.`, { 'content-range': `bytes */${size}` })
  return { start, end }
}

async function readPart(reader: Reader, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(end - start)
  for (let at = 0; at < part.length; ) {
    const count = await reader.read(start + at, part.subarray(at))
    if (count === 0) return part.slice(0, at)
    at += count
  }
  return part
}

function streamPart(reader: Reader, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start
  return new ReadableStream({
    async pull(controller) {
      const part = await readPart(reader, at, Math.min(end, at + BLOCK))
      at += part.length
      if (part.length > 0) controller.enqueue(part)
      if (part.length > 0 && at < end) return
      await reader.close()
      controller.close()
    },
    cancel: () => reader.close(),
  })
}
