/** The lines of a text, found by what they say: exactly, or with white space and typographic characters left aside. */
import { lineEnd, textEnd } from '../lines.ts'
import { bomLength, decoderOf, isUtf8 } from '../utf8.ts'

/** How lines are compared; each is weaker than the one before. */
export type MatchPass = 'exact' | 'trailing_white_space' | 'surrounding_white_space' | 'punctuation'

/** All of them, the strongest first. */
export const PASSES: readonly MatchPass[] = ['exact', 'trailing_white_space', 'surrounding_white_space', 'punctuation']

const NORMAL: { readonly [pass in MatchPass]: (line: string) => string } = {
  exact: (line) => line,
  trailing_white_space: (line) => line.trimEnd(),
  surrounding_white_space: (line) => line.trim(),
  punctuation: (line) => plain(line.trim()),
}

/** Typographic characters by the plain ones that they are taken for. */
const TYPOGRAPHIC: readonly (readonly [plain: string, alikes: RegExp])[] = [
  ['-', /[\u2010-\u2015\u2212]/g],
  ["'", /[\u2018-\u201b]/g],
  ['"', /[\u201c-\u201f]/g],
  [' ', /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g],
]

function plain(line: string): string {
  return TYPOGRAPHIC.reduce((text, [ascii, alikes]) => text.replace(alikes, ascii), line)
}

/** Where a run of lines occurs. */
export interface Runs {
  /** The lines at which it begins, from 0; overlapping ones too. */
  readonly starts: readonly number[]
  /** How many of its first lines occur together at most. */
  readonly longest: number
}

/** A text by lines, from 0. A byte order mark belongs to none of them; a line that is not UTF-8 is like no other. */
export interface LineTable {
  readonly count: number
  /** Offset of a line; of the end of the text for the line after the last. */
  startOf(line: number): number
  /** Offset after the text of a line, before its end. */
  textEndOf(line: number): number
  /** Where a run of lines occurs at or after `from`. */
  find(run: readonly string[], pass: MatchPass, from: number): Runs
  /** Whether a line occurs anywhere. */
  has(line: string, pass: MatchPass): boolean
}

/** The table of a text. Made once, then each search takes time by the number of lines alone. */
export function createLineTable(bytes: Uint8Array): LineTable {
  const starts: number[] = []
  for (let at = bomLength(bytes); at < bytes.length; at = lineEnd(bytes, at)) starts.push(at)
  const count = starts.length
  const startOf = (line: number): number => starts[line] ?? bytes.length
  const textEndOf = (line: number): number => textEnd(bytes, startOf(line), startOf(line + 1))
  const texts = textsOf(bytes, count, startOf, textEndOf)
  const numbered = new Map<MatchPass, Numbered>()

  function numbersFor(pass: MatchPass): Numbered {
    let numbers = numbered.get(pass)
    if (!numbers) {
      numbers = numberLines(texts, NORMAL[pass])
      numbered.set(pass, numbers)
    }
    return numbers
  }

  return {
    count,
    startOf,
    textEndOf,
    find(run, pass, from) {
      const { ids, idOf } = numbersFor(pass)
      return findRuns(
        ids,
        Int32Array.from(run, (line) => idOf.get(NORMAL[pass](line)) ?? UNKNOWN),
        from,
      )
    },
    has: (line, pass) => numbersFor(pass).idOf.has(NORMAL[pass](line)),
  }
}

function textsOf(
  bytes: Uint8Array,
  count: number,
  startOf: (line: number) => number,
  textEndOf: (line: number) => number,
): readonly (string | null)[] {
  const decode = decoderOf(bytes)
  const sound = isUtf8(bytes)
  return Array.from({ length: count }, (_, line) => {
    const [start, end] = [startOf(line), textEndOf(line)]
    return sound || isUtf8(bytes.subarray(start, end)) ? decode(start, end) : null
  })
}

/** Lines as numbers: equal numbers are equal lines. */
interface Numbered {
  readonly ids: Int32Array
  readonly idOf: ReadonlyMap<string, number>
}

/** Numbers of lines that are not in the text, and of lines that are like no other. */
const UNKNOWN = -1
const BAD = -2

function numberLines(texts: readonly (string | null)[], normal: (line: string) => string): Numbered {
  const idOf = new Map<string, number>()
  const ids = Int32Array.from(texts, (text) => {
    if (text === null) return BAD
    const line = normal(text)
    const id = idOf.get(line) ?? idOf.size
    idOf.set(line, id)
    return id
  })
  return { ids, idOf }
}

/** Knuth, Morris and Pratt: each line is looked at once, whatever the run repeats. */
function findRuns(ids: Int32Array, run: Int32Array, from: number): Runs {
  const starts: number[] = []
  const border = bordersOf(run)
  let [matched, longest] = [0, 0]
  for (let line = from; line < ids.length; line++) {
    while (matched > 0 && ids[line] !== run[matched]) matched = border[matched - 1] as number
    if (ids[line] === run[matched]) matched++
    if (matched > longest) longest = matched
    if (matched < run.length) continue
    starts.push(line - run.length + 1)
    matched = border[matched - 1] as number
  }
  return { starts, longest }
}

/** For each beginning of the run, the length of its longest proper beginning that is also its end. */
function bordersOf(run: Int32Array): Int32Array {
  const border = new Int32Array(run.length)
  for (let i = 1, k = 0; i < run.length; i++) {
    while (k > 0 && run[i] !== run[k]) k = border[k - 1] as number
    if (run[i] === run[k]) k++
    border[i] = k
  }
  return border
}
