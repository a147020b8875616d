/** Globs as the tools of the `native` profile take them: one, or a list. */
import { z } from 'zod'

/** One glob or, although one is published, a list of them. */
export function globs(description: string): z.ZodPipe<z.ZodUnknown, z.ZodTransform<readonly string[], unknown>> {
  return z
    .unknown()
    .meta({ type: 'string', description })
    .transform((given, context) => {
      const list = Array.isArray(given) ? given : [given]
      if (list.every((glob) => typeof glob === 'string')) return list
      context.addIssue({ code: 'custom', message: 'must be a glob or a list of globs' })
      return z.NEVER
    })
}
