/** Staging the whole content of a file, for tools that replace what is there without being asked. */
import type { Hash } from '../core/hash.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { requireWritable } from './guarded.ts'

/**
 * Stages a file's new content; nothing when it holds that already. What it replaces is kept for undo. Throws `permission_denied`
 * when the file may not be written, and what staging throws.
 */
export async function stageContent(
  view: View,
  target: Resolved,
  existing: { readonly hash: Hash } | null,
  bytes: Uint8Array,
): Promise<void> {
  const content = await view.content(bytes)
  if (existing?.hash === content.hash) return
  if (existing) await requireWritable(view, target)
  view.write(target, content, { expect: existing ? { hash: existing.hash } : 'absent' })
}
