/** Rows 23 to 26: differences of texts, whole, as text. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { unifiedDiff } from '../src/text/diff/unified.ts'
import { type Corpus, createRandom } from './corpus.ts'
import { command, inProcess, isThere, type LeftOut, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

const SMALL = 20_000
const MEGABYTE = 1_000_000

export async function diffRows({ corpus, scratch }: RowParts): Promise<(Row | LeftOut)[]> {
  const missing = ['diff', 'git', 'patch'].filter((program) => !isThere(program))
  if (missing.length > 0)
    return [{ number: '23', name: 'differences: rows 23 to 26', leftOut: `there is no ${missing[0]} on this machine` }]
  const out = join(scratch, 'diff-output')
  const pairs = makePairs(corpus, scratch)
  // Both end with 1 when there are differences.
  const anchors = { 'diff -u': 'diff -u', 'git diff --no-index': 'git diff --no-index --no-color' }

  const row = (number: string, gate: number, name: string, tool: keyof typeof anchors, pair: Pair): Row => ({
    number,
    name: `diff, ${name}`,
    anchorName: tool,
    gate,
    anchor: command(`${anchors[tool]} ${pair.before} ${pair.after} || [ $? = 1 ]`, out),
    product: inProcess(() => diffOf(pair)),
    check: () => mustLead(pair, diffOf(pair).text, scratch),
    warm: 15,
  })

  return [
    row('23', 1.5, '1 MB, ten lines', 'diff -u', pairs.few),
    row('23', 1.5, '1 MB, 1 % of the lines', 'diff -u', pairs.spread),
    row('24', 2, '10 MB, 30 % of the lines', 'diff -u', pairs.large),
    row('25', 3.5, '1 MB, all lines in another order', 'git diff --no-index', pairs.shuffled),
    row('25', 3.5, '1 MB, few different lines in any order', 'git diff --no-index', pairs.repeating),
    smallRow(pairs.small, scratch),
  ]
}

/** Row 26. The anchor is the package `diff`. */
function smallRow(pair: Pair, scratch: string): Row {
  const [before, after] = [bytesOf(pair.before), bytesOf(pair.after)]
  const [oldText, newText] = [pair.before, pair.after].map((file) => readFileSync(file, 'utf8')) as [string, string]
  return {
    number: '26',
    name: 'diff, 20 KB, two lines, in memory',
    anchorName: 'the package diff',
    gate: 0.15,
    anchor: inProcess(() => createTwoFilesPatch('a', 'a', oldText, newText), 200),
    product: inProcess(() => unifiedDiff(before, after, WHOLE), 200),
    check: () => mustLead(pair, diffOf(pair).text, scratch),
    warm: 15,
  }
}

interface Pair {
  readonly before: string
  readonly after: string
}

const WHOLE = { oldPath: 'file', newPath: 'file', maxChars: Number.POSITIVE_INFINITY }

/** From files to the text of their difference, as the anchors do it. */
const diffOf = ({ before, after }: Pair) => unifiedDiff(bytesOf(before), bytesOf(after), WHOLE)

/** Without Node's own methods, as the product has them. */
function bytesOf(file: string): Uint8Array {
  const { buffer, byteOffset, length } = readFileSync(file)
  return new Uint8Array(buffer, byteOffset, length)
}

/** Throws unless `patch` makes the second file of the first by the difference. */
async function mustLead({ before, after }: Pair, text: string, scratch: string): Promise<void> {
  const [diff, made] = [join(scratch, 'made.diff'), join(scratch, 'made')]
  writeFileSync(diff, text)
  await command(`patch -s -o ${made} ${before} ${diff}`, join(scratch, 'patch-output'))()
  mustAgree('The patched file is the second one', readFileSync(made).equals(readFileSync(after)), true)
}

function makePairs(
  corpus: Corpus,
  scratch: string,
): { readonly [name in 'small' | 'few' | 'spread' | 'large' | 'shuffled' | 'repeating']: Pair } {
  const source = readFileSync(corpus.edit, 'utf8').split('\n')
  const random = createRandom(0xd1ff)
  const upTo = (bytes: number): string[] => {
    let [size, count] = [0, 0]
    while (size < bytes && count < source.length) size += (source[count++] as string).length + 1
    return source.slice(0, count)
  }
  const write = (name: string, before: readonly string[], after: readonly string[]): Pair => {
    const pair = { before: join(scratch, `${name}.a`), after: join(scratch, `${name}.b`) }
    writeFileSync(pair.before, `${before.join('\n')}\n`)
    writeFileSync(pair.after, `${after.join('\n')}\n`)
    return pair
  }
  /** A text with so many of its lines replaced. */
  const withOthers = (lines: readonly string[], count: number): string[] => {
    const changed = [...lines]
    for (let i = 0; i < count; i++) changed[random.below(changed.length)] = `  // another line ${i}`
    return changed
  }
  /** About a share of the lines goes, is replaced, or gets another one after it. */
  const changed = (lines: readonly string[], share: number): string[] =>
    lines.flatMap((line) => {
      if (random.below(1000) >= share * 1000) return [line]
      const other = `  other(${random.below(1e6)})`
      return random.pick([[], [other], [line, other]])
    })
  const megabyte = upTo(MEGABYTE)
  const shuffled = [...megabyte]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[shuffled[i], shuffled[j]] = [shuffled[j] as string, shuffled[i] as string]
  }
  const few = megabyte.slice(0, 200)
  const anyOfFew = (): string[] => megabyte.map(() => random.pick(few))
  return {
    small: write('small', upTo(SMALL), withOthers(upTo(SMALL), 2)),
    few: write('few', megabyte, withOthers(megabyte, 10)),
    spread: write('spread', megabyte, changed(megabyte, 0.01)),
    large: write('large', source, changed(source, 0.3)),
    shuffled: write('shuffled', megabyte, shuffled),
    repeating: write('repeating', anyOfFew(), anyOfFew()),
  }
}
