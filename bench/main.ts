/** `npm run bench`: the product beside native tools, in one run, as ratios of CPU time. Arguments choose rows by number. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCorpus } from './corpus.ts'
import { measure, table } from './measure.ts'
import { createRows } from './rows.ts'

/** Outside the checkout: 20,000 source files in it would be found by every tool that looks for sources. */
const FOLDER = process.env.BENCH_CORPUS ?? join(tmpdir(), 'filewright-bench')
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)

const wanted = new Set(process.argv.slice(2))
const corpus = makeCorpus(FOLDER)
const { rows, close } = await createRows(corpus, join(FOLDER, 'scratch'))
const results = []
for (const row of rows) {
  if (wanted.size > 0 && !wanted.has(row.number)) continue
  console.error(`row ${row.number}: ${row.name} …`)
  results.push(await measure(row, ROUNDS))
}
console.log(table(results))
console.log(`\n${process.version}, ${ROUNDS} rounds, medians of CPU time; ratio = product / anchor.`)
await close()
process.exit(results.some(({ row, ratio }) => ratio > row.gate) ? 1 : 0)
