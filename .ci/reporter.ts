/** Prints the closing line of a test run: how many tests passed, failed and were skipped. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * A reporter to list last. A file that did not load, a failed hook and an error outside all tests count as one failure each,
 * so that a run which did not do its work never reads as passed.
 */
export function closingLine(): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
      const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
      for (const module of modules) {
        count.failed += module.errors().length
        for (const suite of module.children.allSuites()) count.failed += suite.errors().length
        for (const test of module.children.allTests()) count[test.result().state]++
      }
      const aside = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
      // After the other reporters' own summaries, whatever order they run in.
      process.once('exit', () => console.log(`${count.passed} passed, ${count.failed + count.pending} failed${aside}`))
    },
  }
}
