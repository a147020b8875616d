/** Repositories of tests in the edge runtime. */
import { registerRepo } from './repo_suite.ts'

registerRepo(async () => ({}))
