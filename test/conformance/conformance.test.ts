/**
 * The official conformance suite, over the product's own HTTP transport: both sets of requirements on a fixture that has what the
 * suite calls, and what applies to any server on `filewright mcp --http` itself. The suite can send no token: a proxy adds it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenMcp, type McpListener } from '../../src/cli/mcp_listener.ts'
import { type RunningServer, startServer } from '../cli/mcp_server.ts'
import { createFixture } from './fixture.ts'
import { expectedFailures, requirements, runRequirements } from './suite.ts'
import { startTokenProxy, type TokenProxy } from './token_proxy.ts'

const TOKEN = 'the-token-of-the-conformance-tests-is-long-enough'
const REVISIONS = ['2025-11-25', '2026-07-28']
/** The suite waits a lot, and machines are slow. */
const LONG = 240_000

/** Runs a set of requirements; throws for what fails and is not in the file, and for what is in the file and does not fail. */
async function expectRequirements(url: string, revision: string, file: string): Promise<void> {
  const listed = new Set(expectedFailures(file))
  const names = (failure: string): readonly string[] => [failure, failure.replace(/:.*/, '')]
  const run = await runRequirements(url, revision, (failure) => names(failure).some((name) => listed.has(name)))
  const { scored, others } = requirements(revision)
  expect([...run.scenarios].sort()).toEqual([...scored, ...others].sort())
  expect(run.failures.filter((failure) => !names(failure).some((name) => listed.has(name)))).toEqual([])
  const expected = [...listed].filter((name) => run.scenarios.includes(name.replace(/:.*/, '')))
  expect(expected.filter((name) => !run.failures.some((failure) => names(failure).includes(name)))).toEqual([])
}

describe('a fixture on our transport', () => {
  let listener: McpListener
  let proxy: TokenProxy
  beforeAll(async () => {
    proxy = await startTokenProxy(() => listener.url, TOKEN)
    const place = { host: '127.0.0.1', port: 0, token: TOKEN, names: [proxy.host] }
    listener = await listenMcp(
      createFixture(() => listener.notify),
      place,
    )
  })
  afterAll(async () => {
    await listener.close()
    await proxy.close()
  })

  test.each(REVISIONS)('meets the requirements of %s', { timeout: LONG }, async (revision) => {
    await expectRequirements(proxy.url, revision, 'fixture_failures.yml')
  })

  test('is expected to fail nothing that is scored', () => {
    const scored = REVISIONS.flatMap((revision) => requirements(revision).scored)
    expect(expectedFailures('fixture_failures.yml').filter((name) => scored.includes(name))).toEqual([])
  })
})

describe('the product', () => {
  let server: RunningServer
  let proxy: TokenProxy
  beforeAll(async () => {
    proxy = await startTokenProxy(() => server.url, TOKEN)
    const seed = ['--fs', 'memory', '--seed', import.meta.dirname]
    server = await startServer([...seed, '--http-hosts', proxy.host], { FILEWRIGHT_TOKEN: TOKEN })
  }, LONG)
  afterAll(async () => {
    await server.stop('SIGTERM')
    await proxy.close()
  })

  test.each(REVISIONS)('meets what of %s is not about the fixture', { timeout: LONG }, async (revision) => {
    await expectRequirements(proxy.url, revision, 'product_failures.yml')
  })
})
