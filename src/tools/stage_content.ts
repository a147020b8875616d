/** Staging the whole content of a file, for tools that replace what is there without being asked. */
import type { Hash } from '../core/hash.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { requireWritable } from './guarded.ts'
import type { UnchangedFile } from './tool.ts'

/**
 * Stages a file's new content; nothing when it holds that already, which is what it answers then. What it replaces is kept for undo.
 * Throws `permission_denied` when the file may not be written, and what staging throws.
 */
export async function stageContent(
  view: View,
  target: Resolved,
  existing: { readonly hash: Hash } | null,
  bytes: Uint8Array,
): Promise<UnchangedFile | null> {
  const content = await view.content(bytes)
  const { hash, size } = content
  if (existing?.hash === hash) return { path: target.path, state: { kind: 'file', hash, size, mode: target.entry?.mode ?? 0 } }
  if (existing) await requireWritable(view, target)
  view.write(target, content, { expect: existing ? { hash: existing.hash } : 'absent' })
  return null
}
