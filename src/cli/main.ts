#!/usr/bin/env node
/** The `filewright` command as a process. */
import { ERRORS } from '../core/errors.ts'
import { runCommand } from './run.ts'

// A reader that goes away (`filewright log | head`) is no failure, and what the command does is finished all the same.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = ERRORS.io_error.exit
  })
}
const status = await runCommand(process.argv.slice(2), process)
// Standard input may still be open, and would keep the process alive; what was printed must be out before it ends.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise<void>((done) => stream.write('', () => done()))))
process.exit(process.exitCode ?? status)
