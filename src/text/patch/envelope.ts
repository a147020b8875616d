/** The envelope of `apply_patch` (`*** Begin Patch` … `*** End Patch`), read into the operations that it asks for. */
import { FilewrightError } from '../../core/errors.ts'

/** One line of a hunk, without its sign: kept, taken out, or put in. */
export interface HunkLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** A place in a file, and what is to be changed there. */
export interface Hunk {
  /** The line of the patch on which it begins, from 1. */
  readonly line: number
  /** Lines that stand above the place, the outermost first; each narrows it down. */
  readonly headers: readonly string[]
  readonly lines: readonly HunkLine[]
  /** The place is the end of the file. */
  readonly atEnd: boolean
  /** How many of the last lines are wholly empty in the patch: they may be meant as empty lines, or as nothing. */
  readonly emptyTail: number
}

/** One file of a patch. `line` is where the patch names it, from 1. */
export type PatchOperation =
  | { readonly kind: 'add'; readonly line: number; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly line: number; readonly path: string }
  | {
      readonly kind: 'update'
      readonly line: number
      readonly path: string
      /** Its new path; null when it stays where it is. */
      readonly to: string | null
      readonly hunks: readonly Hunk[]
    }

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const END_OF_FILE = '*** End of File'
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/
const HEADER = /^@@(?: (.*))?$/
/** The line numbers of a unified diff, which say nothing here: the place is found by its text. */
const NUMBERS = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/
/** The patch as a shell would have been given it. */
const HEREDOC = /^(?:(?:apply_patch|applypatch)\s+)?<<\s*(['"]?)(\w+)\1$/

/**
 * Reads a patch. Blanks around the markers, a heredoc around the whole and CRLF are tolerated; a new file may be empty, and a file may
 * be moved without a change. Throws `invalid_argument` for `field`, with the `line` in the details; also when there is no operation.
 */
export function parseEnvelope(patch: string, field = 'input'): PatchOperation[] {
  const lines = patch.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const { first, last } = boundsOf(lines, field)
  const operations: OperationReader[] = []
  for (let at = first; at < last; at++) {
    const line = lines[at] as string
    const reader = operations.at(-1)
    // Within a hunk, a line that begins with a blank is text of the file, whatever it says.
    const file = FILE.exec(reader?.kind === 'update' ? line.trimEnd() : line.trim())
    if (file) operations.push(beginOperation(file, at + 1))
    else if (reader) reader.take(line, at + 1, (what, where = at + 1) => invalid(field, where, what))
    else if (line.trim() !== '') throw invalid(field, at + 1, `${quoted(line)} names no file; ${FORMS}`)
  }
  if (operations.length === 0) throw invalid(field, first, 'the patch names no file: nothing was changed')
  return operations.map((reader) => reader.end((what, where) => invalid(field, where ?? first, what)))
}

const FORMS = 'a file begins with *** Add File: PATH, *** Update File: PATH or *** Delete File: PATH'

/** The lines between the first and the last marker, as indexes. */
function boundsOf(lines: readonly string[], field: string): { readonly first: number; readonly last: number } {
  let first = lines.findIndex((line) => line.trim() !== '')
  let last = lines.findLastIndex((line) => line.trim() !== '')
  const heredoc = HEREDOC.exec(lines[first]?.trim() ?? '')
  if (heredoc && last > first && lines[last]?.trim() === heredoc[2]) {
    first++
    last--
  }
  if (lines[first]?.trim() !== BEGIN) throw invalid(field, Math.max(first, 0) + 1, `the first line must be ${BEGIN}`)
  if (last === first || lines[last]?.trim() !== END) throw invalid(field, last + 1, `the last line must be ${END}`)
  return { first: first + 1, last }
}

type Fail = (what: string, line?: number) => FilewrightError

/** Takes the lines of one operation. */
interface OperationReader {
  readonly kind: PatchOperation['kind']
  take(line: string, at: number, fail: Fail): void
  end(fail: Fail): PatchOperation
}

function beginOperation([, verb, path]: RegExpExecArray, line: number): OperationReader {
  const named = { line, path: path as string }
  return verb === 'Add' ? readAdd(named) : verb === 'Delete' ? readDelete(named) : readUpdate(named)
}

interface Named {
  readonly line: number
  readonly path: string
}

function readAdd(named: Named): OperationReader {
  const lines: string[] = []
  let gap = false
  return {
    kind: 'add',
    take(line, _, fail) {
      // Empty lines may stand between two files, not in one.
      if (line === '') gap = true
      else if (line.startsWith('+') && !gap) lines.push(line.slice(1))
      else
        throw fail(
          `every line of the new file ${named.path} must begin with +${gap ? ', empty ones too' : `, not as ${quoted(line)} does`}`,
        )
    },
    end: () => ({ kind: 'add', ...named, lines }),
  }
}

function readDelete(named: Named): OperationReader {
  return {
    kind: 'delete',
    take(line, _, fail) {
      if (line.trim() !== '') throw fail(`${quoted(line)} after *** Delete File: nothing may stand there; ${FORMS}`)
    },
    end: () => ({ kind: 'delete', ...named }),
  }
}

/** Most headers of a hunk: far more than anything is nested. */
const MOST_HEADERS = 100

interface HunkDraft {
  readonly line: number
  readonly headers: string[]
  readonly lines: HunkLine[]
  atEnd: boolean
  emptyTail: number
}

function readUpdate(named: Named): OperationReader {
  const hunks: HunkDraft[] = []
  let to: string | null = null

  function begin(line: number): HunkDraft {
    const hunk: HunkDraft = { line, headers: [], lines: [], atEnd: false, emptyTail: 0 }
    hunks.push(hunk)
    return hunk
  }

  function takeHeader(text: string, at: number, fail: Fail): void {
    const open = hunks.at(-1)
    const hunk = open && open.lines.length === 0 ? open : begin(at)
    if (text.trim() !== '') hunk.headers.push(text)
    if (hunk.headers.length > MOST_HEADERS) throw fail(`a hunk has more than ${MOST_HEADERS} headers: give lines of the file instead`)
  }

  function takeLine(line: string, at: number, fail: Fail): void {
    const hunk = hunks.at(-1) ?? (line === '' ? null : begin(at))
    if (!hunk) return
    const isEmpty = line === ''
    const sign = isEmpty ? ' ' : (line[0] as string)
    if (sign !== ' ' && sign !== '-' && sign !== '+') {
      throw fail(`${quoted(line)} is no line of a hunk: each begins with a blank (kept), - (taken out) or + (put in)`)
    }
    if (hunk.atEnd) {
      if (isEmpty) return
      throw fail(`${quoted(line)} stands after ${END_OF_FILE}: begin another hunk with @@`)
    }
    hunk.lines.push({ sign, text: line.slice(1) })
    hunk.emptyTail = isEmpty ? hunk.emptyTail + 1 : 0
  }

  return {
    kind: 'update',
    take(line, at, fail) {
      const marker = line.trimEnd()
      const move = MOVE.exec(marker)
      const header = NUMBERS.test(marker) ? ['@@', ''] : HEADER.exec(line)
      if (move && to === null && hunks.length === 0) to = move[1] as string
      else if (header) takeHeader(header[1] ?? '', at, fail)
      else if (marker !== END_OF_FILE) takeLine(line, at, fail)
      else {
        const hunk = hunks.at(-1)
        if (!hunk || hunk.lines.length === 0) throw fail(`${END_OF_FILE} ends a hunk, and there is none before it`)
        hunk.atEnd = true
      }
    },
    end(fail) {
      if (hunks.length === 0 && to === null) throw fail(`the update of ${named.path} has no hunk`, named.line)
      const empty = hunks.find((hunk) => hunk.lines.length === 0)
      if (empty) throw fail(`the hunk of ${named.path} that begins here has no lines`, empty.line)
      return { kind: 'update', ...named, to, hunks }
    },
  }
}

const MOST_QUOTED = 80

function quoted(line: string): string {
  return JSON.stringify(line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED).toWellFormed()}…` : line)
}

function invalid(field: string, line: number, what: string): FilewrightError {
  return new FilewrightError('invalid_argument', `${field}, line ${line}: ${what}.`, { field, details: { line } })
}
