/** Paths as callers of the `mcp-filesystem` tools write them, and what such a path may not mean. */
import type { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { ResolveOptions, View } from '../../core/view.ts'
import { text } from '../arguments.ts'
import { throughLookAlikes } from './look_alikes.ts'

/** The argument that names a file. */
export const filePath: z.ZodString = text('The file: an absolute path in an allowed directory, or relative to the first of them.')

/** The argument that names a directory. */
export const directoryPath: z.ZodString = text(
  'The directory: an absolute path in an allowed directory, or relative to the first of them; "." is that one.',
)

/** A path of another system, which would become a strange name here. */
export const WINDOWS_PATH: RegExp = /^[A-Za-z]:(?:[\\/]|$)/

/** A path in somebody's home, which a shell would have put in its place. */
export const HOME_PATH: RegExp = /^~(?:\/|$)/

/**
 * Resolves a path. `C:\x` and `~/x` are `outside_root`: taken as names they would lead to a place that nobody meant (`./~/x` is one).
 * A name that is missing stands for one that looks the same. Throws what {@link throughLookAlikes} throws.
 */
export async function resolveGiven(view: View, given: string, options: ResolveOptions = {}): Promise<Resolved> {
  if (WINDOWS_PATH.test(given) || HOME_PATH.test(given)) throw new FilewrightError('outside_root', `${given} is outside the workspace.`)
  return throughLookAlikes(view, await view.resolve(given, options), options)
}

/** Something that is there. Throws `not_found`. */
export function requireEntry({ entry, given }: Resolved): Entry {
  if (!entry) throw new FilewrightError('not_found', `${given} does not exist.`)
  return entry
}

/** Resolves a directory. Throws `not_found`, `not_directory`, and what resolving throws. */
export async function resolveDirectory(view: View, given: string): Promise<Resolved> {
  const target = await resolveGiven(view, given)
  if (requireEntry(target).kind !== 'directory') throw new FilewrightError('not_directory', `${given} is not a directory.`)
  return target
}
