/** The targets of the many tools that name one path. */
import type { Target } from './tool.ts'

/** The path that an argument `path` names. */
export function pathTarget(use: Target['use']): (args: { readonly path: string }) => readonly Target[] {
  return ({ path }) => [{ path, field: 'path', use }]
}
