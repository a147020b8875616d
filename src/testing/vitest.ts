/** `import 'filewright/testing/vitest'`: the matchers for a workspace in vitest's `expect`, and in its types. */
import { expect } from 'vitest'
import { matchers, type WorkspaceMatchers } from './matchers.ts'

expect.extend(matchers)

declare module 'vitest' {
  interface Matchers<R, T> extends WorkspaceMatchers {}
}
