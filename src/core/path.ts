/** Workspace paths: one grammar for every adapter, parsed once. */
import { FilewrightError } from './errors.ts'

/**
 * A canonical path inside a workspace: `/`-separated, relative to the root, without `.`, `..`, links or empty parts;
 * `''` is the root. A name that is not valid UTF-8 keeps each bad byte 0xNN as the lone surrogate U+DCNN, so it round-trips.
 */
export type Path = string & { readonly __brand: 'Path' }

/** The root of a workspace. */
export const ROOT = '' as Path

/** Longest name, in UTF-8 bytes, on every adapter. */
export const MAX_NAME_BYTES = 255
/** Longest path, in UTF-8 bytes. */
export const MAX_PATH_BYTES = 4096
/** Most names in one path. */
export const MAX_PATH_NAMES = 256

/** A caller's path, split but not resolved: `..` and links are decided by {@link resolvePath}, against what is there. */
export interface PathSpec {
  /** The text as the caller wrote it, for messages. */
  readonly given: string
  /** Names and `..`, without empty parts and `.`. */
  readonly parts: readonly string[]
  /** True when the text ends in `/` or `/.`: it can only name a directory. */
  readonly directory: boolean
}

/** Where absolute paths are anchored: `''` and no aliases for a virtual root, host paths for a folder on disk. */
export interface Anchor {
  /** The real absolute path of the root in host notation; `''` when the root is virtual and `/` is the workspace. */
  readonly root: string
  /** Other absolute spellings of the root, such as the one the operator gave. */
  readonly aliases: readonly string[]
}

/** Length of `text` in UTF-8 bytes. A surrogate-escaped byte counts as one. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const char of text) {
    const code = char.codePointAt(0) as number
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code > 0xffff ? 4 : code >= 0xdc80 && code <= 0xdcff ? 1 : 3
  }
  return bytes
}

/**
 * Splits a caller's path. Throws `missing_argument` or `invalid_argument` when it is not a text, is empty or holds NUL,
 * `invalid_name` when a name or the whole is too long, `outside_root` when it is absolute and not below `anchor` (C-1, C-3, C-8).
 */
export function parsePath(given: unknown, anchor: Anchor, field = 'path'): PathSpec {
  if (typeof given !== 'string') throw new FilewrightError('invalid_argument', `${field} must be a text.`, { field })
  if (given === '') throw new FilewrightError('invalid_argument', `${field} must not be empty.`, { field })
  if (given.includes('\0')) throw new FilewrightError('invalid_argument', `${field} must not hold a NUL character.`, { field })
  const inside = given.startsWith('/') ? belowAnchor(given, anchor) : given
  const raw = inside.split('/')
  const parts = raw.filter((part) => part !== '' && part !== '.')
  if (utf8Length(given) > MAX_PATH_BYTES || parts.length > MAX_PATH_NAMES) {
    throw new FilewrightError('invalid_name', `The path is longer than ${MAX_PATH_BYTES} bytes or ${MAX_PATH_NAMES} names.`, { field })
  }
  for (const part of parts) {
    if (part.length > MAX_NAME_BYTES / 4 && utf8Length(part) > MAX_NAME_BYTES) {
      throw new FilewrightError('invalid_name', `A name in the path is longer than ${MAX_NAME_BYTES} bytes.`, { field })
    }
  }
  const last = raw[raw.length - 1]
  return { given, parts, directory: last === '' || last === '.' || parts[parts.length - 1] === '..' }
}

/** The part of an absolute path below the root. Throws `outside_root`. Whole names are compared, never prefixes of text. */
export function belowAnchor(absolute: string, anchor: Anchor): string {
  if (anchor.root === '') return absolute
  for (const root of [anchor.root, ...anchor.aliases]) {
    if (root === '/' || absolute === root || absolute.startsWith(`${root}/`)) return absolute.slice(root === '/' ? 0 : root.length)
  }
  throw new FilewrightError('outside_root', `${absolute} is outside the workspace.`)
}

/** Joins a canonical directory and one name. */
export function joinPath(dir: Path, name: string): Path {
  return (dir === '' ? name : `${dir}/${name}`) as Path
}

/** The directory that holds `path`; the root for a name in the root and for the root itself. */
export function parentOf(path: Path): Path {
  const slash = path.lastIndexOf('/')
  return (slash < 0 ? '' : path.slice(0, slash)) as Path
}

/** The last name of `path`; `''` for the root. */
export function nameOf(path: Path): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** `path` as seen from `dir`, which it lies below. */
export function relativePath(path: Path, dir: Path): string {
  return dir === '' ? path : path.slice(dir.length + 1)
}

/** The names of `path`, from the root down. */
export function namesOf(path: Path): string[] {
  return path === '' ? [] : path.split('/')
}

/** A path as a storage compares it: where letter case does not count, neither does the composition of letters (C-12). */
export function comparedPath(path: Path, { caseSensitive }: { readonly caseSensitive: boolean }): Path {
  return caseSensitive ? path : (path.normalize('NFC').toLowerCase() as Path)
}

/** True when `path` is `dir` or lies below it. */
export function isWithin(path: Path, dir: Path): boolean {
  return dir === '' || path === dir || path.startsWith(`${dir}/`)
}

/** Code-point order, which is the order of UTF-8 bytes; JavaScript's own compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i)
    let y = b.charCodeAt(i)
    if (x === y) continue
    // Surrogates stand for code points above U+FFFF, so they sort after U+E000..U+FFFF.
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000
    }
    return x - y
  }
  return a.length - b.length
}

/**
 * Refuses a name that no tool may create, on every adapter: control characters and lone surrogates are `invalid_name`
 * (contract, settled detail 38). Existing files with such names stay readable.
 */
export function checkNewName(name: string, given: string): void {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (code < 0x20 || code === 0x7f)
      throw new FilewrightError('invalid_name', `${JSON.stringify(given)}: a name must not hold control characters.`)
  }
  if (!name.isWellFormed()) throw new FilewrightError('invalid_name', `${JSON.stringify(given)}: a name must be well-formed Unicode.`)
}

/** Gives everything below one path its place below another, in a map by paths. */
export function moveBelow<Value>(map: Map<Path, Value>, from: Path, to: Path): void {
  for (const [path, value] of [...map]) {
    if (path === from || !isWithin(path, from)) continue
    map.delete(path)
    map.set((to + path.slice(from.length)) as Path, value)
  }
}
