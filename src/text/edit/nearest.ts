/** Regions of a text that are nearly a search text, found in one pass over its first lines. */
import { alignWithin } from '../diff/align.ts'
import { lineEnd, textEnd } from '../lines.ts'
import { decodeLossy } from '../utf8.ts'
import { foldText } from './confusables.ts'
import { describeDifference } from './difference.ts'
import type { Range } from './match.ts'

/** A region that nearly matches, in the names of the contract (P-56). */
export interface Candidate {
  readonly start_line: number
  readonly end_line: number
  /** 0 to 1: how much of the search text is there, white space, case and look-alikes left aside. Always below 1. */
  readonly similarity: number
  /** The region's text, cut at {@link MAX_TEXT} characters. */
  readonly text: string
  /** Where the region and the search text first differ. */
  readonly difference: string
}

/** A candidate with its place in bytes, its last line end included. */
export interface Region {
  readonly candidate: Candidate
  readonly range: Range
}

/** Lines that are looked at, from the start of the scope on (P-56). */
const MAX_LINES_EXAMINED = 5000
/** Bytes that are looked at. */
const MAX_BYTES_EXAMINED: number = 1024 * 1024
/** Longest search text that is compared. */
const MAX_SEARCH_CHARS = 100_000
const LEAST_SIMILARITY = 0.6
/** Windows whose pairs of characters promise less are not compared further. */
const LEAST_PROMISE = 0.5
const MAX_TEXT = 2000
const MAX_REGIONS = 20

/** The part of the scope that diagnostics look at, up to a line's end. */
export function examinedRange(bytes: Uint8Array, range: Range): Range {
  let end = range.start
  const most = Math.min(range.end, range.start + MAX_BYTES_EXAMINED)
  for (let lines = 0; lines < MAX_LINES_EXAMINED && end < most; lines++) end = lineEnd(bytes, end)
  return { start: range.start, end: Math.min(end, most) }
}

/**
 * Regions of as many lines as `search` has that are most like it, the best first; {@link MAX_REGIONS} at most.
 * `firstLine` is the line at the range's start.
 */
export function nearestRegions(bytes: Uint8Array, search: string, range: Range, firstLine: number, wantedRegions: number): Region[] {
  const most = Math.min(wantedRegions, MAX_REGIONS)
  const wanted = normalLines(search.slice(0, MAX_SEARCH_CHARS))
  const lines = linesIn(bytes, examinedRange(bytes, range))
  const height = Math.min(wanted.length, lines.length)
  const regions: Region[] = []
  for (const at of promisingWindows(wanted, lines, height, 2 * most + 2)) {
    const window = lines.slice(at, at + height)
    const similarity = similarityOf(wanted.join('\n'), window.map((line) => line.normal).join('\n'))
    if (similarity < LEAST_SIMILARITY) continue
    const [first, last] = [window[0] as Line, window[height - 1] as Line]
    const text = decodeLossy(bytes.subarray(first.start, last.textEnd)).text
    const line = firstLine + at
    regions.push({
      candidate: {
        start_line: line,
        end_line: line + height - 1,
        similarity: Math.min(0.99, Math.round(similarity * 100) / 100),
        text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text,
        difference: describeDifference(search, text, line),
      },
      range: { start: first.start, end: last.end },
    })
  }
  regions.sort((a, b) => b.candidate.similarity - a.candidate.similarity || a.candidate.start_line - b.candidate.start_line)
  return regions.slice(0, most)
}

interface Line {
  readonly start: number
  readonly textEnd: number
  readonly end: number
  readonly normal: string
}

function linesIn(bytes: Uint8Array, range: Range): Line[] {
  const lines: Line[] = []
  for (let start = range.start; start < range.end; ) {
    const end = Math.min(lineEnd(bytes, start), range.end)
    const stop = textEnd(bytes, start, end)
    lines.push({ start, textEnd: stop, end, normal: normalLine(decodeLossy(bytes.subarray(start, stop)).text) })
    start = end
  }
  return lines
}

function normalLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop()
  return lines.map(normalLine)
}

function normalLine(line: string): string {
  return foldText(line)
    .trim()
    .replace(/[ \t]+/g, ' ')
    .toLowerCase()
}

/**
 * Windows of `height` lines that share the most pairs of neighbouring characters with the wanted lines; apart from each other,
 * the best first. One pass, in which each line enters the window once and leaves it once.
 */
function promisingWindows(wanted: readonly string[], lines: readonly Line[], height: number, most: number): number[] {
  const { counts: want, total: wantCount } = gramsOf(wanted)
  if (wantCount === 0) return []
  const have = new Int32Array(GRAMS)
  let [shared, haveCount] = [0, 0]
  const enter = (gram: number) => {
    if ((have[gram] as number) < (want[gram] as number)) shared++
    have[gram] = (have[gram] as number) + 1
  }
  const leave = (gram: number) => {
    have[gram] = (have[gram] as number) - 1
    if ((have[gram] as number) < (want[gram] as number)) shared--
  }
  const promising: { readonly first: number; readonly promise: number }[] = []
  for (const [i, line] of lines.entries()) {
    haveCount += eachGram(line.normal, enter)
    const first = i - height + 1
    if (first < 0) continue
    // What the window has beyond the search text counts little: a search text may be a part of its lines.
    const promise = shared / wantCount - 0.1 * Math.max(0, 1 - wantCount / haveCount)
    if (promise >= LEAST_PROMISE) promising.push({ first, promise })
    haveCount -= eachGram((lines[first] as Line).normal, leave)
  }
  promising.sort((a, b) => b.promise - a.promise || a.first - b.first)
  const chosen: number[] = []
  for (const { first } of promising) {
    if (chosen.every((other) => Math.abs(other - first) >= height)) chosen.push(first)
    if (chosen.length === most) break
  }
  return chosen
}

const GRAMS = 65_536

function gramsOf(lines: readonly string[]): { readonly counts: Int32Array; readonly total: number } {
  const counts = new Int32Array(GRAMS)
  let total = 0
  for (const line of lines) {
    total += eachGram(line, (gram) => {
      counts[gram] = (counts[gram] as number) + 1
    })
  }
  return { counts, total }
}

/** Calls back with each pair of neighbouring characters of a line, its ends included; returns their number. */
function eachGram(line: string, visit: (gram: number) => void): number {
  if (line === '') return 0
  let before = 10
  for (let i = 0; i < line.length; i++) {
    const unit = line.charCodeAt(i)
    visit((Math.imul(before, 251) + unit) & (GRAMS - 1))
    before = unit
  }
  visit((Math.imul(before, 251) + 10) & (GRAMS - 1))
  return line.length + 1
}

/** The share of the wanted text that the best part of the window has; by pairs of characters when they are too long to align. */
function similarityOf(wanted: string, window: string): number {
  const aligned = alignWithin(wanted, window)
  if (aligned) return 1 - aligned.distance / wanted.length
  const { counts: want, total: count } = gramsOf([wanted])
  let shared = 0
  const total = eachGram(window, (gram) => {
    if ((want[gram] as number) > 0) shared++
    want[gram] = (want[gram] as number) - 1
  })
  return (2 * shared) / (count + total)
}
