/** `npm run bench`: the product beside native tools, in one run, as ratios of CPU time. Arguments choose rows by number: `npm run bench -- 4,5,6`. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCorpus } from './corpus.ts'
import { holds, type LeftOut, type Measured, measure, table } from './measure.ts'
import { createRows } from './rows.ts'

/** Outside the checkout: 20,000 source files in it would be found by every tool that looks for sources. */
const FOLDER = process.env.BENCH_CORPUS ?? join(tmpdir(), 'filewright-bench')
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)

const chosen = new Set(process.argv.slice(2).flatMap((argument) => argument.split(',')))
const isWanted = (number: string): boolean => chosen.size === 0 || chosen.has(number)
const corpus = makeCorpus(FOLDER)
// Of its own, so that two runs may meet.
const scratch = mkdtempSync(join(FOLDER, 'scratch-'))
const { rows, close } = await createRows(corpus, scratch, isWanted)
const results: (Measured | LeftOut)[] = []
for (const row of rows) {
  console.error(`row ${row.number}: ${row.name} …`)
  results.push('leftOut' in row ? row : await measure(row, ROUNDS))
}
await close()
rmSync(scratch, { recursive: true })
console.log(table(results))
const ripgrep = spawnSync('rg', ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0] ?? 'no ripgrep'
console.log(`\nNode ${process.version}, ${ripgrep}; ${ROUNDS} rounds of anchor and product in turn.`)
console.log('Times are medians; a ratio is product by anchor of one round: the median, and the lowest to the highest.')
process.exit(results.every((result) => 'leftOut' in result || holds(result)) ? 0 : 1)
