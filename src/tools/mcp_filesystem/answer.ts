/** What the tools of the `mcp-filesystem` profile answer: one text, and nothing beside it. */
import { z } from 'zod'

/** The result of each of them. */
export const answer: z.ZodObject<{ readonly content: z.ZodString }> = z.object({ content: z.string() })

/** Their text block. */
export function answerText({ content }: { readonly content: string }): string {
  return content
}
