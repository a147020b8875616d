/** What the changing tools of the `native` profile have in common: their options, the version that is replaced, the new one. */
import { z } from 'zod'
import type { Content } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { Resolved } from '../../core/resolve.ts'
import { boolean, sha256 } from '../arguments.ts'
import { planBackup, receiptOf, requireWritable } from '../guarded.ts'
import type { Receipt, ToolContext } from '../tool.ts'

/** The options of a change. */
export const changingShape: {
  readonly sha256: z.ZodOptional<z.ZodString>
  readonly dry_run: z.ZodDefault<z.ZodBoolean>
  readonly allow_ignored: z.ZodOptional<z.ZodBoolean>
  readonly allow_sensitive: z.ZodOptional<z.ZodBoolean>
} = {
  sha256: sha256('Only if the file has this SHA-256.').optional(),
  dry_run: boolean('Change nothing, show what would.').default(false),
  allow_ignored: boolean('Also if ignored.').optional(),
  allow_sensitive: boolean('Also if secret.').optional(),
}

/** What is told of every change of a file. */
export const changedShape: {
  readonly changed: z.ZodBoolean
  readonly lines: z.ZodOptional<z.ZodInt>
  readonly verified: z.ZodOptional<z.ZodBoolean>
  readonly diff: z.ZodOptional<z.ZodString>
  readonly summary: z.ZodString
} = {
  changed: z.boolean().describe('In a dry run: would change.'),
  lines: z.int().optional(),
  verified: z.boolean().optional(),
  diff: z.string().optional(),
  summary: z.string(),
}

/** Refuses when the file is not the version that the caller knows. Throws `stale_expected_sha256`. */
export function requireVersion({ given }: Resolved, current: Hash | null, wanted: string | undefined): void {
  if (wanted === undefined || wanted === current) return
  const what = current === null ? 'does not exist' : `has the SHA-256 ${current} now`
  throw new FilewrightError('stale_expected_sha256', `${given} ${what}, not the one given; nothing was changed.`, {
    field: 'sha256',
    details: { sha256: current },
  })
}

/** A staged replacement of a whole file. */
export interface Replacement {
  readonly changed: boolean
  readonly content: Content
  /** Whether the file was read again after the commit and holds the new content. */
  verified(receipt: Receipt): boolean
}

/** A line about what was done; it must not be believed when the file was read again and holds something else. */
export function doneText(summary: string, verified: boolean | undefined): string {
  return verified === false ? `${summary} But read again, it does not hold what was intended.` : summary
}

/** Stages new content, unless the file holds it already; what it replaces is kept as a backup. Throws `permission_denied`. */
export async function replaceContent(
  context: ToolContext,
  target: Resolved,
  current: Hash | null,
  bytes: Uint8Array,
  operation: string,
): Promise<Replacement> {
  const { view } = context
  const content = await view.content(bytes)
  const changed = content.hash !== current
  if (changed && current !== null) {
    await requireWritable(view, target)
    const { keep } = await planBackup(context, { dry_run: false }, target, operation)
    view.write(target, content, { expect: { hash: current }, keep })
  } else if (changed) view.write(target, content, { expect: 'absent' })
  return { changed, content, verified: (receipt) => receiptOf(receipt, target.path)?.verified ?? false }
}
