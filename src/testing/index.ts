/**
 * `filewright/testing`: for tests of agents, and of storages.
 *
 * A repository in memory is what an agent works on; what it did is asked with matchers, as a diff, or by playing its calls again.
 * Nothing here needs a test runner or a disk; `filewright/testing/node` brings repositories and packages in from one.
 *
 * @example
 * ```ts
 * import { assertChanged, assertFile, finalDiff, repo } from 'filewright/testing'
 *
 * const workspace = await repo({ 'src/a.ts': 'export const a = 1\n' })
 * await workspace.call('edit', { path: 'src/a.ts', old: '1', new: '2' })
 * await assertFile(workspace, 'src/a.ts', 'export const a = 2\n')
 * await assertChanged(workspace, ['src/a.ts'])
 * console.log(await finalDiff(workspace))
 * ```
 *
 * @module
 */

export { Difference } from './assert.ts'
export { type TestClock, testClock, testIds } from './clock.ts'
export {
  type ConformanceCase,
  type ConformanceOptions,
  conformanceCases,
  registerConformance,
  type TestRunner,
} from './conformance.ts'
export {
  type Agent,
  type AgentRun,
  type EvaluationOptions,
  type EvaluationResult,
  type EvaluationTask,
  evaluate,
  evaluationTable,
  scriptedAgent,
} from './evaluation.ts'
export {
  type DelayedCall,
  type FailingCall,
  type Fault,
  type FileSystemMethod,
  type InterferedCall,
  withFaults,
} from './faults.ts'
export { type FinalChange, type FixtureFile, type FixtureFiles, finalChanges, finalDiff, overlay } from './fixture.ts'
export { type AllowedDifference, LEDGER } from './ledger.ts'
export {
  assertChanged,
  assertFile,
  assertNoFile,
  assertPatch,
  assertUnchanged,
  matchers,
  type WorkspaceMatchers,
} from './matchers.ts'
export { type RepoOptions, repo } from './repo.ts'
export { type ExpectedOutcome, playScript, type Recording, recordScript, type Script, type ScriptStep } from './script.ts'
export type { ConformancePlace, ConformanceSubject } from './subject.ts'
export type { ExpectedContent, Verdict } from './verdicts.ts'
