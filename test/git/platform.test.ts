/** The host's zlib and SHA-1, and those of browsers, on Node. */
import { describe, it } from 'vitest'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { platformGit } from '../../src/git/host_platform.ts'
import { registerPlatform } from './platform_suite.ts'

registerPlatform('host', async () => platformGit(), { describe, it })
registerPlatform('browser', createBrowserGitPlatform, { describe, it })
