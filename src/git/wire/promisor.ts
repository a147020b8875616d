/** Objects of a partial clone, fetched when they are asked for: those that are asked for at the same time by one request. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Oid } from '../../core/repository.ts'
import type { GitDirectory } from '../directory.ts'
import type { GitProgress, Promisor } from '../objects.ts'
import { hasFeature } from './capabilities.ts'
import { connectRemote, type Remote } from './connect.ts'
import { fetchPack } from './fetch_pack.ts'
import { promisorRemotes } from './remote_settings.ts'
import type { WireOptions } from './transport.ts'

/** Most objects of one request. */
const BATCH = 512

/** Options of {@link attachPromisor}. */
export interface PromisorOptions extends WireOptions {
  readonly onProgress?: GitProgress
}

/**
 * Lets a partial clone fetch what it lacks, from the remotes that its settings name, each for what those before it did not give. Does
 * nothing in another repository; answers whether it is one. A clone that git made works as well.
 */
export async function attachPromisor(git: GitDirectory, options: PromisorOptions = {}): Promise<boolean> {
  const remotes = promisorRemotes(await git.config())
  const promisors = remotes.map(({ url }) => createPromisor(git, url, options))
  git.objects.promise(promisors.length === 0 ? null : oneByOne(git, promisors, options.signal))
  return promisors.length > 0
}

/** Asks each for what is still missing. What the first failed with is thrown when none had it. */
function oneByOne(git: GitDirectory, promisors: readonly Promisor[], signal: AbortSignal | undefined): Promisor {
  return async (missing) => {
    let failure: unknown
    let left = [...missing]
    for (const promisor of promisors) {
      try {
        return await promisor(left)
      } catch (error) {
        if (signal?.aborted) throw error
        failure ??= error
        const still: Oid[] = []
        for (const oid of left) if (!(await git.objects.has(oid))) still.push(oid)
        left = still
      }
    }
    throw failure
  }
}

/** Fetches from `url`. What is asked for while a request is under way waits for the next, together. */
export function createPromisor(git: GitDirectory, url: string, options: PromisorOptions): Promisor {
  let remote: Promise<Remote> | null = null
  /** Asked for, and not on their way. */
  let waiting = new Set<Oid>()
  let next: Promise<void> | null = null
  let running: Promise<unknown> = Promise.resolve()

  async function fetchBatch(wants: readonly Oid[]): Promise<void> {
    remote ??= connectRemote(url, options)
    const { transport, capabilities } = await remote.catch((error: unknown) => {
      // The next time it may answer.
      remote = null
      throw error
    })
    // With a tree, its subtrees come; files do only when they are wanted themselves.
    const filter = hasFeature(capabilities, 'fetch', 'filter') && { filter: 'blob:none' }
    const { pack } = await fetchPack(transport, capabilities, { wants, ...filter }, options.onProgress)
    const { onProgress, signal } = options
    const { bytes: maxBytes } = transport.limits
    await git.objects.addPack(pack, { promisor: true, maxBytes, ...(onProgress && { onProgress }), ...(signal && { signal }) })
  }

  async function fetchWaiting(): Promise<void> {
    await running.catch(() => {})
    const wants = [...waiting]
    waiting = new Set()
    next = null
    for (let at = 0; at < wants.length; at += BATCH) await fetchMost(wants.slice(at, at + BATCH))
  }

  /** One object that the server does not have fails the whole request: the others are asked for without it. */
  async function fetchMost(wants: readonly Oid[]): Promise<void> {
    try {
      await fetchBatch(wants)
    } catch (error) {
      if (!isFilewrightError(error, 'not_found')) throw error
      const half = Math.ceil(wants.length / 2)
      if (wants.length === 1) return
      await fetchMost(wants.slice(0, half))
      await fetchMost(wants.slice(half))
    }
  }

  return async (missing) => {
    for (const oid of missing) waiting.add(oid)
    if (next === null) {
      next = fetchWaiting()
      running = next
    }
    await next
    for (const oid of missing) {
      if (await git.objects.has(oid)) continue
      throw new FilewrightError('not_found', `The object ${oid} is not here, and its server did not send it.`, { details: { oid } })
    }
  }
}
