/** The constant is there, and the pattern does what was asked. */
import { strict as assert } from 'node:assert'
import type { Workspace } from '../../../src/index.ts'

export async function check(workspace: Workspace): Promise<void> {
  const { text } = await workspace.call('read', { path: 'src/v4/core/regexes.ts' })
  const [, source] = /export const semver: RegExp = \/(.+)\/;/.exec(text) ?? []
  assert.ok(source, 'There is no constant semver of the type RegExp.')
  const semver = new RegExp(source)
  for (const good of ['1.2.3', '0.0.0', '10.20.30']) assert.match(good, semver)
  for (const bad of ['1.2', '01.2.3', '1.2.3-beta', ' 1.2.3', '1.2.3.4']) assert.doesNotMatch(bad, semver)
}
