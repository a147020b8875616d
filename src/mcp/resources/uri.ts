/** The URIs of resources: files and directories, changes, results. One URI for one thing, built and read here alone. */
import { joinPath, namesOf, type Path, ROOT } from '../../core/path.ts'
import type { Traits } from '../../core/traits.ts'
import { sequenceAt } from '../../text/utf8.ts'

/** A part of a file in bytes, of a directory in entries. Without `length` it goes on to the end, or to the most that one answer holds. */
export interface Part {
  readonly offset: number
  readonly length: number | null
}

/** What a URI names. */
export type Address =
  /** `names` are relative to the root of the workspace. */
  | { readonly kind: 'path'; readonly names: readonly string[]; readonly directory: boolean; readonly part: Part | null }
  /** The newest changes. */
  | { readonly kind: 'log' }
  | { readonly kind: 'change' | 'patch'; readonly id: string }
  /** A result that was too large for its answer. */
  | { readonly kind: 'result'; readonly id: string; readonly part: Part | null }

/** Builds and reads the URIs of one workspace. */
export interface ResourceUris {
  /** `file:///…` where the files are a folder of the host, else `filewright:///files/…`. That of a directory ends in a slash. */
  file(path: Path, directory?: boolean): string
  /** The template of files and directories. */
  readonly template: string
  /** What a URI names; null when it is none of ours, or is not written as ours are. Looks at nothing that is stored. */
  parse(uri: string): Address | null
}

/** The newest changes, as a resource. */
export const LOG_URI = 'filewright:///changes'
/** Templates of what has one URI on every storage. */
export const CHANGE_TEMPLATE = 'filewright:///changes/{id}'
export const PATCH_TEMPLATE = 'filewright:///changes/{id}/patch'
/** How the parts of a large file are asked for. */
export const PART_QUERY = '{?offset,length}'

/** Longest URI that is looked at: a path of the longest kind with every byte escaped, and room for the root. */
const MOST_UNITS = 32 * 1024
const ID = /^[A-Za-z0-9_-]{1,64}$/
const FORM = /^([a-z]+):\/\/([^/?#]*)(\/[^?#]*)(?:\?([^#]*))?$/i
const INTEGER = /^(0|[1-9][0-9]{0,15})$/

/** The URI of a change. */
export function changeUri(id: string): string {
  return `${LOG_URI}/${id}`
}

/** The URI of a kept result. */
export function resultUri(id: string): string {
  return `filewright:///results/${id}`
}

/** The URIs of a workspace by its root: a virtual one has no place on the host that a `file:` URI could mean. */
export function createResourceUris({ root, aliases }: Pick<Traits, 'root' | 'aliases'>): ResourceUris {
  const base = root === '' ? 'filewright:///files' : `file://${root === '/' ? '' : encodePath(namesOf(root.slice(1) as Path))}`
  /** The names that stand before those of the workspace, in every spelling of the root. */
  const anchors = root === '' ? [['files']] : [root, ...aliases].map((spelling) => spelling.split('/').filter((name) => name !== ''))

  function parsePathUri(names: readonly string[], directory: boolean, query: string | undefined): Address | null {
    const part = parsePart(query)
    const anchor = anchors.find((above) => above.every((name, at) => names[at] === name))
    if (part === undefined || !anchor) return null
    return { kind: 'path', names: names.slice(anchor.length), directory: directory || names.length === anchor.length, part }
  }

  return {
    file: (path, directory = false) => `${base}${encodePath(namesOf(path))}${directory || path === ROOT ? '/' : ''}`,
    template: `${base}/{+path}${PART_QUERY}`,
    parse(uri) {
      const split = splitUri(uri)
      if (!split) return null
      const { scheme, host, names, directory, query } = split
      const isOurs = scheme === 'filewright' && host === ''
      if (isOurs && names[0] !== 'files') return directory ? null : parseOwn(names, query)
      const isHosts = scheme === 'file' && (host === '' || host === 'localhost')
      return (root === '' ? isOurs : isHosts) ? parsePathUri(names, directory, query) : null
    },
  }
}

interface SplitUri {
  readonly scheme: string
  readonly host: string
  readonly names: readonly string[]
  /** It ends in a slash. */
  readonly directory: boolean
  readonly query: string | undefined
}

/** The parts of a URI, names unescaped; null where one of them is no name. */
function splitUri(uri: string): SplitUri | null {
  if (uri.length > MOST_UNITS) return null
  const [, scheme = '', host = '', path = '', query] = FORM.exec(uri) ?? []
  const pieces = path.slice(1).split('/')
  const directory = pieces.at(-1) === ''
  const names = (directory ? pieces.slice(0, -1) : pieces).map(decodeName)
  if (!names.every((name) => name !== null)) return null
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), names, directory, query }
}

/** What is not a file: `changes`, `changes/{id}`, `changes/{id}/patch`, `results/{id}`. */
function parseOwn([collection, id, more, ...rest]: readonly string[], query: string | undefined): Address | null {
  if (rest.length > 0 || (id !== undefined && !ID.test(id))) return null
  if (collection === 'results' && id !== undefined && more === undefined) {
    const part = parsePart(query)
    return part === undefined ? null : { kind: 'result', id, part }
  }
  if (collection !== 'changes' || query !== undefined) return null
  if (id === undefined) return { kind: 'log' }
  if (more === undefined) return { kind: 'change', id }
  return more === 'patch' ? { kind: 'patch', id } : null
}

/** `offset` and `length`, each once at most and nothing else; null without a query, undefined for another one. */
function parsePart(query: string | undefined): Part | null | undefined {
  if (query === undefined) return null
  const found = new Map<string, number>()
  for (const pair of query.split('&')) {
    const [key = '', value = '', ...more] = pair.split('=')
    const known = key === 'offset' || key === 'length'
    if (!known || found.has(key) || more.length > 0 || !INTEGER.test(value) || !Number.isSafeInteger(Number(value))) return undefined
    found.set(key, Number(value))
  }
  return { offset: found.get('offset') ?? 0, length: found.get('length') ?? null }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function encodePath(names: readonly string[]): string {
  let text = ''
  for (const name of names) text += `/${encodeName(name)}`
  return text
}

/** A byte of a name that is no UTF-8, which the path keeps as a lone surrogate, is escaped as that byte. */
function encodeName(name: string): string {
  if (name.isWellFormed()) return encodeURIComponent(name)
  let text = ''
  for (const char of name) {
    const code = char.codePointAt(0) as number
    text += code >= 0xdc80 && code <= 0xdcff ? escapeByte(code & 0xff) : encodeURIComponent(char.toWellFormed())
  }
  return text
}

function escapeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * One name of a URI, unescaped once. Null for what no path of a workspace holds, escaped or not: an empty name, `.`, `..`, a slash, a
 * NUL, half an escape.
 */
function decodeName(escaped: string): string | null {
  if (!escaped.isWellFormed()) return null
  const name = escaped.includes('%') ? unescapeName(escaped) : escaped
  return name === null || name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0') ? null : name
}

function unescapeName(escaped: string): string | null {
  const bytes: number[] = []
  for (let at = 0; at < escaped.length; at++) {
    if (escaped[at] !== '%') {
      const char = String.fromCodePoint(escaped.codePointAt(at) as number)
      bytes.push(...encoder.encode(char))
      at += char.length - 1
      continue
    }
    const digits = escaped.slice(at + 1, at + 3)
    if (!/^[0-9a-f]{2}$/i.test(digits)) return null
    bytes.push(Number.parseInt(digits, 16))
    at += 2
  }
  return nameOfBytes(Uint8Array.from(bytes))
}

/** As paths write names: each byte that is no UTF-8 is the lone surrogate U+DCNN. */
function nameOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    let name = ''
    for (let at = 0; at < bytes.length; ) {
      const length = sequenceAt(bytes, at)
      name += length > 0 ? decoder.decode(bytes.subarray(at, at + length)) : String.fromCharCode(0xdc00 | (bytes[at] as number))
      at += Math.max(1, length)
    }
    return name
  }
}

/** The path of an address below a directory of the workspace. */
export function pathOf(names: readonly string[]): Path {
  let path: Path = ROOT
  for (const name of names) path = joinPath(path, name)
  return path
}
