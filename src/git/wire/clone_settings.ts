/** What a clone writes into a new repository's settings, as git itself writes it. */
import { editConfig } from '../config.ts'
import type { GitFiles } from '../files.ts'

/** What is written. */
export interface CloneSettings {
  readonly remote: string
  readonly url: string
  readonly refspec: string
  /** The branch that HEAD is on and follows the remote's; null: none. */
  readonly branch: string | null
  /** Of a partial clone; null: it is a whole one. */
  readonly filter: string | null
  /** No tags are to be fetched later. */
  readonly withoutTags: boolean
}

/** Adds the settings of a remote, of a branch, and of a promise. */
export async function writeCloneSettings(files: GitFiles, settings: CloneSettings): Promise<void> {
  const { remote, url, refspec, branch, filter, withoutTags } = settings
  const all: { readonly [key: string]: string | null } = {
    [`remote.${remote}.url`]: url,
    [`remote.${remote}.tagOpt`]: withoutTags ? '--no-tags' : null,
    [`remote.${remote}.fetch`]: refspec,
    [`remote.${remote}.promisor`]: filter === null ? null : 'true',
    [`remote.${remote}.partialclonefilter`]: filter,
    // What a partial clone needs is no part of version 0: a program that does not know it must not touch it.
    'core.repositoryformatversion': filter === null ? null : '1',
    ...(branch !== null && { [`branch.${branch}.remote`]: remote, [`branch.${branch}.merge`]: `refs/heads/${branch}` }),
  }
  const edits = Object.entries(all).flatMap(([key, value]) => (value === null ? [] : [{ key, values: [value] }]))
  await files.update('config', (current) => editConfig(current ?? new Uint8Array(0), edits))
}
