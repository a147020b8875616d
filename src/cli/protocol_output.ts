/** Standard output for protocol alone: whatever else is written to it goes to standard error. */
import type { ProtocolOutput } from './stdio_transport.ts'

/**
 * Takes standard output from everybody else, as long as `work` runs: `console.log` of a library, or a write to `process.stdout`, would
 * break the protocol for good.
 */
export async function withProtocolOutput<Result>(work: (output: ProtocolOutput) => Promise<Result>): Promise<Result> {
  const { stdout, stderr } = process
  const { write } = stdout
  const diverted: typeof write = (...parts: Parameters<typeof write>) => stderr.write(...parts)
  stdout.write = diverted
  try {
    return await work({
      write: (text, done) => write.call(stdout, text, done),
      on: (event, listener) => stdout.on(event, listener),
    })
  } finally {
    stdout.write = write
  }
}
