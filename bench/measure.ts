/** Measuring: anchor and product in turn, CPU time of each, and the ratio of the medians. */
import { spawnSync } from 'node:child_process'

/** One thing that is measured: how many seconds of CPU a run takes. */
export type Run = () => Promise<number> | number

/** A row of the table. */
export interface Row {
  /** Number in the list of targets. */
  readonly number: string
  readonly name: string
  readonly anchorName: string
  /** Highest ratio that is accepted. */
  readonly gate: number
  readonly anchor: Run
  readonly product: Run
  /** Runs that are not counted, before the first round. */
  readonly warm?: number
}

/** What came out. */
export interface Measured {
  readonly row: Row
  readonly anchorSeconds: number
  readonly productSeconds: number
  readonly ratio: number
}

/** CPU seconds (user and system) of a command; its output goes to a file, since some programs stop early for /dev/null. */
export function command(line: string, output: string): Run {
  return () => {
    const { stderr, status } = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time ${line} > ${output}`], { encoding: 'utf8' })
    const times = /([\d.]+) ([\d.]+)\s*$/.exec(stderr)
    if (!times || status === null) throw new Error(`${line}: ${stderr}`)
    return Number(times[1]) + Number(times[2])
  }
}

/** CPU seconds of work in this process, done `times` times over. */
export function inProcess(work: () => Promise<unknown> | unknown, times = 1): Run {
  return async () => {
    const start = process.cpuUsage()
    for (let i = 0; i < times; i++) {
      const pending = work()
      if (pending instanceof Promise) await pending
    }
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1e6 / times
  }
}

/** Measures one row: `rounds` of anchor and product in turn. */
export async function measure(row: Row, rounds: number): Promise<Measured> {
  for (let i = 0; i < (row.warm ?? 3); i++) await row.product()
  await row.anchor()
  const anchor: number[] = []
  const product: number[] = []
  for (let i = 0; i < rounds; i++) {
    anchor.push(await row.anchor())
    product.push(await row.product())
  }
  const [anchorSeconds, productSeconds] = [median(anchor), median(product)]
  return { row, anchorSeconds, productSeconds, ratio: productSeconds / anchorSeconds }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

/** The table as text; a row above its gate is marked. */
export function table(results: readonly Measured[]): string {
  const lines = results.map(({ row, anchorSeconds, productSeconds, ratio }) => {
    const verdict = ratio <= row.gate ? 'holds' : 'FALLS SHORT'
    return `| ${row.number} | ${row.name} | ${row.anchorName} | ${milliseconds(anchorSeconds)} | ${milliseconds(productSeconds)} | ${figure(ratio)} | ≤ ${row.gate} | ${verdict} |`
  })
  return [
    '| row | operation | anchor | anchor CPU ms | product CPU ms | ratio | gate | |',
    '|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

function milliseconds(seconds: number): string {
  return figure(seconds * 1000)
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(2)
}
