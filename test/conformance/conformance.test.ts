/**
 * The official conformance suite, over the product's own HTTP transport: both sets of requirements on a fixture that has what the
 * suite calls, and what applies to any server on `filewright mcp --http` itself. The suite can send no token: a proxy adds it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenMcp, type McpListener } from '../../src/cli/mcp_listener.ts'
import { type RunningServer, startServer } from '../cli/mcp_server.ts'
import { createFixture } from './fixture.ts'
import { expectedFailures, requirements, runSuite, type SuiteRun } from './suite.ts'
import { startTokenProxy, type TokenProxy } from './token_proxy.ts'

const TOKEN = 'the-token-of-the-conformance-tests-is-long-enough'
/** The suite waits a lot, and machines are slow. */
const LONG = 240_000

/** Fails with what was not expected, and with what was expected and did not happen. */
function expectFailures(run: SuiteRun, expected: readonly string[]): void {
  const names = (failure: string): readonly string[] => [failure, failure.replace(/:.*/, '')]
  expect(run.failures.filter((failure) => !names(failure).some((name) => expected.includes(name)))).toEqual([])
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

  test.concurrent.each(['2025-11-25', '2026-07-28'])('meets the requirements of %s', { timeout: LONG }, async (revision) => {
    const run = await runSuite(proxy.url, '--requirements', revision)
    const { scored, others } = requirements(revision)
    expect([...run.scenarios].sort()).toEqual([...scored, ...others].sort())
    expectFailures(
      run,
      expectedFailures('fixture_failures.yml').filter((name) => others.includes(name)),
    )
    expect(run.status).toBe(0)
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

  const expected = expectedFailures('product_failures.yml')
  test.each([
    ['2025-11-25', 'server-initialize'],
    ['2025-11-25', 'server-session-lifecycle'],
    ['2025-11-25', 'ping'],
    ['2025-11-25', 'tools-list'],
    ['2025-11-25', 'resources-list'],
    ['2025-11-25', 'server-sse-multiple-streams'],
    ['2025-11-25', 'dns-rebinding-protection'],
    ['2026-07-28', 'server-stateless'],
    ['2026-07-28', 'tools-list'],
    ['2026-07-28', 'resources-list'],
    ['2026-07-28', 'sep-2164-resource-not-found'],
    ['2026-07-28', 'caching'],
    ['2026-07-28', 'http-header-validation'],
    ['2026-07-28', 'dns-rebinding-protection'],
  ])('%s %s', { timeout: LONG }, async (revision, scenario) => {
    const run = await runSuite(proxy.url, '--scenario', scenario, '--spec-version', revision)
    expect(run.scenarios).toEqual([scenario])
    expectFailures(
      run,
      expected.filter((name) => name.startsWith(`${scenario}:`)),
    )
  })
})
