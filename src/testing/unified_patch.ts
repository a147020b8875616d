/** Unified diffs as tests write them: read, and applied to the letter, forwards or backwards. */

/** What a patch says of one path. */
export interface FilePatch {
  /** Null where nothing was. */
  readonly oldPath: string | null
  /** Null where nothing is. */
  readonly newPath: string | null
  /** As git writes it, such as `100755`; null when the patch does not say. */
  readonly newMode: string | null
  readonly hunks: readonly Hunk[]
  /** A binary patch, as it stands; null for text. */
  readonly binary: string | null
}

interface Hunk {
  /** Lines before, and after, counted from 0. */
  readonly oldStart: number
  readonly newStart: number
  /** Each with its sign, and with its line end unless it has none. */
  readonly lines: readonly string[]
}

/** A text that is no patch, or does not fit. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Reads a patch in git's form or in the plain one of `diff -u`. Throws {@link PatchError}. */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.replace(/^\s*\n/, '').split('\n')
  if (lines.at(-1)?.trim() === '') lines.pop()
  const files: FilePatch[] = []
  let at = 0
  while (at < lines.length) {
    const read = parseFile(lines, at)
    if (read.file) files.push(read.file)
    at = read.next
  }
  if (files.length === 0 && lines.length > 0) throw new PatchError(`This is no unified diff: ${JSON.stringify(lines[0])}`)
  return files
}

function parseFile(lines: readonly string[], start: number): { readonly file: FilePatch | null; readonly next: number } {
  let at = start
  let oldPath: string | null = null
  let newPath: string | null = null
  let newMode: string | null = null
  const header = /^diff --git (.+)$/.exec(lines[at] ?? '')
  if (header) {
    ;[oldPath, newPath] = gitNames(header[1] as string)
    for (at++; at < lines.length; at++) {
      const line = lines[at] as string
      const [, what, value] = /^(new file mode|new mode|deleted file mode|rename from|rename to) (.+)$/.exec(line) ?? []
      if (what === 'new file mode') oldPath = null
      if (what === 'deleted file mode') newPath = null
      if (what === 'new file mode' || what === 'new mode') newMode = value as string
      if (what === 'rename from') oldPath = unquoted(value as string)
      if (what === 'rename to') newPath = unquoted(value as string)
      if (what === undefined && !/^(old mode|index|similarity index|dissimilarity index) /.test(line)) break
    }
  }
  if (lines[at]?.startsWith('GIT binary patch')) {
    const end = lines.findIndex((line, index) => index > at && line.startsWith('diff --git '))
    const next = end < 0 ? lines.length : end
    return { file: { oldPath, newPath, newMode, hunks: [], binary: lines.slice(at, next).join('\n').trimEnd() }, next }
  }
  if (lines[at]?.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
    oldPath = sideName(lines[at] as string, 'a/')
    newPath = sideName(lines[at + 1] as string, 'b/')
    at += 2
  } else if (!header) {
    // Words between the parts of a patch, such as a mail's, say nothing.
    return { file: null, next: at + 1 }
  }
  const hunks: Hunk[] = []
  while (HUNK.test(lines[at] ?? '')) {
    const read = parseHunk(lines, at)
    hunks.push(read.hunk)
    at = read.next
  }
  if (lines[at]?.startsWith('@@')) throw new PatchError(`This is no head of a hunk: ${JSON.stringify(lines[at])}`)
  return { file: { oldPath, newPath, newMode, hunks, binary: null }, next: at }
}

function parseHunk(lines: readonly string[], start: number): { readonly hunk: Hunk; readonly next: number } {
  const [, oldLine, oldCount = '1', newLine, newCount = '1'] = HUNK.exec(lines[start] as string) as RegExpExecArray
  let [oldLeft, newLeft] = [Number(oldCount), Number(newCount)]
  const body: string[] = []
  let at = start + 1
  for (; oldLeft > 0 || newLeft > 0; at++) {
    const line = lines[at]
    if (line === undefined) throw new PatchError(`The hunk ${lines[start]} ends too early.`)
    if (line.startsWith('\\')) {
      withoutLineEnd(body)
      continue
    }
    // Editors take the blank of an empty line away.
    const whole = line === '' ? ' ' : line
    const sign = whole[0] as string
    if (!' -+'.includes(sign)) throw new PatchError(`In the hunk ${lines[start]} this is no line: ${JSON.stringify(line)}`)
    if (sign !== '+') oldLeft--
    if (sign !== '-') newLeft--
    body.push(`${whole}\n`)
  }
  if (oldLeft < 0 || newLeft < 0) throw new PatchError(`The hunk ${lines[start]} has more lines than it says.`)
  if (lines[at]?.startsWith('\\')) {
    withoutLineEnd(body)
    at++
  }
  // A count that is too small would hide the lines after it.
  if (isLineOfHunk(lines, at)) throw new PatchError(`The hunk ${lines[start]} has more lines than it says.`)
  // A side without lines names the line before it.
  const from = (line: string | undefined, count: string): number => Number(line) - (Number(count) === 0 ? 0 : 1)
  return { hunk: { oldStart: from(oldLine, oldCount), newStart: from(newLine, newCount), lines: body }, next: at }
}

/** Whether it reads as one; `-- ` begins the signature of a mail, `---` before `+++` the next file. */
function isLineOfHunk(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (line === '-- ' || (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ '))) return false
  return /^[-+ ]/.test(line)
}

function withoutLineEnd(body: string[]): void {
  const last = body.pop()
  if (last !== undefined) body.push(last.replace(/\n$/, ''))
}

/** Both names of a `diff --git` line; they are the same, but for their first letters. */
function gitNames(text: string): [string, string] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text)
  const half = (text.length - 1) / 2
  const [a, b] = quoted ? [quoted[1] as string, quoted[2] as string] : [text.slice(0, half), text.slice(half + 1)]
  return [unquoted(a).replace(/^a\//, ''), unquoted(b).replace(/^b\//, '')]
}

function sideName(line: string, prefix: string): string | null {
  const name = unquoted(line.slice(4).replace(/\t.*$/, ''))
  return name === '/dev/null' ? null : name.startsWith(prefix) ? name.slice(prefix.length) : name
}

const ESCAPED: { readonly [letter: string]: string } = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** A name without git's quotes: escapes stand for bytes of UTF-8. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: number[] = []
  for (const [part, octal, letter] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...new TextEncoder().encode(letter === undefined ? part : (ESCAPED[letter] ?? letter)))
  }
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

/** The text after a patch, or with `backwards` the one before it. Throws {@link PatchError} unless every line fits where it stands. */
export function applyHunks(text: string, { hunks }: FilePatch, backwards = false): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const [takes, gives] = backwards ? ['+', '-'] : ['-', '+']
  const made: string[] = []
  let at = 0
  for (const { oldStart, newStart, lines: body } of hunks) {
    const start = backwards ? newStart : oldStart
    if (start < at) throw new PatchError('The hunks are not in order.')
    while (at < start && at < lines.length) made.push(lines[at++] as string)
    for (const line of body) {
      const [sign, rest] = [line[0] as string, line.slice(1)]
      if (sign === ' ' || sign === takes) {
        if (lines[at] !== rest) throw new PatchError(`Line ${at + 1} is ${shown(lines[at])}, and the patch has ${shown(rest)} there.`)
        at++
      }
      if (sign === ' ' || sign === gives) made.push(rest)
    }
  }
  return [...made, ...lines.slice(at)].join('')
}

function shown(line: string | undefined): string {
  return line === undefined ? 'not there' : JSON.stringify(line)
}
