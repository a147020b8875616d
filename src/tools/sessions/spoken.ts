/** What the tools of the `sessions` profile answer: one text, written for whoever reads it (S-1). */
import { z } from 'zod'

/** The result of each of them. */
export const spoken: z.ZodObject<{ readonly text: z.ZodString }> = z.object({ text: z.string() })

/** Their text block. */
export function spokenText({ text }: { readonly text: string }): string {
  return text
}
