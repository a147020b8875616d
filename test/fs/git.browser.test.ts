/** The git adapter against the conformance suite, in Chromium: SHA-256, SHA-1 and zlib come with the package. */
import { describe, it } from 'vitest'
import { createGitFs } from '../../src/fs/git.ts'
import { createWasmHasher } from '../../src/fs/wasm_hasher.ts'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { initGitDirectory } from '../../src/git/open.ts'
import { registerConformance } from '../../src/testing/index.ts'

const [hasher, platform] = [await createWasmHasher(), await createBrowserGitPlatform()]

registerConformance(
  {
    name: 'git in a browser',
    persistent: false,
    create: () => ({ open: async () => createGitFs({ git: await initGitDirectory(createMemoryGitFiles(), { platform }), hasher }) }),
  },
  { describe, it },
)
