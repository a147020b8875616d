/** Rows 3 to 13: searches of the repository of 20,000 files. The gates of 3 to 8 have 0.3 on top, for confinement by handles. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSystem } from '../src/core/file_system.ts'
import { ROOT } from '../src/core/path.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { createIgnoreRules } from '../src/text/glob/ignore.ts'
import { compileQuery } from '../src/text/search/query.ts'
import { type SearchOutcome, searchFiles } from '../src/text/search/search.ts'
import { walkFiles } from '../src/text/search/walk.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import { call, linesIn, WHOLE_SEARCH } from './call.ts'
import { NEEDLE } from './corpus.ts'
import { command, inProcess, isThere, type LeftOut, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

/** A query as the rows write it. */
interface Wanted {
  readonly query: string
  readonly is_regex?: boolean
  readonly case_insensitive?: boolean
  readonly multiline?: boolean
  readonly context_lines?: number
}

/** Searches before the first round: the engine compiles what runs often, beside the work. */
const WARM = 10

export async function searchRows({ corpus: { repository }, scratch, closing }: RowParts): Promise<(Row | LeftOut)[]> {
  if (!isThere('rg')) return [{ number: '3', name: 'searches: rows 3 to 10 and 13', leftOut: 'there is no ripgrep on this machine' }]
  const fs = await openNodeFs({ root: repository })
  const workspace = await openWorkspace({ profile: 'fileops', fs })
  closing(workspace)
  const out = join(scratch, 'search-output')
  // ripgrep ends with 1 when it finds nothing.
  const ripgrep = (flags: string) => command(`cd ${repository} && rg -j1 --no-heading -n ${flags} . || [ $? = 1 ]`, out)
  const search = (wanted: object) => call(workspace, 'search_files', { search_path: '.', ...WHOLE_SEARCH, ...wanted })

  /** A search by the tool, which returns 1,000 lines at most. */
  const toolRow = (number: string, gate: number, name: string, flags: string, wanted: Wanted): Row => ({
    number,
    name,
    anchorName: `rg -j1 ${flags}`,
    gate,
    anchor: ripgrep(flags),
    product: inProcess(() => search(wanted)),
    async check() {
      const { total_matches, truncated } = await search(wanted)
      mustAgree('A cut search', truncated, false)
      mustAgree('Matches', total_matches, linesIn(out))
    },
    warm: WARM,
  })

  /** A search for every line, as text such as ripgrep prints: the tool would cut it. */
  const everyLineRow = (number: string, gate: number, name: string, flags: string, wanted: Wanted): Row => ({
    number,
    name,
    anchorName: `rg -j1 ${flags}`,
    gate,
    anchor: ripgrep(flags),
    product: inProcess(async () => printed(await everyLine(fs, wanted))),
    async check() {
      const ours = sortedLines(printed(await everyLine(fs, wanted)))
      const theirs = sortedLines(readFileSync(out, 'utf8'))
      mustAgree('Lines', ours.length, theirs.length)
      mustAgree(
        'The first other line',
        ours.find((line, i) => line !== theirs[i]),
        undefined,
      )
    },
    warm: WARM,
  })

  return [
    toolRow('3', 1.3, 'search, rare literal', NEEDLE, { query: NEEDLE }),
    toolRow('3', 1.3, 'search, no match', 'zzqqNothing', { query: 'zzqqNothing' }),
    toolRow('4', 1.55, 'search, case ignored', `-i ${NEEDLE.toLowerCase()}`, { query: NEEDLE.toLowerCase(), case_insensitive: true }),
    everyLineRow('4', 1.55, 'search, five alternatives', `'${NAMES}'`, { query: NAMES, is_regex: true }),
    everyLineRow('5', 1.6, 'search, regex with a literal', `'${WITH_LITERAL}'`, { query: WITH_LITERAL, is_regex: true }),
    toolRow('6', 2.3, 'search, regex without literal, no match', `'${NO_LITERAL}'`, { query: NO_LITERAL, is_regex: true }),
    everyLineRow('6', 2.3, 'search, regex without literal, some matches', `'${LONG_NAMES}'`, { query: LONG_NAMES, is_regex: true }),
    everyLineRow('7', 1.7, 'search across lines', `-U '${TWO_LINES}'`, { query: TWO_LINES, is_regex: true, multiline: true }),
    everyLineRow('7', 1.7, 'search with 3 lines around', '-C3 limitQueue', { query: 'limitQueue', context_lines: 3 }),
    everyLineRow('8', 1.6, 'search, every line of a common word', COMMON, { query: COMMON }),
    {
      number: '9',
      name: 'search, common word, first 200 lines',
      anchorName: 'rg -j1, all lines',
      gate: 0.15,
      anchor: ripgrep('return'),
      product: inProcess(() => search({ query: 'return', max_results: 200 })),
      async check() {
        mustAgree('Matches of 200', (await search({ query: 'return', max_results: 200 })).total_matches, 200)
        mustAgree('More lines than 200', linesIn(out) > 200, true)
      },
      warm: WARM,
    },
    {
      number: '10',
      name: 'count of all matches',
      anchorName: 'rg -j1 --count-matches',
      gate: 0.8,
      anchor: command(`cd ${repository} && rg -j1 --count-matches return .`, out),
      product: inProcess(() => search(EVERY_MATCH)),
      async check() {
        const counts = readFileSync(out, 'utf8').matchAll(/:(\d+)$/gm)
        mustAgree(
          'Matches',
          (await search(EVERY_MATCH)).total_matches,
          [...counts].reduce((sum, [, count]) => sum + Number(count), 0),
        )
      },
      warm: WARM,
    },
    { number: '11', name: 'search by two workers', leftOut: 'a search runs in the thread that asks for it; there is no pool of workers' },
    hostileRow(scratch, closing),
    coldRow(repository, scratch, out),
  ]
}

/** In about 5 % of the lines. */
const COMMON = 'session'
const NAMES = 'accountBatch|cursorEdge|pathParser|queueReader|socketStack'
const WITH_LITERAL = 'export function [a-z]+Parser\\(socket: string\\)'
const NO_LITERAL = '[a-z]+[0-9]{4}[A-Z][a-z]+'
const LONG_NAMES = '[a-z]{8}[A-Z][a-z]{6}[a-z]+'
const TWO_LINES = 'string\\): number \\{\\r?\\n  if \\(scope.*'
const EVERY_MATCH = { query: 'return', multiline: true, output_mode: 'count' }

async function everyLine(
  fs: FileSystem,
  { query, is_regex = false, case_insensitive: fold = false, multiline = false, context_lines: context = 0 }: Wanted,
): Promise<SearchOutcome> {
  const { signal } = new AbortController()
  const all = Number.POSITIVE_INFINITY
  const selection = { ignore: createIgnoreRules(fs), hidden: false, include: null, exclude: null, extensions: null }
  return searchFiles(fs, walkFiles(fs, ROOT, selection, { signal }), {
    search: compileQuery({ text: query, isRegex: is_regex, fold, multiline, field: 'query' }),
    mode: 'content',
    context,
    // Whole lines, as ripgrep prints them.
    show: (subject, start, end) => subject.text(start, end),
    budget: { maxResults: all, maxFiles: all, maxScannedFiles: all, maxScannedBytes: all, timeout: all, maxFileBytes: 64 * 1024 * 1024 },
    signal,
  })
}

/** Matches as ripgrep prints them, each with the lines around it. */
function printed({ matches }: SearchOutcome): string {
  let text = ''
  for (const { path, line, content, before, after } of matches) {
    for (const [i, one] of before.entries()) text += `${path}-${line - before.length + i}-${one}\n`
    let at = line
    for (const one of content.includes('\n') ? content.split('\n') : [content]) text += `${path}:${at++}:${one}\n`
    for (const [i, one] of after.entries()) text += `${path}-${at + i}-${one}\n`
  }
  return text
}

/** The matching lines, told from those around them; without the CR that ripgrep leaves at their ends. */
function sortedLines(text: string): string[] {
  const matching = text.split('\n').filter((line) => /^[^:]+?:\d+:/.test(line) && !/^[^:]+?-\d+-/.test(line.slice(0, line.indexOf(':'))))
  return matching.map((line) => line.replace(/^\.\//, '').replace(/\r$/, '')).sort()
}

/** Milliseconds that the hostile pattern gets, and that it may take beyond. */
const [TIMEOUT, LEEWAY] = [500, 50]

/** Row 12: a pattern of exponential time for a backtracking engine, on text made for it. What counts is the time until it answers. */
function hostileRow(scratch: string, closing: RowParts['closing']): Row {
  const file = join(scratch, 'hostile.txt')
  writeFileSync(file, `${`${'a'.repeat(5000)}!\n`.repeat(2000)}`)
  const opened = openNodeFs({ root: scratch }).then((fs) => openWorkspace({ profile: 'fileops', fs }))
  closing({ close: async () => (await opened).close() })
  const search = async (): Promise<number> => {
    const start = performance.now()
    await (await opened).call('search_files', { search_path: 'hostile.txt', query: '^(a+)+$', is_regex: true, timeout_ms: TIMEOUT })
    return (performance.now() - start) / 1000
  }
  return {
    number: '12',
    name: 'search, hostile pattern and text: time on the clock',
    anchorName: `its timeout and ${LEEWAY} ms`,
    gate: 1,
    anchor: () => (TIMEOUT + LEEWAY) / 1000,
    product: search,
    check() {},
  }
}

/** Row 13: a search by the command, as `npm run build` makes it. */
function coldRow(repository: string, scratch: string, out: string): Row | LeftOut {
  const name = 'search by the command, a process each'
  const cli = process.env.BENCH_CLI ?? join(import.meta.dirname, '../dist/cli.js')
  if (!existsSync(cli)) return { number: '13', name, leftOut: 'the command is not built' }
  const args = JSON.stringify({ search_path: '.', query: NEEDLE, ...WHOLE_SEARCH })
  const ours = join(scratch, 'command-output')
  return {
    number: '13',
    name,
    anchorName: 'rg -j1',
    gate: 2.2,
    anchor: command(`cd ${repository} && rg -j1 --no-heading -n ${NEEDLE} .`, out),
    product: command(`${process.execPath} ${cli} call search_files '${args}' --profile fileops --root ${repository} --json`, ours),
    check: () => mustAgree('Matches', JSON.parse(readFileSync(ours, 'utf8')).total_matches, linesIn(out)),
  }
}
