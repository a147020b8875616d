/** The constant is there, and the pattern does what was asked. */
import assert from 'node:assert/strict'

export async function check(workspace) {
  const { text } = await workspace.call('read', { path: 'src/v4/core/regexes.ts' })
  const [, source] = /^export const semver: RegExp = \/(.+)\/;$/m.exec(text) ?? []
  if (source === undefined) return 'There is no constant semver of the type RegExp.'
  const semver = new RegExp(source)
  for (const good of ['1.2.3', '0.0.0', '10.20.30']) assert.match(good, semver)
  for (const bad of ['1.2', '01.2.3', '1.2.3-beta', ' 1.2.3', '1.2.3.4']) assert.doesNotMatch(bad, semver)
}
