/** The host's zlib and SHA-1, in workerd. */
import { describe, it } from 'vitest'
import { platformGit } from '../../src/git/host_platform.ts'
import { registerPlatform } from './platform_suite.ts'

registerPlatform('host', async () => platformGit(), { describe, it })
