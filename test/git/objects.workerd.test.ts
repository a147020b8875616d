/** Git's objects in workerd. */
import { describe, it } from 'vitest'
import { platformGit } from '../../src/git/host_platform.ts'
import { registerObjects } from './objects_suite.ts'

registerObjects('workerd', async () => platformGit(), { describe, it })
