/** The lines of a text, found by what they say: exactly, or with white space and typographic characters left aside. */
import { lineEnd, textEnd } from './lines.ts'
import { bomLength, decoderOf, isUtf8 } from './utf8.ts'

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

/** A text by lines, from 0. A byte order mark belongs to none of them; a line that is not UTF-8 is like no other. */
export interface LineTable {
  readonly count: number
  /** Offset of a line; of the end of the text for the line after the last. */
  startOf(line: number): number
  /** Offset after the text of a line, before its end. */
  textEndOf(line: number): number
  /** The lines at which a run of at least one begins, none before `from`, ascending; overlapping ones too. */
  find(run: readonly string[], pass: MatchPass, from: number): Int32Array
  /** How many of a run's first lines occur together at most. */
  longest(run: readonly string[], pass: MatchPass): number
  /** Whether a line occurs anywhere. */
  has(line: string, pass: MatchPass): boolean
}

/** The table of a text. Made once; then a search looks at the places of the run's rarest line, and never at a line twice. */
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
      const numbers = numbersFor(pass)
      return findRuns(numbers, numbersOf(run, numbers, pass), from)
    },
    longest(run, pass) {
      const numbers = numbersFor(pass)
      let most = 0
      walkRuns(numbers.ids, numbersOf(run, numbers, pass), 0, (_, matched) => {
        if (matched > most) most = matched
      })
      return most
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
  /** The lines of a number, ascending. */
  linesOf(id: number): Int32Array
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
  const ends = new Int32Array(idOf.size)
  for (const id of ids) if (id !== BAD) ends[id] = (ends[id] as number) + 1
  for (let id = 1; id < ends.length; id++) ends[id] = (ends[id] as number) + (ends[id - 1] as number)
  const lines = new Int32Array(ends.at(-1) ?? 0)
  const starts = ends.slice()
  for (let line = ids.length - 1; line >= 0; line--) {
    const id = ids[line] as number
    if (id === BAD) continue
    const at = (starts[id] as number) - 1
    starts[id] = at
    lines[at] = line
  }
  return { ids, idOf, linesOf: (id) => lines.subarray(starts[id], ends[id]) }
}

function numbersOf(run: readonly string[], { idOf }: Numbered, pass: MatchPass): Int32Array {
  return Int32Array.from(run, (line) => idOf.get(NORMAL[pass](line)) ?? UNKNOWN)
}

function findRuns({ ids, linesOf }: Numbered, run: Int32Array, from: number): Int32Array {
  if (run.includes(UNKNOWN)) return new Int32Array()
  let rarest = 0
  for (let i = 1; i < run.length; i++) {
    if (linesOf(run[i] as number).length < linesOf(run[rarest] as number).length) rarest = i
  }
  const lines = linesOf(run[rarest] as number)
  const near = lines.subarray(indexAtOrAfter(lines, from + rarest))
  if (run.length === 1) return near
  // Compared one by one where that is less work than to walk through all lines.
  if (near.length * run.length <= ids.length) {
    return near.filter((line) => run.every((id, i) => ids[line - rarest + i] === id)).map((line) => line - rarest)
  }
  const starts: number[] = []
  walkRuns(ids, run, from, (line, matched) => {
    if (matched === run.length) starts.push(line - run.length + 1)
  })
  return Int32Array.from(starts)
}

/** Knuth, Morris and Pratt: tells at each line how many of the run's first lines end there, and looks at none twice. */
function walkRuns(ids: Int32Array, run: Int32Array, from: number, tell: (line: number, matched: number) => void): void {
  const border = bordersOf(run)
  let matched = 0
  for (let line = from; line < ids.length; line++) {
    while (matched > 0 && ids[line] !== run[matched]) matched = border[matched - 1] as number
    if (ids[line] === run[matched]) matched++
    tell(line, matched)
    if (matched === run.length) matched = border[matched - 1] as number
  }
}

/** Where in ascending numbers the first is that is at least `least`. */
export function indexAtOrAfter(ascending: ArrayLike<number>, least: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
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
