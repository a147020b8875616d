/** The memory adapter against the conformance suite, in workerd. */
import { describe, it } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { registerConformance } from '../../src/testing/index.ts'

registerConformance({ name: 'memory', persistent: false, create: () => ({ open: () => createMemoryFs() }) }, { describe, it })
