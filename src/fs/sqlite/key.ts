/** Paths as the database stores them: a directory's key ends in `/`, so that byte order of keys is the order of a scan. */
import type { Path } from '../../core/path.ts'

// SQLite holds UTF-8, which has no lone surrogates, and a name may hold some (see `Path`). They are written as this last of all
// characters and a mark, so that they sort behind all others, as `compareText` has them.
const ESCAPE = '\u{10ffff}'
const ESCAPED_ESCAPE = '\u0001'
const MARK = 0x10000 - 0xd800

/** Above every key. */
const LAST = ESCAPE + ESCAPE

/** A text as SQLite can hold it. {@link fromStored} is the way back. */
export function toStored(text: string): string {
  if (text.isWellFormed() && !text.includes(ESCAPE)) return text
  let stored = ''
  for (const char of text) {
    const code = char.codePointAt(0) as number
    if (code >= 0xd800 && code <= 0xdfff) stored += ESCAPE + String.fromCodePoint(code + MARK)
    else stored += char === ESCAPE ? ESCAPE + ESCAPED_ESCAPE : char
  }
  return stored
}

/** The text that was stored. */
export function fromStored(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  return stored.replace(/\u{10ffff}(.)/gsu, (_, mark: string) =>
    mark === ESCAPED_ESCAPE ? ESCAPE : String.fromCharCode((mark.codePointAt(0) as number) - MARK),
  )
}

/** An entry's place: the key of its directory, and its name. The root is `['', '']`. */
export function keyOf(path: Path): readonly [dir: string, name: string] {
  const stored = toStored(path)
  const slash = stored.lastIndexOf('/') + 1
  return [stored.slice(0, slash), stored.slice(slash)]
}

/** The key of a directory, under which its children stand. */
export function directoryKey(path: Path): string {
  return path === '' ? '' : `${toStored(path)}/`
}

/** The first key behind a directory's own and those of all directories below it. */
export function endOf(directory: string): string {
  // `0` is the character after `/`.
  return directory === '' ? LAST : `${directory.slice(0, -1)}0`
}
