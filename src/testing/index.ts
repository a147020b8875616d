/** What `filewright/testing` offers: the conformance suite for storages, and a storage that fails on demand. */

export { Difference } from './assert.ts'
export {
  type ConformanceCase,
  type ConformanceOptions,
  conformanceCases,
  registerConformance,
  type TestRunner,
} from './conformance.ts'
export { type Fault, type FileSystemMethod, withFaults } from './faults.ts'
export { type AllowedDifference, LEDGER } from './ledger.ts'
export type { ConformancePlace, ConformanceSubject } from './subject.ts'
