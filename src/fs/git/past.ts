/** History as a whole: giving up contents, and taking over another workspace. */
import { type NamedContents, verifyPast } from '../../core/adopt.ts'
import type { Change } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import type { JournalRecord } from '../../core/record.ts'
import type { Oid } from '../../core/repository.ts'
import { childrenOf } from '../../core/tree/nodes.ts'
import type { ObjectDatabase } from '../../git/objects.ts'
import { applyChanges, type Committing } from './commit.ts'
import { findKept, type Held } from './contents.ts'
import type { KeptChange } from './kept.ts'
import { loadDirectory, readTree } from './load.ts'
import type { State } from './state.ts'
import type { Store } from './store.ts'

/** History gives up contents. Answers how many bytes nothing in the workspace leads to any more. */
export async function forgetContents({ objects, staged }: Committing, store: Store, hashes: readonly Hash[]): Promise<number> {
  const kept = async (state: State): Promise<Map<Hash, Held>> => {
    const found = new Map<Hash, Held>()
    for (const hash of hashes) {
      const held = await findKept(objects, state.kept, hash)
      if (held) found.set(hash, held)
    }
    return found
  }
  if ((await kept(await store.latest())).size === 0) {
    await store.collect()
    return 0
  }
  const freed = await store.act(async (state, savings) => {
    const dropped = await kept(state)
    const { tree, facts } = state.root.stored
    const inFiles = await blobsIn(objects, [tree, facts], new Set([...dropped.values()].map(({ oid }) => oid)))
    let freed = 0
    for (const [hash, { oid, size }] of dropped) if (!inFiles.has(oid) && !(await staged.get(hash))) freed += size
    const changes = [...dropped.keys()].map((hash): KeptChange => [hash, null])
    return [{ kept: await state.kept.with(savings, changes) }, freed]
  })
  await store.collect()
  return freed
}

/** Takes over the files and the past of another workspace, as `FileSystem.adopt` says. */
export async function adoptPast(
  parts: Committing,
  store: Store,
  object: FileSystem['object'],
  changes: readonly Change[],
  records: readonly JournalRecord[],
): Promise<void> {
  await checkEmpty(parts.objects, await store.latest())
  const named = await verifyPast({ hasher: parts.hasher, object }, records)
  const adopted = await store.act(async (state, savings) => {
    // Something may have been committed in the meantime.
    await checkEmpty(parts.objects, state)
    const { root } = await applyChanges(parts, state, savings, changes)
    const taken = await stagedOf(parts, named)
    const kept = await state.kept.with(savings, taken)
    return [{ root, kept, journal: await state.journal.with(savings, records) }, taken]
  })
  for (const [hash] of adopted) parts.staged.used(hash)
}

async function stagedOf({ staged }: Committing, { files, changes }: NamedContents): Promise<KeptChange[]> {
  const taken: KeptChange[] = []
  for (const hash of [...files, ...changes]) {
    const held = await staged.get(hash)
    if (held) taken.push([hash, held.oid])
  }
  return taken
}

async function checkEmpty(objects: ObjectDatabase, { root, journal }: State): Promise<void> {
  await loadDirectory(objects, root)
  if (childrenOf(root).size === 0 && journal.head().sequence === 0) return
  throw new FilewrightError('already_exists', 'Only an empty workspace can take over another one.')
}

/** Those of the wanted blobs that are somewhere in the trees. */
async function blobsIn(objects: ObjectDatabase, trees: readonly (Oid | null | undefined)[], wanted: ReadonlySet<Oid>): Promise<Set<Oid>> {
  const found = new Set<Oid>()
  // Grows while it is walked.
  const seen = new Set(trees)
  for (const tree of seen) {
    for (const { mode, oid } of await readTree(objects, tree ?? null)) {
      if (mode === '040000') seen.add(oid)
      else if (wanted.has(oid)) found.add(oid)
    }
  }
  return found
}
