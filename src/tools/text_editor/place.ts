/** Where the two tools of the `text-editor` profile work: in the whole workspace, or in its `/memories`. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { isWithin, type Path } from '../../core/path.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { ResolveOptions, View } from '../../core/view.ts'
import { text } from '../arguments.ts'
import type { Target } from '../tool.ts'

/** A place, and how its tool speaks. */
export interface Place {
  readonly name: 'workspace' | 'memories'
  /** What is resolved for a path as the caller wrote it. Throws `outside_root`. */
  pathOf(given: string, field: string): string
  /** Resolves a caller's path; `given` stays as it was written. Throws `outside_root`, and what resolving throws. */
  resolve(view: View, given: string, options: ResolveOptions & { readonly field: string }): Promise<Resolved>
}

/** The whole workspace. */
export const WORKSPACE: Place = {
  name: 'workspace',
  pathOf: (given) => given,
  resolve: (view, given, options) => view.resolve(given, options),
}

const ROOT = '/memories'
const AREA = 'memories' as Path

/** `/memories`, and nothing outside of it: neither by `..` nor by links. It need not be there. */
export const MEMORIES: Place = {
  name: 'memories',
  pathOf(given, field) {
    // A folder on disk has absolute paths of its own: below its root, this is the directory of that name.
    if (given === ROOT || given.startsWith(`${ROOT}/`)) return given.slice(1)
    throw outside(given, field)
  },
  async resolve(view, given, options) {
    const resolved = await view.resolve(MEMORIES.pathOf(given, options.field), { ...options, as: given })
    if (!isWithin(resolved.path, AREA)) throw outside(given, options.field)
    return resolved
  },
}

/** Whether a resolved path is `/memories` itself. */
export function isMemoriesRoot({ path }: Resolved): boolean {
  return path === AREA
}

function outside(given: string, field: string): FilewrightError {
  return new FilewrightError('outside_root', `Path must start with ${ROOT} and stay in it, got: ${given}`, { field })
}

/** The path argument of most commands. */
export const editedPath: z.ZodString = text('The file or directory.')

/** The target of a command that changes a file. */
export function changeTarget(place: Place, use: Target['use'] = 'change'): (args: { readonly path: string }) => readonly Target[] {
  return ({ path }) => [{ path: place.pathOf(path, 'path'), as: path, field: 'path', use }]
}

/** What the commands answer: one text, written for a model. */
export const said: z.ZodObject<{ readonly text: z.ZodString }> = z.object({ text: z.string() })

/** The text block of that. */
function saidText({ text }: { readonly text: string }): string {
  return text
}

/** What all of them have in common. */
export const saying: {
  readonly output: typeof said
  readonly failed: () => Record<never, never>
  readonly text: typeof saidText
} = { output: said, failed: () => ({}), text: saidText }
