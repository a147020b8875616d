/** The arguments that the `builtin` tools share: the sandbox of a call, and the path in it (B-2, B-3). */
import type { z } from 'zod'
import { text } from '../arguments.ts'
import type { Target } from '../tool.ts'

/** The argument that narrows the workspace. */
export const sandboxRoot: z.ZodOptional<z.ZodString> = text(
  'A directory that this call is confined to; default: the whole root.',
).optional()

/** The argument that names a file. */
export const filePath: z.ZodString = text('The file.')

/** The argument that names an encoding. */
export const encodingName: z.ZodDefault<z.ZodString> = text(
  'utf-8, utf-8-sig, ascii, latin-1, cp1252, utf-16, utf-16-le or utf-16-be; for reading also what the platform knows.',
).default('utf-8')

/** Where a call takes place. */
export function sandboxOf({ sandbox_root = '.' }: { readonly sandbox_root?: string | undefined }): Omit<Target, 'use'> {
  return { path: sandbox_root, field: 'sandbox_root' }
}

/** The path that a call names. */
export function targetsOf(use: Target['use']): (args: { readonly path: string }) => readonly Target[] {
  return ({ path }) => [{ path, field: 'path', use }]
}
