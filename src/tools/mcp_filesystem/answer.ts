/** What the tools of the `mcp-filesystem` profile answer: one text, and nothing beside it. */
import { z } from 'zod'

/** The result of each of them. */
const answer: z.ZodObject<{ readonly content: z.ZodString }> = z.object({ content: z.string() })

/** Their text block. */
function answerText({ content }: { readonly content: string }): string {
  return content
}

/** What all of them have in common. */
export const answering: {
  readonly output: typeof answer
  readonly failed: () => Record<never, never>
  readonly text: typeof answerText
} = { output: answer, failed: () => ({}), text: answerText }

/** What those have in common that read. */
export const reading: typeof answering & { readonly kind: 'read'; readonly idempotent: true; readonly destructive: false } = {
  ...answering,
  kind: 'read',
  idempotent: true,
  destructive: false,
}
