/** Repositories of tests in Chromium, with JavaScript's zlib and WebAssembly's hashes. */
import { createWasmHasher } from '../../src/fs/wasm_hasher.ts'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { registerRepo } from './repo_suite.ts'

registerRepo(async () => ({ hasher: await createWasmHasher(), platform: await createBrowserGitPlatform() }))
