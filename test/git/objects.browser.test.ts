/** Git's objects in Chromium. */
import { describe, it } from 'vitest'
import { createBrowserGitPlatform } from '../../src/git/browser_platform.ts'
import { registerObjects } from './objects_suite.ts'

registerObjects('browser', createBrowserGitPlatform, { describe, it })
