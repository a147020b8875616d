/** Search in a browser, which has no Buffer. */
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { createWasmHasher } from '../../../src/fs/wasm_hasher.ts'
import { searchSuite } from './portable.ts'

const hasher = await createWasmHasher()

searchSuite(() => createMemoryFs({ hasher }))
