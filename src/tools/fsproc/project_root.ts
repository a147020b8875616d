/** The project root that calls of the `fsproc` profile name: a directory that narrows the workspace (F-2, F-6). */
import type { z } from 'zod'
import { text } from '../arguments.ts'
import type { Target } from '../tool.ts'

/** The argument that names the root. */
export const projectPath: z.ZodDefault<z.ZodString> = text('Project root: an existing directory of the workspace.').default('.')

/** The argument that names a file in it. */
export const projectFile: z.ZodString = text('The file, relative to path.')

/** Where a call takes place. */
export function projectRoot({ path }: { readonly path: string }): Omit<Target, 'use'> {
  return { path, field: 'path' }
}

/** The file that a call names. */
export function fileTarget({ file }: { readonly file: string }, use: Target['use']): readonly Target[] {
  return [{ path: file, field: 'file', use }]
}
