/** Runs one command line to its exit status. */
import { CommanderError } from 'commander'
import { ERRORS, FilewrightError, toFilewrightError } from '../core/errors.ts'
import { createOutput, type Streams } from './output.ts'
import { createProgram } from './program.ts'

const USAGE_ERROR = 2

/** Runs a command; its arguments are those after the program's name. Never throws: a failure is told, and gives the status of its class. */
export async function runCommand(args: readonly string[], streams: Streams): Promise<number> {
  const output = createOutput(streams, args.includes('--json'))
  let status = 0
  const finish = (ended: number): void => {
    status = ended
  }
  const program = createProgram(output, streams, finish, args)
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      // On standard error the parser has said it already.
      if (output.json) output.fail(new FilewrightError('invalid_argument', error.message.replace(/^error: /, '')))
      return USAGE_ERROR
    }
    const failure = toFilewrightError(error)
    output.fail(failure)
    if (process.env.FILEWRIGHT_DEBUG) console.error(error)
    return ERRORS[failure.code].exit
  }
}
