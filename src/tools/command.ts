/** Commands as tools plan them, and what of their outcome is shown. */
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { RunEnd, RunOutput, RunRequest } from '../core/runner.ts'
import type { View } from '../core/view.ts'
import { splitShellWords } from '../text/shell_words.ts'
import { cutChars, decodeLossy } from '../text/utf8.ts'
import { requireDirectory } from './existing_directory.ts'

/** Bytes of each stream that are kept (F-75). */
const OUTPUT_BYTES = 1024 * 1024
const MAX_TIMEOUT = 3600

/** A time limit in seconds: fractions are allowed, more than an hour counts as one (settled detail 35). */
export const timeoutSeconds: z.ZodDefault<z.ZodNumber> = z
  .number('must be a number')
  .refine((seconds) => seconds > 0, 'must be more than 0')
  .overwrite((seconds) => Math.min(seconds, MAX_TIMEOUT))
  .describe(`Seconds after which it is ended, with all that it started. At most ${MAX_TIMEOUT}.`)
  .default(30)

/** What is to be run. */
export interface CommandLine {
  readonly command: string
  /** The directory to start in; default: the root. */
  readonly cwd?: string | undefined
  /** In seconds. */
  readonly timeout: number
}

/**
 * The request that a command line stands for: split into words, never given to a shell (F-70, F-71). Throws `invalid_argument` for one
 * without words, with an open quote or a NUL; `not_found`, `not_directory` and what resolving throws for the directory.
 */
export async function planCommand(view: View, { command, cwd = '.', timeout }: CommandLine): Promise<RunRequest> {
  if (command.includes('\0')) throw new FilewrightError('invalid_argument', 'command must not hold a NUL character.', { field: 'command' })
  const [program, ...rest] = splitShellWords(command)
  if (program === undefined) throw new FilewrightError('invalid_argument', 'command must not be blank.', { field: 'command' })
  const directory = await requireDirectory(view, cwd, 'cwd')
  return { argv: [program, ...rest], cwd: directory.path, timeoutMs: Math.ceil(timeout * 1000), outputBytes: OUTPUT_BYTES }
}

/** The exit status as one number: -N for the signal N, -1 when the time was up (F-73, F-75). */
export function exitCodeOf(end: RunEnd): number {
  if (end.reason === 'exited') return end.code
  return end.reason === 'signal' ? -end.signal : -1
}

/** A stream as text. */
export interface ShownOutput {
  /** Bytes that are no UTF-8 stand as U+FFFD. */
  readonly text: string
  readonly cut: boolean
}

/** The first characters of a stream, at most so many. */
export function showOutput({ bytes, cut }: RunOutput, mostCharacters: number): ShownOutput {
  const end = cutChars(bytes, mostCharacters)
  return { text: decodeLossy(bytes.subarray(0, end)).text, cut: cut || end < bytes.length }
}
