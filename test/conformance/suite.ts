/** Runs the official conformance suite against an address, and reads what it found. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

const PACKAGE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance')
const SUITE = join(PACKAGE, 'dist/index.js')

/** What one run found. */
export interface SuiteRun {
  /** The scenarios that ran. */
  readonly scenarios: readonly string[]
  /** What failed, as `scenario:check`, sorted, each once. */
  readonly failures: readonly string[]
}

interface Check {
  readonly id: string
  readonly status: string
}

/** Runs it: a set of requirements, or one scenario, as its command line says. */
async function runSuite(url: string, ...args: readonly string[]): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-conformance-'))
  try {
    const child = spawn(process.execPath, [SUITE, 'server', '--url', url, '-o', folder, ...args], { stdio: 'ignore' })
    await new Promise((done, fail) => child.once('error', fail).once('exit', done))
    const scenarios: string[] = []
    const failures = new Set<string>()
    for (const name of readdirSync(folder).sort()) {
      const scenario = name.replace(/^server-/, '').replace(/-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9-]+Z$/, '')
      scenarios.push(scenario)
      const checks: Check[] = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))
      for (const check of checks) if (check.status === 'FAILURE') failures.add(`${scenario}:${check.id}`)
    }
    return { scenarios, failures: [...failures].sort() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs a set of requirements. What is not expected and failed is asked again, alone: the suite waits half a second for some answers,
 * which a busy machine does not always give. Both must fail for it to count.
 */
export async function runRequirements(url: string, revision: string, isExpected: (failure: string) => boolean): Promise<SuiteRun> {
  const run = await runSuite(url, '--requirements', revision)
  const doubtful = new Set(run.failures.filter((failure) => !isExpected(failure)).map((failure) => failure.replace(/:.*/, '')))
  const again: string[] = []
  for (const scenario of doubtful) {
    again.push(...(await runSuite(url, '--scenario', scenario, '--spec-version', revision)).failures)
  }
  return { ...run, failures: run.failures.filter((failure) => isExpected(failure) || again.includes(failure)) }
}

/** The server scenarios that count for a revision, and those that run beside them. */
export function requirements(revision: string): { readonly scored: readonly string[]; readonly others: readonly string[] } {
  const { server, not_scored: rest } = parse(readFileSync(join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8')) as {
    readonly server: readonly string[]
    readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[]
  }
  return { scored: server, others: rest.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario) }
}

/** A file of expected failures, in the suite's format. */
export function expectedFailures(file: string): readonly string[] {
  return (parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as { readonly server: readonly string[] }).server
}
