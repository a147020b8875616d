/** Alternates: directories of objects that a repository borrows from others. */
import { FilewrightError } from '../core/errors.ts'
import type { MaybePromise } from '../core/file_system.ts'
import { textOfBytes } from '../core/name_bytes.ts'
import type { GitFiles } from './files.ts'
import { type Steps, settled } from './steps.ts'

/** A directory of objects. */
export interface ObjectsPlace {
  readonly files: GitFiles
  /** The directory within `files`, with its slash; empty for all of it. */
  readonly dir: string
}

/** Opens another directory of objects, such as `/srv/git/other.git/objects`; null when there is none. */
export type OpenAlternate = (
  /** An absolute path, or one from the git directory (`../../other/.git/objects`). */
  path: string,
) => MaybePromise<ObjectsPlace | null>

/** As many levels as git follows. */
const MOST_LEVELS = 5
const MOST_ALTERNATES = 100

/** The directories that a repository borrows from, and those that these borrow from; each once. Throws `unsupported`. */
export function* findAlternates(files: GitFiles, open: OpenAlternate | undefined): Steps<ObjectsPlace[]> {
  const found: ObjectsPlace[] = []
  const seen = new Set(['objects'])
  let level: { readonly place: ObjectsPlace; readonly path: string }[] = [{ place: { files, dir: 'objects/' }, path: 'objects' }]
  for (let depth = 0; depth <= MOST_LEVELS && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { place, path } of level) {
      const bytes = yield* settled(place.files.read(`${place.dir}info/alternates`))
      for (const line of bytes ? linesOf(bytes) : []) {
        const target = join(path, line)
        if (seen.has(target)) continue
        seen.add(target)
        if (!open) throw new FilewrightError('unsupported', 'This repository borrows objects from another one, which is out of reach here.')
        const borrowed = yield* settled(open(target))
        // As git does: what is missing is a matter only for the objects that would have been there.
        if (!borrowed || found.length >= MOST_ALTERNATES) continue
        found.push(borrowed)
        next.push({ place: borrowed, path: target })
      }
    }
    level = next
  }
  return found
}

function linesOf(bytes: Uint8Array): string[] {
  return textOfBytes(bytes)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(unquoted)
}

/** A path with special characters stands in quotes, as in C. */
function unquoted(line: string): string {
  if (!/^".*"$/.test(line)) return line
  const single: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' }
  return line.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (single[code] ?? code)
  })
}

/** A path as seen from a directory. */
function join(dir: string, path: string): string {
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(path)
  const parts: string[] = []
  for (const part of (isAbsolute ? path : `${dir}/${path}`).split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '') parts.pop()
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part)
  }
  return parts.join('/')
}
