/** Search on the edge runtime. */
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { searchSuite } from './portable.ts'

searchSuite(createMemoryFs)
