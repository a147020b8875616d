/** What is stored at a path, said so that a change can expect it. */
import type { Expect } from '../core/change.ts'
import type { Entry } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import { hashReader } from '../core/read.ts'
import type { View } from '../core/view.ts'

/** The cheapest statement of what a file or link is: no content is read when the storage has a hash or a version of it. */
export async function expectationOf(view: View, entry: Entry): Promise<Expect> {
  if (entry.kind === 'directory') return 'directory'
  if (entry.kind === 'link') return { link: await linkText(view, entry) }
  // What is staged has a version that no storage knows, but its hash.
  if (entry.hash === null && entry.version !== null) return { version: entry.version }
  return { hash: await hashOf(view, entry) }
}

/** SHA-256 of a file; read only when the storage does not know it. */
export async function hashOf(view: View, entry: Entry): Promise<Hash> {
  if (entry.hash !== null) return entry.hash
  const reader = await view.open(entry.path)
  try {
    return reader.entry.hash ?? (await hashReader(view.hasher, reader))
  } finally {
    await reader.close()
  }
}

/** Text of a link. */
export async function linkText(view: View, entry: Entry): Promise<string> {
  return entry.target ?? (await view.readLink(entry.path))
}
