/** What copying and moving have in common: two ends, and what may stand at the second. */
import type { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import { comparedPath, isWithin } from '../core/path.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { boolean, text } from './arguments.ts'
import { type Guarded, guardedShape, requireWritable } from './guarded.ts'
import type { Target } from './tool.ts'

/** The arguments of both. */
export const transferShape: typeof guardedShape & {
  readonly destination_path: z.ZodString
  readonly overwrite: z.ZodDefault<z.ZodBoolean>
  readonly create_dirs: z.ZodDefault<z.ZodBoolean>
} = {
  destination_path: text('Its new path: the final name, never a directory to put it into.'),
  overwrite: boolean('Replace a file that is there.').default(false),
  create_dirs: boolean('Create missing parent directories.').default(true),
  ...guardedShape,
}

/** The values of {@link transferShape}. */
export interface Transfer extends Guarded {
  readonly source_path: string
  readonly destination_path: string
  readonly overwrite: boolean
  readonly create_dirs: boolean
}

/** Something that is there. */
export type Present = Resolved & { readonly entry: Entry }

/** Both ends for the guards, with the folder for a backup when one is named. */
export function transferTargets(args: Transfer, source: Target['use'], destination: Target['use']): readonly Target[] {
  const ends: readonly Target[] = [
    { path: args.source_path, field: 'source_path', use: source },
    { path: args.destination_path, field: 'destination_path', use: destination },
  ]
  return args.backup_root === undefined ? ends : [...ends, { path: args.backup_root, field: 'backup_root', use: 'backups' }]
}

/** The source, once it is known to be there. Throws `not_found`, `not_regular`. */
export function requireSource(source: Resolved, field = 'source_path'): Present {
  const { entry, given } = source
  if (!entry) throw new FilewrightError('not_found', `${given} does not exist.`, { field })
  if (entry.kind === 'special') throw new FilewrightError('not_regular', `${given} is neither a file, a directory nor a link.`, { field })
  return { ...source, entry }
}

/** How two paths can lead to one file: by one name, by a name that differs in case only, or by two names of one content. */
export type Sameness = 'path' | 'case' | 'hard link'

/** Whether two paths are one file or directory, and how; null when they are not. */
export function samenessOf(view: View, a: Resolved, b: Resolved): Sameness | null {
  if (a.path === b.path) return 'path'
  if (comparedPath(a.path, view.traits) === comparedPath(b.path, view.traits)) return 'case'
  const { identity } = a.entry ?? {}
  return identity !== undefined && identity === b.entry?.identity ? 'hard link' : null
}

/**
 * Checks the second end: a free name, or a file that may be replaced; answers whether something is replaced. Throws
 * `invalid_argument` for a directory into itself, `is_directory`, `not_directory`, `not_regular` for what cannot be replaced,
 * `already_exists`, `not_found` for a missing parent, `permission_denied`.
 */
export async function requireDestination(view: View, source: Present, target: Resolved, args: Transfer): Promise<boolean> {
  const fail = (code: 'is_directory' | 'not_directory' | 'not_regular' | 'already_exists' | 'not_found', what: string): never => {
    throw new FilewrightError(code, `${target.given} ${what}`, { field: 'destination_path' })
  }
  const isTree = source.entry.kind === 'directory'
  if (isTree && isWithin(comparedPath(target.path, view.traits), comparedPath(source.path, view.traits))) {
    throw new FilewrightError('invalid_argument', `${target.given} is in ${source.given}: a directory cannot go into itself.`, {
      field: 'destination_path',
    })
  }
  const { entry } = target
  if (!entry) {
    if (target.directory && !isTree) fail('is_directory', 'names a directory: give the final name.')
    if (!args.create_dirs && target.missingParents.length > 0) fail('not_found', 'has no parent directory; pass create_dirs to create it.')
    return false
  }
  if (entry.kind === 'directory') {
    if (isTree) fail('already_exists', 'is a directory, and directories are neither merged nor replaced: choose another name.')
    fail('is_directory', 'is a directory: give the final name.')
  }
  if (isTree) fail('not_directory', 'is no directory, and a directory does not replace it: choose another name.')
  if (entry.kind === 'special') fail('not_regular', 'is neither a file nor a link.')
  if (!args.overwrite) fail('already_exists', 'exists. Pass overwrite to replace it, or choose another name.')
  if (entry.kind === 'file') await requireWritable(view, target)
  return true
}
