/** What a repository's settings say of a remote. */
import { FilewrightError } from '../../core/errors.ts'
import type { GitConfig } from '../config.ts'

/** One remote. */
export interface RemoteSettings {
  readonly name: string
  readonly url: string
  /** Where it is written to. */
  readonly pushUrl: string
  /** Rules for what is fetched, as they are written: only who uses them needs them to be sound. */
  readonly refspecs: readonly string[]
  /** Which tags a fetch brings. */
  readonly tags: 'follow' | 'all' | 'none'
  /** It holds objects that are not here. */
  readonly promisor: boolean
  /** What is left out when fetching from it. */
  readonly filter: string | null
}

const TAGS: { readonly [option: string]: RemoteSettings['tags'] } = { '--tags': 'all', '--no-tags': 'none' }

/** The settings of a remote. A name that is an address stands for a remote without settings. Throws `not_found`. */
export function remoteSettings(config: GitConfig, name: string): RemoteSettings {
  const get = (key: string): string | undefined => config.get(`remote.${name}.${key}`)
  // Of several addresses git fetches from the first; the others are for writing too.
  const first = (key: string): string | undefined => config.getAll(`remote.${name}.${key}`)[0]
  const url = first('url') ?? (/^https?:\/\//.test(name) ? name : undefined)
  if (url === undefined)
    throw new FilewrightError('not_found', `There is no remote ${JSON.stringify(name)} in this repository.`, { field: 'remote' })
  const isPromisor = config.boolean(`remote.${name}.promisor`) === true || get('partialclonefilter') !== undefined
  const promisor = isPromisor || config.get('extensions.partialclone') === name
  return {
    name,
    url,
    pushUrl: first('pushurl') ?? url,
    refspecs: config.getAll(`remote.${name}.fetch`),
    tags: TAGS[get('tagopt') ?? ''] ?? 'follow',
    promisor,
    filter: promisor ? (get('partialclonefilter') ?? null) : null,
  }
}

/** The remotes that hold what is missing; none when this is no partial clone. */
export function promisorRemotes(config: GitConfig): readonly RemoteSettings[] {
  const names = new Set([config.get('extensions.partialclone'), ...config.subsections('remote')])
  return [...names].flatMap((name) => {
    if (name === undefined || config.get(`remote.${name}.url`) === undefined) return []
    const settings = remoteSettings(config, name)
    return settings.promisor ? [settings] : []
  })
}
