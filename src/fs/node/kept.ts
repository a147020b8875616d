/** What history holds of contents: looking through it, and letting go of some. */

import { attempt } from '../../core/errno.ts'
import type { KeptContent } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { CommitParts } from './commit_parts.ts'
import type { Committer } from './committer.ts'
import { inDir } from './handles.ts'
import { HASH } from './held.ts'
import { syncDirectory } from './steps.ts'
import { createTurns } from './turns.ts'

const PAGE = 1024
const SHOWN = 'History'

/** See `FileSystem.contents`. What is forgotten meanwhile is left out. */
export async function* keptContents({ root, store }: CommitParts): AsyncGenerator<KeptContent[]> {
  const open = store()
  if (!open) return
  const turns = createTurns()
  let page: KeptContent[] = []
  for (const { name } of attempt(SHOWN, () => root.sys.list(open.objects.self))) {
    if (!HASH.test(name)) continue
    const stats = attempt(SHOWN, () => root.sys.lstat(inDir(open.objects, name)))
    if (stats) page.push({ hash: name as Hash, size: stats.size })
    if (page.length < PAGE) continue
    yield page
    page = []
    if (turns.due()) await turns.next()
  }
  if (page.length > 0) yield page
}

/** See `FileSystem.forget`. Each content goes as a whole, so there is nothing to recover. */
export function forgetContents({ root, durable }: CommitParts, committer: Committer, hashes: readonly Hash[]): Promise<number> {
  return committer.inTurn(async (session) => {
    const store = await session.store()
    if (!store) return 0
    const turns = createTurns()
    let freed = 0
    for (const hash of hashes) {
      if (!HASH.test(hash)) continue
      const at = inDir(store.objects, hash)
      attempt(SHOWN, () => {
        const stats = root.sys.lstat(at)
        if (!stats) return
        root.sys.unlink(at)
        freed += stats.size
      })
      if (turns.due()) await turns.next()
    }
    if (durable && freed > 0) await syncDirectory(root, store.objects)
    return freed
  })
}
