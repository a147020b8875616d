/** A finished pack gets its place: its index, which is what makes it found, comes last. */
import type { GitFiles } from './files.ts'
import { oidAt } from './oid.ts'

/** What a pack is stored with. */
export interface FinishedPack {
  /** Where it was written, whole. */
  readonly temporary: string
  /** The hash that it ends with. */
  readonly hash: Uint8Array
  readonly index: Uint8Array
  readonly promisor?: boolean
}

/** Answers the name, as in `objects/pack/NAME.pack`. When it fails nothing is left but what was there before. */
export async function storePack(files: GitFiles, { temporary, hash, index, promisor }: FinishedPack): Promise<string> {
  const name = `pack-${oidAt(hash)}`
  const path = `objects/pack/${name}`
  const known = (await files.stamp(`${path}.idx`)) !== null
  try {
    await files.rename(temporary, `${path}.pack`)
    if (promisor) await files.write(`${path}.promisor`, new Uint8Array(0))
    await files.write(`${path}.idx`, index)
  } catch (error) {
    if (!known) for (const ending of ['promisor', 'pack']) await files.remove(`${path}.${ending}`).catch(() => {})
    throw error
  }
  return name
}
