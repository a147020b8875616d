/** What `filewright/testing` offers: the conformance suite for storages. */
export {
  type ConformanceCase,
  type ConformanceOptions,
  type ConformancePlace,
  type ConformanceSubject,
  conformanceCases,
  registerConformance,
  type TestRunner,
} from './conformance.ts'
export { type AllowedDifference, LEDGER } from './ledger.ts'
