/** Text for people: nothing from a file name or a file can steer the terminal or reorder what is read (security H21, H22). */

/** Control characters but line feed and tab, format characters (which reorder or hide text), line separators, lone surrogates. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The text with every unsafe character shown as an escape: `\x1b`, `\u{202e}`. Line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escapeCharacter)
}

/** As {@link visible}, for a name within a line: line feeds and tabs are escapes too. */
export function visibleName(text: string): string {
  return visible(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'))
}

/** JSON in which the unsafe characters are `\u` escapes, so that it stays the same JSON. */
export function visibleJson(value: unknown, indent: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number
  // A byte of a name that is not UTF-8 stands as a lone surrogate.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** Colors, or nothing where they are not wanted. */
export interface Paint {
  dim(text: string): string
  bold(text: string): string
  red(text: string): string
  green(text: string): string
  cyan(text: string): string
  yellow(text: string): string
}

/** Colors for a stream: on a terminal only, and never with `NO_COLOR`. */
export function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const wanted = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  const paint = (start: number, end: number) => (text: string) => (wanted ? `\u001b[${start}m${text}\u001b[${end}m` : text)
  return { dim: paint(2, 22), bold: paint(1, 22), red: paint(31, 39), green: paint(32, 39), cyan: paint(36, 39), yellow: paint(33, 39) }
}

/** A unified diff in colors. The text must be safe already. */
export function paintDiff(diff: string, paint: Paint): string {
  return diff
    .split('\n')
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('diff ')) return paint.bold(line)
      if (line.startsWith('@@')) return paint.cyan(line)
      return line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line
    })
    .join('\n')
}
