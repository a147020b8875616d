/** Merges two texts that come from a third one, line by line and byte for byte, as git does. */
import { concatBytes } from '../../core/bytes.ts'
import { diffLines, type LineChange } from './line_diff.ts'

/** How conflicts are written. */
export interface MarkerStyle {
  /** What stands behind the markers of the sides. */
  readonly ours: string
  readonly theirs: string
  /** Also shows what both sides began with, below this label. Null: does not. */
  readonly base: string | null
  /** Length of a marker; default 7, longer where a line of the texts begins as one. */
  readonly markerSize?: number
}

/** What a merge of texts comes to. */
export interface MergedText {
  readonly bytes: Uint8Array
  /** Conflicts, each between markers. 0: clean. */
  readonly conflicts: number
}

/** Git's length of a marker. */
const MARKER_SIZE = 7
/** Conflicts with so many lines in common between them are shown as one. */
const JOINED_LINES = 3
/** Git takes for binary what holds a NUL in so many first bytes. */
const BINARY_PROBE = 8000
const [LF, CR] = [0x0a, 0x0d]

/** Larger texts, in bytes and in lines, would hold up everything else for seconds. */
export const MAX_TEXT_BYTES: number = 16 * 1024 * 1024
const MAX_TEXT_LINES = 1_000_000

/** Whether it is merged line by line: no binary content, as git tells it, and not too large. */
export function isMergeable(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_TEXT_BYTES || bytes.subarray(0, BINARY_PROBE).includes(0)) return false
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0 && lines <= MAX_TEXT_LINES; at = bytes.indexOf(LF, at + 1)) lines++
  return lines <= MAX_TEXT_LINES
}

/** A text as lines of bytes. */
interface Lines {
  readonly bytes: Uint8Array
  /** Where each line begins, and where the last one ends. */
  readonly starts: readonly number[]
  /** One number for each distinct line, line end included. */
  readonly ids: Int32Array
}

/** Which side a part of the merge is taken from. `both`: they differ. */
interface Region {
  from: 'ours' | 'theirs' | 'both'
  base: number
  baseCount: number
  ours: number
  oursCount: number
  theirs: number
  theirsCount: number
}

/** Merges. Line ends stay as they are in each side; markers get those of the lines around them. */
export function mergeText(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array, style: MarkerStyle): MergedText {
  const known = new Map<string, number>()
  const sides: Sides = { base: splitLines(base, known), ours: splitLines(ours, known), theirs: splitLines(theirs, known) }
  const ourChanges = diffLines(sides.base.ids, sides.ours.ids)
  const theirChanges = diffLines(sides.base.ids, sides.theirs.ids)
  if (ourChanges.length === 0) return { bytes: theirs, conflicts: 0 }
  if (theirChanges.length === 0) return { bytes: ours, conflicts: 0 }
  const met = combine(sides, ourChanges, theirChanges)
  // With the base shown, a conflict stays whole: only so its three parts belong together.
  return render(sides, style.base === null ? joinNear(met.flatMap((region) => narrow(sides, region))) : met, style)
}

interface Sides {
  readonly base: Lines
  readonly ours: Lines
  readonly theirs: Lines
}

function splitLines(bytes: Uint8Array, known: Map<string, number>): Lines {
  const starts: number[] = [0]
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) starts.push(at + 1)
  if (starts[starts.length - 1] !== bytes.length) starts.push(bytes.length)
  const ids = new Int32Array(starts.length - 1)
  // One character for each byte, so that different bytes are different texts.
  const text = new TextDecoder('latin1').decode(bytes)
  for (let at = 0; at < ids.length; at++) {
    const line = text.slice(starts[at], starts[at + 1])
    const id = known.get(line) ?? known.size
    if (id === known.size) known.set(line, id)
    ids[at] = id
  }
  return { bytes, starts, ids }
}

/** Both lists of changes as one: where they touch, both sides are looked at together. */
function combine(sides: Sides, ourChanges: readonly LineChange[], theirChanges: readonly LineChange[]): Region[] {
  const regions: Region[] = []
  // How far a side is ahead of the base, in lines, behind the changes that were passed.
  let [ourShift, theirShift, i, j] = [0, 0, 0, 0]
  while (i < ourChanges.length || j < theirChanges.length) {
    const our = ourChanges[i]
    const their = theirChanges[j]
    if (our && (!their || our.aStart + our.aCount < their.aStart)) {
      add(regions, {
        from: 'ours',
        base: our.aStart,
        baseCount: our.aCount,
        ours: our.bStart,
        oursCount: our.bCount,
        theirs: our.aStart + theirShift,
        theirsCount: our.aCount,
      })
      ourShift += our.bCount - our.aCount
      i++
    } else if (their && (!our || their.aStart + their.aCount < our.aStart)) {
      add(regions, {
        from: 'theirs',
        base: their.aStart,
        baseCount: their.aCount,
        ours: their.aStart + ourShift,
        oursCount: their.aCount,
        theirs: their.bStart,
        theirsCount: their.bCount,
      })
      theirShift += their.bCount - their.aCount
      j++
    } else if (our && their) {
      if (!sameChange(sides, our, their)) {
        const start = Math.min(our.aStart, their.aStart)
        const end = Math.max(our.aStart + our.aCount, their.aStart + their.aCount)
        const [ourStart, theirStart] = [our.bStart - our.aStart + start, their.bStart - their.aStart + start]
        add(regions, {
          from: 'both',
          base: start,
          baseCount: end - start,
          ours: ourStart,
          oursCount: our.bStart + our.bCount + end - our.aStart - our.aCount - ourStart,
          theirs: theirStart,
          theirsCount: their.bStart + their.bCount + end - their.aStart - their.aCount - theirStart,
        })
      }
      // The change that reaches further may touch the next one of the other side, too.
      const reach = our.aStart + our.aCount - their.aStart - their.aCount
      if (reach >= 0) {
        theirShift += their.bCount - their.aCount
        j++
      }
      if (reach <= 0) {
        ourShift += our.bCount - our.aCount
        i++
      }
    }
  }
  return regions
}

/** Appends a region; one that touches the last one is joined with it. */
function add(regions: Region[], region: Region): void {
  const last = regions[regions.length - 1]
  if (!last || (region.ours > last.ours + last.oursCount && region.theirs > last.theirs + last.theirsCount)) {
    regions.push(region)
    return
  }
  if (last.from !== region.from) last.from = 'both'
  extendTo(last, region)
}

function extendTo(region: Region, next: Region): void {
  region.baseCount = next.base + next.baseCount - region.base
  region.oursCount = next.ours + next.oursCount - region.ours
  region.theirsCount = next.theirs + next.theirsCount - region.theirs
}

function sameChange({ ours, theirs }: Sides, our: LineChange, their: LineChange): boolean {
  if (our.aStart !== their.aStart || our.aCount !== their.aCount || our.bCount !== their.bCount) return false
  for (let at = 0; at < our.bCount; at++) if (ours.ids[our.bStart + at] !== theirs.ids[their.bStart + at]) return false
  return true
}

/** Only the lines of a conflict in which the sides differ from each other. */
function narrow({ ours, theirs }: Sides, region: Region): Region[] {
  if (region.from !== 'both' || region.oursCount === 0 || region.theirsCount === 0) return [region]
  const changes = diffLines(
    ours.ids.subarray(region.ours, region.ours + region.oursCount),
    theirs.ids.subarray(region.theirs, region.theirs + region.theirsCount),
  )
  return changes.map(({ aStart, aCount, bStart, bCount }) => ({
    ...region,
    ours: region.ours + aStart,
    oursCount: aCount,
    theirs: region.theirs + bStart,
    theirsCount: bCount,
  }))
}

function joinNear(regions: readonly Region[]): Region[] {
  const joined: Region[] = []
  for (const region of regions) {
    const last = joined[joined.length - 1]
    const near = last?.from === 'both' && region.from === 'both' && region.ours - last.ours - last.oursCount <= JOINED_LINES
    if (last && near) extendTo(last, region)
    else joined.push(region)
  }
  return joined
}

function render(sides: Sides, regions: readonly Region[], style: MarkerStyle): MergedText {
  const size = style.markerSize ?? markerSize(style.base === null ? [sides.ours, sides.theirs] : [sides.ours, sides.theirs, sides.base])
  const parts: Uint8Array[] = []
  const { base, ours, theirs } = sides
  let at = 0
  let conflicts = 0
  for (const region of regions) {
    parts.push(slice(ours, at, region.ours))
    at = region.ours + region.oursCount
    if (region.from === 'ours') parts.push(slice(ours, region.ours, at))
    else if (region.from === 'theirs') parts.push(slice(theirs, region.theirs, region.theirs + region.theirsCount))
    else {
      conflicts++
      const end = usesCrLf(sides, region) ? '\r\n' : '\n'
      const marker = (sign: string, label: string): Uint8Array =>
        new TextEncoder().encode(`${sign.repeat(size)}${label === '' ? '' : ` ${label}`}${end}`)
      const whole = (lines: Lines, start: number, count: number): void => {
        const text = slice(lines, start, start + count)
        parts.push(text)
        if (text.length > 0 && text[text.length - 1] !== LF) parts.push(new TextEncoder().encode(end))
      }
      parts.push(marker('<', style.ours))
      whole(ours, region.ours, region.oursCount)
      if (style.base !== null) {
        parts.push(marker('|', style.base))
        whole(base, region.base, region.baseCount)
      }
      parts.push(marker('=', ''))
      whole(theirs, region.theirs, region.theirsCount)
      parts.push(marker('>', style.theirs))
    }
  }
  parts.push(slice(ours, at, ours.ids.length))
  return { bytes: concatBytes(parts), conflicts }
}

function slice({ bytes, starts }: Lines, from: number, to: number): Uint8Array {
  return bytes.subarray(starts[from], starts[to])
}

/** The shortest length, from seven on, of which no line of the texts could be taken for a marker. */
function markerSize(texts: readonly Lines[]): number {
  const taken = new Set<number>()
  for (const { bytes, starts } of texts) {
    for (const start of starts) {
      const sign = bytes[start]
      if (sign !== 0x3c && sign !== 0x3d && sign !== 0x3e && sign !== 0x7c) continue
      let end = start + 1
      while (bytes[end] === sign) end++
      taken.add(end - start)
    }
  }
  let size = MARKER_SIZE
  while (taken.has(size)) size++
  return size
}

/** Whether markers at a conflict end in CR LF: when the lines before it do in both sides, and the first line of the base. */
function usesCrLf({ base, ours, theirs }: Sides, region: Region): boolean {
  const answers = [endsInCrLf(ours, Math.max(0, region.ours - 1)), endsInCrLf(theirs, Math.max(0, region.theirs - 1)), endsInCrLf(base, 0)]
  return !answers.includes(false) && answers.includes(true)
}

/** Null: the text is too short to tell. */
function endsInCrLf({ bytes, starts, ids }: Lines, line: number): boolean | null {
  const ended = bytes[(starts[line + 1] ?? 0) - 1] === LF
  if (ids.length === 0 || (!ended && line === 0)) return null
  const end = starts[ended ? line + 1 : line] as number
  return end > 1 && bytes[end - 2] === CR
}
