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
import type { FileSystem, MaybePromise } from '../core/file_system.ts'
import { check, Difference, describeError } from './assert.ts'
import type { CaseContext, CaseTable, Sizes } from './cases/case.ts'
import { readingCases } from './cases/reading.ts'
import { scanningCases } from './cases/scanning.ts'
import { type AllowedDifference, LEDGER } from './ledger.ts'

/** One place that can hold a storage: a folder, a database, a Durable Object. */
export interface ConformancePlace {
  /** Opens what is there. Called again, after `close`, where the subject is persistent. */
  open(): MaybePromise<FileSystem>
  /** Clears the place away at the end of a case; what a failed case left open too. */
  remove?(): MaybePromise<void>
}

/** An adapter as the suite is run on it. */
export interface ConformanceSubject {
  /** Its name in the ledger. */
  readonly name: string
  /** Whether commits are there when the same place is opened again. */
  readonly persistent: boolean
  /** A new, empty place. Every case has its own. */
  create(): MaybePromise<ConformancePlace>
}

/** How much is done. Defaults are for a run of seconds. */
export interface ConformanceOptions extends Partial<Sizes> {
  /** Random command sequences; default 60. */
  readonly runs?: number
  /** Replays the sequences of a failure. */
  readonly seed?: number
  /** Together with `seed`: replays one sequence. */
  readonly path?: string
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

const TABLES: readonly CaseTable[] = [readingCases, scanningCases]

/** The cases for one adapter, with its allowed differences taken into account: a case that is listed must fail as the ledger says. */
export function conformanceCases(subject: ConformanceSubject, options: ConformanceOptions = {}): ConformanceCase[] {
  const allowed = (options.ledger ?? LEDGER).filter((entry) => entry.adapter === subject.name)
  const sizes = { ...SIZES, ...options }
  const cases = TABLES.flatMap((table) => Object.entries(table)).map(([name, body]) => ({
    name,
    run: () => onNewPlace(subject, sizes, body),
  }))
  const names = new Set(cases.map(({ name }) => name))
  return [
    ...cases.map(({ name, run }) => {
      const entries = allowed.filter((entry) => entry.case === name)
      return { name, run: entries.length === 0 ? run : () => failsAsAllowed(run, entries) }
    }),
    {
      name: 'ledger: every allowed difference names a case of this suite',
      async run() {
        for (const entry of allowed) check(names.has(entry.case), `the ledger names an unknown case: ${entry.case}`)
      },
    },
  ]
}

/** Registers the cases with a test runner. */
export function registerConformance(subject: ConformanceSubject, { describe, it }: TestRunner, options: ConformanceOptions = {}): void {
  describe(`FileSystem conformance: ${subject.name}`, () => {
    for (const { name, run } of conformanceCases(subject, options)) it(name, run, CASE_TIMEOUT_MS)
  })
}

/** Runs a case's body on a storage of its own. */
async function onNewPlace(subject: ConformanceSubject, sizes: Sizes, body: CaseTable[string]): Promise<void> {
  const place = await subject.create()
  let fs = await place.open()
  const context: CaseContext = {
    sizes,
    async reopen() {
      await fs.close()
      fs = await place.open()
      return fs
    },
  }
  try {
    await body(fs, context)
    await fs.close()
  } finally {
    await place.remove?.()
  }
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
