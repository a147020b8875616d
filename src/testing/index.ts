/** What `filewright/testing` offers: the conformance suite for storages. */
export {
  type ConformanceCase,
  type ConformanceOptions,
  conformanceCases,
  registerConformance,
  type TestRunner,
} from './conformance.ts'
export { type AllowedDifference, LEDGER } from './ledger.ts'
export type { ConformancePlace, ConformanceSubject } from './subject.ts'
