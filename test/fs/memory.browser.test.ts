/** The memory adapter against the conformance suite, in Chromium with the WebAssembly hasher. */
import { describe, it } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createWasmHasher } from '../../src/fs/wasm_hasher.ts'
import { registerConformance } from '../../src/testing/index.ts'

const hasher = await createWasmHasher()

registerConformance({ name: 'memory', persistent: false, create: () => ({ open: () => createMemoryFs({ hasher }) }) }, { describe, it })
