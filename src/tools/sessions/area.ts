/** Where the `sessions` profile may write, and how it names files (S-2 to S-4). */
import type { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { isWithin, type Path } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { text } from '../arguments.ts'
import type { Target } from '../tool.ts'

/** The directory below the project root that is written to. */
const AREA = 'sessions' as Path

/** The argument that names a file in the area. */
export const sessionPath: z.ZodString = text('The file, relative to the project root; it must lie inside sessions/.')

/** The file that a call changes. */
export function sessionTarget({ path }: { readonly path: string }): readonly Target[] {
  return [{ path, field: 'path', use: 'change' }]
}

/** Resolves a file to be written: its real place must be inside the area. Throws `outside_root`, and what resolving throws. */
export async function resolveSession(view: View, path: string): Promise<Resolved> {
  const target = await view.resolve(path)
  if (target.path !== AREA && isWithin(target.path, AREA)) return target
  throw new FilewrightError('outside_root', `${path} must be inside ${AREA}/.`, { field: 'path' })
}

/** A path as answers tell it: relative to the project root. */
export function shownPath({ path }: { readonly path: Path }): string {
  return path === '' ? '.' : path
}
