/** Measuring: anchor and product in turn, what each costs, and the ratio of each pair of rounds. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** One thing that is measured: how many seconds (or bytes) a run takes. */
export type Run = () => Promise<number> | number

/** What rows are measured in, with what a second or a byte counts there. */
const UNITS = { 'CPU ms': 1000, ms: 1000, MB: 1e-6 } as const

/** A row of the table. */
export interface Row {
  /** Number in the list of targets. */
  readonly number: string
  readonly name: string
  readonly anchorName: string
  /** Default: `CPU ms`. */
  readonly unit?: keyof typeof UNITS
  /** Highest ratio that is accepted; null where the row only informs. */
  readonly gate: number | null
  readonly anchor: Run
  readonly product: Run
  /** Throws unless both did the same work; called once both have run. */
  readonly check: () => Promise<void> | void
  /** Runs that are not counted, before the first round. Default: 3. */
  readonly warm?: number
}

/** A row that cannot be measured here, and why. */
export interface LeftOut {
  readonly number: string
  readonly name: string
  readonly leftOut: string
}

/** What came out. */
export interface Measured {
  readonly row: Row
  readonly anchor: number
  readonly product: number
  /** Product by anchor of each round, sorted. Both meet the same noise, so their middle is steadier than that of the times. */
  readonly ratios: readonly number[]
}

/**
 * CPU seconds (user and system) of a command and its children; its output goes to a file, since some programs stop early for
 * /dev/null. Throws when it fails.
 */
export function command(line: string, output: string): Run {
  return () => {
    const { stderr, status } = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time { ${line}; } > ${output}`], { encoding: 'utf8' })
    const times = /([\d.]+) ([\d.]+)\s*$/.exec(stderr)
    if (!times || status !== 0) throw new Error(`${line}: ${stderr}`)
    return Number(times[1]) + Number(times[2])
  }
}

/** Whether a program is on this machine. */
export function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

/** CPU seconds of work in this process, with all its threads, done `times` times over. */
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

/** The most memory that this process had, in bytes. What the system tells of a process began as that of its parent. */
export function peakMemory(): number {
  const peak = existsSync('/proc/self/status') && /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return (peak ? Number(peak) : process.resourceUsage().maxRSS) * 1024
}

/** Seconds that pass while work is done. */
export async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

/** Measures one row: `rounds` of anchor and product in turn. */
export async function measure(row: Row, rounds: number): Promise<Measured> {
  for (let i = 0; i < (row.warm ?? 3); i++) await row.product()
  await row.anchor()
  await row.check()
  const anchor: number[] = []
  const product: number[] = []
  for (let i = 0; i < rounds; i++) {
    anchor.push(await row.anchor())
    product.push(await row.product())
  }
  const ratios = product.map((seconds, round) => seconds / (anchor[round] as number)).sort((a, b) => a - b)
  return { row, anchor: median(anchor), product: median(product), ratios }
}

/** Whether a row's middle ratio is within its gate. */
export function holds({ row, ratios }: Measured): boolean {
  return row.gate === null || median(ratios) <= row.gate
}

/** Throws unless product and anchor came to the same. */
export function mustAgree(what: string, product: unknown, anchor: unknown): void {
  if (product !== anchor) throw new Error(`${what}: the product says ${product}, the anchor ${anchor}.`)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

/** The table as text; a row above its gate is marked. */
export function table(results: readonly (Measured | LeftOut)[]): string {
  const lines = results.map((measured) => {
    if ('leftOut' in measured) return `| ${measured.number} | ${measured.name} | | | | | | | left out: ${measured.leftOut} | |`
    const { row, ratios } = measured
    const shown = (value: number): string => figure(value * UNITS[row.unit ?? 'CPU ms'])
    const range = `${figure(ratios[0] as number)} to ${figure(ratios.at(-1) as number)}`
    const verdict =
      row.gate === null ? '| for information' : `≤ ${Number(row.gate.toFixed(3))} | ${holds(measured) ? 'holds' : 'FALLS SHORT'}`
    return `| ${row.number} | ${row.name} | ${row.anchorName} | ${row.unit ?? 'CPU ms'} | ${shown(measured.anchor)} | ${shown(measured.product)} | ${figure(median(ratios))} | ${range} | ${verdict} |`
  })
  return [
    '| row | operation | anchor | unit | anchor | product | ratio | range | gate | |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(2)
}
