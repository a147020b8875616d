/** How commands are added to the program. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Settings } from './settings.ts'

/** What a command's action receives once its flags are read. */
export interface Invocation {
  readonly settings: Settings
  /** The command's own flags. */
  readonly flags: { readonly [key: string]: unknown }
}

/** A command that is being added. */
export interface CommandBuilder {
  readonly command: Command
  run(action: (invocation: Invocation, ...positional: (string | undefined)[]) => Promise<number> | Promise<void>): void
}

/**
 * Adds a command whose action returns an exit status, or nothing for success. Of the operator's flags it has those in `settings`;
 * default all that are not another command's.
 */
export type AddCommand = (name: string, description: string, examples: readonly string[], settings?: readonly string[]) => CommandBuilder

/** Words of which the last ones can only be paths. */
export interface Words {
  readonly all: readonly string[]
  /** How many stand behind `--`; null when there is none. */
  readonly paths: number | null
}

/** The value of a flag as a number from 0 on. Throws what the parser tells as a usage error. */
export function nonNegativeInteger(text: string): number {
  return text === '0' ? 0 : positiveInteger(text)
}

/** The value of a flag as a number from 1 on. Throws what the parser tells as a usage error. */
export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number above 0.')
  return value
}
