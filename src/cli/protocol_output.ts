/** Standard output for protocol alone: whatever else is written to it goes to standard error. */
import type { ProtocolOutput } from './stdio_transport.ts'

type Write = typeof process.stdout.write

/**
 * Takes standard output from everybody else, as long as `work` runs: `console.log` of a library, or a write to `process.stdout`, would
 * break the protocol for good.
 */
export async function withProtocolOutput<Result>(work: (output: ProtocolOutput) => Promise<Result>): Promise<Result> {
  const { stdout, stderr } = process
  const write: Write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  try {
    return await work({ write, on: (event, listener) => stdout.on(event, listener) })
  } finally {
    stdout.write = write
  }
}
