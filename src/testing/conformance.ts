/**
 * The conformance suite of {@link FileSystem}: what every adapter must do, as cases that any test runner can run.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 * import { registerConformance } from 'filewright/testing'
 *
 * registerConformance({ name: 'mine', persistent: false, create: () => ({ open: () => createMyFs() }) }, { describe, it })
 * ```
 */
import { check, Difference, describeError } from './assert.ts'
import { adoptingCases } from './cases/adopting.ts'
import type { CaseContext, CaseTable, Sizes } from './cases/case.ts'
import { committingCases } from './cases/committing.ts'
import { copyingCases } from './cases/copying.ts'
import { expectingCases } from './cases/expecting.ts'
import { historyCases } from './cases/history.ts'
import { journalCases } from './cases/journal.ts'
import { namesCases } from './cases/names.ts'
import { notesCases } from './cases/notes.ts'
import { persistenceCases } from './cases/persistence.ts'
import { readingCases } from './cases/reading.ts'
import { scaleCases } from './cases/scale.ts'
import { scanningCases } from './cases/scanning.ts'
import { type CommandOptions, runCommands } from './commands.ts'
import { type AllowedDifference, LEDGER } from './ledger.ts'
import { type ConformanceSubject, onNewPlace } from './subject.ts'

/** How much is done. Defaults are for a run of seconds. */
export interface ConformanceOptions extends Partial<Sizes>, CommandOptions {
  /** Default: {@link LEDGER}. */
  readonly ledger?: readonly AllowedDifference[]
}

/** One case: a name that is unique in the suite, and what it does. It throws when the storage differs. */
export interface ConformanceCase {
  readonly name: string
  run(): Promise<void>
}

/** The two functions of a test runner that are needed; vitest, jest, mocha and `node:test` have them. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>, timeoutMs?: number): unknown
}

const SIZES: Sizes = { bigBytes: 5 * 1024 * 1024 + 123, files: 3000, commits: 300, changes: 3000 }
const CASE_TIMEOUT_MS = 120_000
const RUN_TIMEOUT_MS = 1000

const TABLES: readonly CaseTable[] = [
  readingCases,
  scanningCases,
  expectingCases,
  committingCases,
  copyingCases,
  journalCases,
  historyCases,
  adoptingCases,
  notesCases,
  namesCases,
  scaleCases,
]

/** The cases for one adapter, with its allowed differences taken into account: a case that is listed must fail as the ledger says. */
export function conformanceCases(subject: ConformanceSubject, options: ConformanceOptions = {}): ConformanceCase[] {
  const sizes = { ...SIZES, ...options }
  const withAnother: CaseContext['withAnother'] = (body) => onNewPlace(subject, ({ fs }) => body(fs))
  const tables = subject.persistent ? [...TABLES, persistenceCases] : TABLES
  const fixed = tables.flatMap((table) =>
    Object.entries(table).map(([name, body]) => ({
      name,
      run: () => onNewPlace(subject, ({ fs, reopen }) => body(fs, { sizes, reopen, withAnother })),
    })),
  )
  const property = { name: 'commands: random ones come to what the model says', run: () => runCommands(subject, options) }
  const allowed = (options.ledger ?? LEDGER).filter((entry) => entry.adapter === subject.name)
  const cases = [...fixed, property].map(({ name, run }) => {
    const entries = allowed.filter((entry) => entry.case === name)
    return { name, run: entries.length === 0 ? run : () => failsAsAllowed(run, entries) }
  })
  const names = new Set(cases.map(({ name }) => name))
  const ledgerIsTrue = async (): Promise<void> => {
    for (const entry of allowed) check(names.has(entry.case), `the ledger names an unknown case: ${entry.case}`)
  }
  return [...cases, { name: 'ledger: every allowed difference names a case of this suite', run: ledgerIsTrue }]
}

/** Registers the cases with a test runner. */
export function registerConformance(subject: ConformanceSubject, { describe, it }: TestRunner, options: ConformanceOptions = {}): void {
  describe(`FileSystem conformance: ${subject.name}`, () => {
    const timeoutMs = CASE_TIMEOUT_MS + (options.runs ?? 0) * RUN_TIMEOUT_MS
    for (const { name, run } of conformanceCases(subject, options)) it(name, run, timeoutMs)
  })
}

async function failsAsAllowed(run: () => Promise<void>, entries: readonly AllowedDifference[]): Promise<void> {
  const failure = await run().then(
    () => null,
    (error: unknown) => error,
  )
  if (failure === null) throw new Difference('an allowed difference does not occur any more: take it out of the ledger')
  const message = describeError(failure)
  if (!entries.some((entry) => message.includes(entry.failure))) throw failure
}
