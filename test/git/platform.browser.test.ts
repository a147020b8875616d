/** Zlib and SHA-1 in Chromium. */
import { describe, it } from 'vitest'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { registerPlatform } from './platform_suite.ts'

registerPlatform('browser', createBrowserGitPlatform, { describe, it })
