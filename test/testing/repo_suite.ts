/** Repositories in memory where there is no Node: the same commits and records as there. */
import { expect, it } from 'vitest'
import { assertChanged, assertPatch, playScript, type RepoOptions, recordScript, repo } from '../../src/testing/index.ts'

/** What a session comes to, found on Node. */
const BASE = 'ba1a26abf7ac5dd8b24c662791e1bf633d716655'
const HEAD = '8664596db9b07e3e6cb42a410f91f350e248ac612a07c69ad9bcc74fe2d4673e'

/** Registers the test for one host. */
export function registerRepo(options: () => Promise<RepoOptions>): void {
  it('has the same commits and records everywhere', async () => {
    const files = { 'src/a.ts': 'export const a = 1\n', 'bin/run': { text: '#!/bin/sh\n', mode: 0o755 }, link: { link: 'src/a.ts' } }
    const recording = recordScript(await repo(files, await options()))
    const { workspace } = recording
    expect((await workspace.fs.repository?.status())?.base).toBe(BASE)
    await workspace.call('edit', { path: 'src/a.ts', old: '1', new: '2' })
    await assertChanged(workspace, ['src/a.ts'])
    await assertPatch(workspace, '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-export const a = 1\n+export const a = 2\n')
    expect((await workspace.log())[0]?.record.hash).toBe(HEAD)
    await playScript(await repo(files, await options()), await recording.finish())
  })
}
