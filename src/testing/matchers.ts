/** Matchers for vitest and others with `expect.extend`, and the same as functions that throw, for `node:test` and all else. */
import type { Workspace } from '../workspace/workspace.ts'
import { Difference } from './assert.ts'
import { changedVerdict, type ExpectedContent, fileVerdict, patchVerdict, type Verdict } from './verdicts.ts'

/** What `expect(workspace)` can be asked with {@link matchers}; each answers with a promise. */
export interface WorkspaceMatchers<Result = Promise<void>> {
  /** There is such a file, with this content: exactly, or by a pattern, or as a function says. */
  toHaveFile(path: string, content?: ExpectedContent): Result
  /** This path was changed since the test began; of a list: these and no others; without one: anything. */
  toHaveChanged(paths?: string | readonly string[]): Result
  /** The files are what a unified diff makes of those that the test began with, and nothing else is changed. */
  toMatchPatch(patch: string): Result
}

/** For `expect.extend(matchers)`. `filewright/testing/vitest` does that, and tells TypeScript. */
export const matchers: {
  readonly toHaveFile: (workspace: Workspace, path: string, content?: ExpectedContent) => Promise<Verdict>
  readonly toHaveChanged: (workspace: Workspace, paths?: string | readonly string[]) => Promise<Verdict>
  readonly toMatchPatch: (workspace: Workspace, patch: string) => Promise<Verdict>
} = { toHaveFile: fileVerdict, toHaveChanged: changedVerdict, toMatchPatch: patchVerdict }

/** As the matcher `toHaveFile`. Throws {@link Difference} with the reason. */
export async function assertFile(workspace: Workspace, path: string, content?: ExpectedContent): Promise<void> {
  demand(await fileVerdict(workspace, path, content))
}

/** There is nothing at a path. Throws {@link Difference}. */
export async function assertNoFile(workspace: Workspace, path: string): Promise<void> {
  const verdict = await fileVerdict(workspace, path)
  demand({ ...verdict, pass: !verdict.pass })
}

/** As the matcher `toHaveChanged`. Throws {@link Difference} with the reason. */
export async function assertChanged(workspace: Workspace, paths?: string | readonly string[]): Promise<void> {
  demand(await changedVerdict(workspace, paths))
}

/** Nothing differs from what the test began with. Throws {@link Difference} with the diff. */
export async function assertUnchanged(workspace: Workspace): Promise<void> {
  demand(await changedVerdict(workspace, []))
}

/** As the matcher `toMatchPatch`. Throws {@link Difference} with the reason. */
export async function assertPatch(workspace: Workspace, patch: string): Promise<void> {
  demand(await patchVerdict(workspace, patch))
}

/** Test runners that know of `actual` and `expected` show them. */
function demand({ pass, message, actual, expected }: Verdict): void {
  if (!pass) throw Object.assign(new Difference(message()), { actual, expected })
}
