/** References as git stores them in files: loose ones, `packed-refs`, symbolic ones. */
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { MaybePromise } from '../core/file_system.ts'
import { compareText } from '../core/path.ts'
import type { Oid } from '../core/repository.ts'
import { checkedOutBranches } from './checked_out.ts'
import type { GitConfig } from './config.ts'
import type { GitFiles } from './files.ts'
import { isOid } from './oid.ts'
import { type PackedRefs, parsePackedRefs, withoutPackedRef } from './packed_refs.ts'
import { checkRefName, isStoredName } from './ref_names.ts'
import { logsChanges, reflogLine } from './reflog.ts'
import type { Ref, Refs, RefUpdate } from './refs.ts'

/** What references need. */
export interface RefParts {
  readonly files: GitFiles
  config(): MaybePromise<GitConfig>
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
}

/** What a loose file says: where it points, or which other it stands for. */
type Loose = { readonly oid: Oid } | { readonly target: string }

/** As many symbolic references in a row as git follows. */
const MOST_LINKS = 5
const PACKED = 'packed-refs'
/** Of a reference that is left out of lists: what stands there, or in its way, is none. */
const BROKEN: ReadonlySet<string> = new Set(['corrupt', 'outside_root', 'not_regular'])
const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * The references of a git directory. Where the host does not tell letter case apart, two names that differ in nothing else are one
 * reference, as for git.
 */
export function createRefs({ files, config, now = Date.now }: RefParts): Refs {
  let held: { readonly stamp: string; readonly refs: PackedRefs } | null = null

  const packed = async (): Promise<PackedRefs> => {
    const stamp = await files.stamp(PACKED)
    if (stamp === null) return new Map()
    if (held?.stamp === stamp) return held.refs
    const bytes = await files.read(PACKED)
    const refs: PackedRefs = bytes ? parsePackedRefs(bytes) : new Map()
    held = { stamp, refs }
    return refs
  }

  const readLoose = async (name: string): Promise<Loose | null> => {
    const bytes = await files.read(name)
    return bytes && parseLoose(name, bytes)
  }

  /** The last name that a name leads to, and what it is. */
  const follow = async (name: string): Promise<{ readonly name: string; readonly oid: Oid | null }> => {
    let current = name
    for (let links = 0; links <= MOST_LINKS; links++) {
      const loose = await readLoose(current)
      if (!loose) return { name: current, oid: (await packed()).get(current)?.oid ?? null }
      if ('oid' in loose) return { name: current, oid: loose.oid }
      if (!isStoredName(loose.target)) throw broken(current)
      current = loose.target
    }
    throw new FilewrightError('corrupt', `The reference ${name} leads through too many others, or in a circle.`)
  }

  /** Loose references below a directory, into `found`. */
  const gather = async (dir: string, prefix: string, found: Map<string, Ref | null>): Promise<void> => {
    for (const entry of await files.list(dir)) {
      const name = `${dir}/${entry}`
      if (entry.endsWith('/')) {
        if (name.startsWith(prefix) || prefix.startsWith(name)) await gather(name.slice(0, -1), prefix, found)
      } else if (name.startsWith(prefix) && isStoredName(name)) {
        found.set(name, await followed(name))
      }
    }
  }

  /** A reference by its name; null where it leads nowhere, or something in the way is broken. */
  const followed = async (name: string): Promise<Ref | null> => {
    try {
      const { name: leadsTo, oid } = await follow(name)
      return oid && { name, oid, ...(leadsTo !== name && { leadsTo }) }
    } catch (error) {
      if (isFilewrightError(error) && BROKEN.has(error.code)) return null
      throw error
    }
  }

  /** Throws `conflict` for a new name that cannot be beside those that are there. */
  const refuseClash = async (name: string): Promise<void> => {
    const refs = await packed()
    const clash = (other: string): FilewrightError =>
      new FilewrightError('conflict', `${name} cannot be made: the reference ${other} exists. Choose another name.`)
    for (let slash = name.indexOf('/', 'refs/'.length); slash >= 0; slash = name.indexOf('/', slash + 1)) {
      const dir = name.slice(0, slash)
      if (refs.has(dir) || (await files.read(dir))) throw clash(dir)
    }
    for (const other of refs.keys()) if (other.startsWith(`${name}/`) && !(await isGone(other))) throw clash(other)
    const below = new Map<string, Ref | null>()
    await gather(name, `${name}/`, below)
    for (const other of below.keys()) throw clash(other)
  }

  const isGone = async (name: string): Promise<boolean> => (await readLoose(name)) === null && !(await packed()).has(name)

  /** Takes a name out of `packed-refs`. */
  const unpack = async (name: string): Promise<void> => {
    if (!(await packed()).has(name)) return
    await files.update(PACKED, (bytes) => (bytes ? (withoutPackedRef(bytes, name) ?? undefined) : undefined))
  }

  /** Writes to the reflogs of a reference, and of HEAD when that stands for it, where git would. */
  const log = async (name: string, { from, to, message, by }: RefUpdate): Promise<void> => {
    const settings = await config()
    const line = reflogLine(from, to, by ?? null, message ?? '', now())
    const head = await readLoose('HEAD')
    const names = head && 'target' in head && head.target === name ? [name, 'HEAD'] : [name]
    for (const logged of names) {
      const path = `logs/${logged}`
      if (logsChanges(settings, logged) || (await files.stamp(path)) !== null) await files.append(path, line)
    }
  }

  return {
    async read(name) {
      return isStoredName(name) ? (await follow(name)).oid : null
    },
    async leadsTo(name) {
      return (await follow(name)).name
    },
    async head() {
      const head = await readLoose('HEAD')
      if (!head) throw new FilewrightError('corrupt', 'The repository has no HEAD.')
      if ('oid' in head) return { branch: null, oid: head.oid }
      return { branch: head.target, oid: (await follow('HEAD')).oid }
    },
    async list(prefix) {
      const found = new Map<string, Ref | null>()
      for (const [name, { oid, peeled }] of await packed()) {
        if (name.startsWith(prefix) && isStoredName(name)) found.set(name, peeled ? { name, oid, peeled } : { name, oid })
      }
      await gather('refs', prefix, found)
      return [...found.values()].filter((ref) => ref !== null).sort((a, b) => compareText(a.name, b.name))
    },
    async update(update) {
      checkRefName(update.name)
      const { name } = await follow(update.name)
      const { from, to } = update
      let isDone = false
      await files.update(name, async (bytes) => {
        isDone = false
        const loose = bytes && parseLoose(name, bytes)
        // Somebody made it symbolic just now.
        if (loose && !('oid' in loose)) return undefined
        const current = loose?.oid ?? (await packed()).get(name)?.oid ?? null
        if (current !== from) return undefined
        isDone = true
        if (to === null) {
          // What is packed goes first: it would be there again without the loose one.
          await unpack(name)
          return null
        }
        if (current === to) return undefined
        if (current === null && name.startsWith('refs/')) await refuseClash(name)
        await log(name, update)
        return encoder.encode(`${to}\n`)
      })
      if (isDone && to === null && name.startsWith('refs/')) await files.remove(`logs/${name}`)
      return isDone
    },
    async setSymbolic(name, target) {
      checkRefName(name)
      checkRefName(target)
      await files.update(name, () => encoder.encode(`ref: ${target}\n`))
    },
    async checkedOut() {
      return checkedOutBranches(files, (await config()).boolean('core.bare') === true)
    },
  }
}

function parseLoose(name: string, bytes: Uint8Array): Loose {
  const text = decoder.decode(bytes)
  const target = /^ref:[ \t\n\r]*(.*?)[ \t\n\r]*$/s.exec(text)?.[1]
  if (target !== undefined) return { target }
  const oid = text.slice(0, 40).toLowerCase()
  // Git itself ignores what comes behind a white space.
  if (!isOid(oid) || /^\S/.test(text.slice(40))) throw broken(name)
  return { oid }
}

function broken(name: string): FilewrightError {
  return new FilewrightError('corrupt', `The reference ${name} is broken: what is stored there is no name of an object.`)
}
