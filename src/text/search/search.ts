/** Content search over files: reads them in order, keeps to its budgets, and answers the same for the same tree. */
import type { Entry, FileSystem } from '../../core/file_system.ts'
import type { Path } from '../../core/path.ts'
import { checkSignal } from '../../core/signal.ts'
import { createPacer } from '../pause.ts'
import type { Finder, Span } from '../regex/engine.ts'
import type { Lacking } from '../regex/source.ts'
import { createTextTest } from '../text_test.ts'
import { bomLength } from '../utf8.ts'
import { type FileCount, type LineMatch, matchAt, type Wanted } from './match.ts'
import type { Inquiry, Search } from './query.ts'

/** What a search may cost. */
export interface SearchBudget {
  /** Matches returned; more than that end the search. Only in the mode `content`. */
  readonly maxResults: number
  /** Files with matches returned; more than that end the search in the mode `content`, and are only counted in the others. */
  readonly maxFiles: number
  readonly maxScannedFiles: number
  readonly maxScannedBytes: number
  /** Milliseconds. */
  readonly timeout: number
  /** Larger files are passed over. */
  readonly maxFileBytes: number
}

/** Options of {@link searchFiles}. */
export interface SearchOptions extends Wanted {
  readonly search: Search
  readonly budget: SearchBudget
  readonly signal: AbortSignal
  progress?(files: number): void
}

/** What a search found. */
export interface SearchOutcome {
  /** In the order of paths, then of lines; empty unless the mode is `content`. */
  readonly matches: readonly LineMatch[]
  /** Matches in each file of the list; empty in the mode `content`. */
  readonly counts: readonly FileCount[]
  /** Matches returned in the mode `content`, else all that there are. */
  readonly totalMatches: number
  readonly matchedFiles: number
  /** Text files that were searched, with or without a match. */
  readonly searchedFiles: number
  /** The limits that were met, so that this may not be all. */
  readonly limits: readonly SearchLimit[]
  /** A line that no engine could search in bounded time: the first file that holds one, and what the linear engine lacks for it. */
  readonly passedOver: { readonly path: Path; readonly lacking: string | null } | null
  /** Files that the storage failed to give, such as damaged ones and contents that a partial clone lacks: the first, and how many. */
  readonly unread: { readonly path: Path; readonly count: number } | null
}

/** What can end a search early, or shorten its answer. */
export type SearchLimit = Exclude<keyof SearchBudget, 'maxFileBytes'>

/**
 * Searches files in the order in which they come. Files that are binary (C-23), not valid UTF-8, too large or not
 * readable are passed over. Throws `canceled`, and what the storage throws.
 */
export async function searchFiles(
  source: Pick<FileSystem, 'readEach'>,
  files: AsyncIterable<readonly Entry[]>,
  options: SearchOptions,
): Promise<SearchOutcome> {
  const { search, budget, mode, signal } = options
  const deadline = performance.now() + budget.timeout
  const pacer = createPacer(signal)
  const texts = createTextTest()
  const matches: LineMatch[] = []
  const counts: FileCount[] = []
  let [totalMatches, matchedFiles, searchedFiles, scannedFiles, scannedBytes] = [0, 0, 0, 0, 0]
  const limits = new Set<SearchLimit>()
  let passedOver: SearchOutcome['passedOver'] = null
  let unread: SearchOutcome['unread'] = null
  let stopped = false

  const stop = (limit: SearchLimit): false => {
    limits.add(limit)
    stopped = true
    return false
  }
  const isLate = (): boolean => performance.now() > deadline && !stop('timeout')

  /** Takes one match of a file; false when that was the last one wanted. */
  function take(path: Path, inquiry: Inquiry, span: Span, count: number): boolean {
    if (mode === 'content') {
      if (count === 0 && matchedFiles === budget.maxFiles) return stop('maxFiles')
      if (matches.length === budget.maxResults) return stop('maxResults')
      matches.push(matchAt(path, inquiry.subject, span, options, search.multiline))
    }
    if (count === 0) matchedFiles++
    totalMatches++
    return true
  }

  function close(path: Path, count: number): void {
    if (mode === 'content' || count === 0) return
    if (counts.length < budget.maxFiles) counts.push({ path, count })
    else limits.add('maxFiles')
  }

  function goThrough(path: Path, inquiry: Inquiry): void {
    let count = 0
    for (const span of inquiry.matches(null, () => {})) {
      if (!span) continue
      if (!take(path, inquiry, span, count)) break
      count++
    }
    close(path, count)
  }

  /** As {@link goThrough}, for what may take long. */
  async function goThroughSlowly(path: Path, inquiry: Inquiry, linear: Finder | Lacking | null): Promise<void> {
    let count = 0
    const passed = (): void => {
      passedOver ??= { path, lacking: linear && 'lacking' in linear ? linear.lacking : null }
    }
    const spans = inquiry.matches(linear, passed)[Symbol.iterator]()
    for (let next = spans.next(); !next.done && !isLate(); next = spans.next()) {
      if (next.value) {
        if (!take(path, inquiry, next.value, count)) break
        count++
      }
      if (pacer.isDue()) await pacer.pause()
    }
    close(path, count)
  }

  /** Reads files until one needs more time than a visitor has; answers how many were read, and that one. */
  async function readSome(batch: readonly Entry[]): Promise<{ done: number; slow: readonly [Path, Inquiry] | null }> {
    const read = { done: 0, slow: null as readonly [Path, Inquiry] | null }
    const paths = batch.map((entry) => entry.path)
    await source.readEach(paths, { maxBytes: budget.maxFileBytes, signal }, (path, bytes, problem) => {
      if (isLate()) return false
      if (scannedFiles === budget.maxScannedFiles) return stop('maxScannedFiles')
      if (bytes && scannedBytes + bytes.length > budget.maxScannedBytes) return stop('maxScannedBytes')
      read.done++
      scannedFiles++
      if (problem?.code === 'io_error' || problem?.code === 'corrupt')
        unread = { path: unread?.path ?? path, count: (unread?.count ?? 0) + 1 }
      if (!bytes) return true
      scannedBytes += bytes.length
      if (!texts.isText(bytes, batch[read.done - 1]?.hash ?? null)) return true
      searchedFiles++
      const bom = bomLength(bytes)
      const inquiry = search.inquire(bom === 0 ? bytes : bytes.subarray(bom))
      if (!inquiry) return true
      if (inquiry.quick) goThrough(path, inquiry)
      else read.slow = [path, inquiry]
      return read.slow === null && !stopped
    })
    return read
  }

  try {
    for await (const page of files) {
      for (let at = 0; at < page.length && !stopped; ) {
        const { done, slow } = await readSome(at === 0 ? page : page.slice(at))
        at += done
        if (slow) await goThroughSlowly(...slow, await search.linear())
        options.progress?.(scannedFiles)
        if (pacer.isDue()) await pacer.pause()
      }
      if (stopped || isLate()) break
    }
  } finally {
    texts.close()
  }
  checkSignal(signal)
  return { matches, counts, totalMatches, matchedFiles, searchedFiles, limits: [...limits], passedOver, unread }
}
