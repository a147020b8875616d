#!/usr/bin/env node
/** The `filewright` command: runs it, and turns its end into an exit status. */
import { CommanderError } from 'commander'
import { ERRORS, FilewrightError, toFilewrightError } from '../core/errors.ts'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'

const USAGE_ERROR = 2

async function main(args: readonly string[]): Promise<number> {
  let status = 0
  const json = args.includes('--json')
  const program = createProgram((ended) => {
    status = ended
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      if (json) createOutput({ json }).fail(new FilewrightError('invalid_argument', error.message))
      return USAGE_ERROR
    }
    const failure = toFilewrightError(error)
    createOutput({ json }).fail(failure)
    if (process.env.FILEWRIGHT_DEBUG) console.error(error)
    return ERRORS[failure.code].exit
  }
}

// A reader that goes away (`filewright log | head`) is no failure, and what the command does is finished all the same.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = ERRORS.io_error.exit
  })
}
const status = await main(process.argv.slice(2))
// Standard input may still be open, and would keep the process alive; what was printed must be out before it ends.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise<void>((done) => stream.write('', () => done()))))
process.exit(process.exitCode ?? status)
