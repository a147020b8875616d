/** Takes in what a remote sends: the pack, then a look at whether it is all there, then where history ends. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { GitProgress } from '../objects.ts'
import type { Remote } from './connect.ts'
import { fetchPack, type PackRequest } from './fetch_pack.ts'
import { openGraph } from './graph.ts'
import { newObjects } from './new_objects.ts'

/** What is known of the repository before. */
export interface ReceiveOptions {
  /** What references lead to already: it is complete. */
  readonly before: ReadonlySet<Oid>
  /** The server holds what it leaves out. */
  readonly promisor: boolean
  readonly onProgress: GitProgress | undefined
}

/**
 * Fetches a pack, and checks that everything its wants lead to is here. No reference moves; when something is wrong, what came is
 * garbage that nothing leads to. Answers how many objects came. Throws `corrupt` for a pack that lacks something.
 */
export async function receivePack(git: GitDirectory, remote: Remote, request: PackRequest, options: ReceiveOptions): Promise<number> {
  const { transport, capabilities } = remote
  const { limits, signal } = transport
  const { before, promisor, onProgress } = options
  const { pack, shallow, unshallow } = await fetchPack(transport, capabilities, request, onProgress)
  const count = await git.objects.addPack(pack, {
    promisor,
    maxBytes: limits.bytes,
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  })
  const ends = new Set(await git.shallow())
  for (const oid of shallow) ends.add(oid)
  for (const oid of unshallow) ends.delete(oid)
  for (const oid of request.wants) {
    if (!(await git.objects.has(oid)))
      throw new FilewrightError('corrupt', `The server left out ${oid}, which it offered.`, { details: { oid } })
  }
  // The commits that were ends before have parents now, and these must be here.
  const known = unshallow.length > 0 ? new Set<Oid>() : before
  await newObjects(git, {
    graph: openGraph(git, ends),
    tips: request.wants,
    except: known,
    promised: promisor,
    files: !promisor,
    limits,
    signal,
  })
  if (shallow.length > 0 || unshallow.length > 0) await writeShallow(git, ends)
  return count
}

/** Notes where history ends. An empty set removes the note. */
async function writeShallow(git: GitDirectory, ends: ReadonlySet<Oid>): Promise<void> {
  const text = [...ends].sort().map((oid) => `${oid}\n`)
  await git.files.update('shallow', () => (text.length === 0 ? null : new TextEncoder().encode(text.join(''))))
}
