/** What a clone writes into a new repository's settings, as git itself writes it. */
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

/** Adds the sections of a remote, of a branch, and of a promise. */
export async function writeCloneSettings(files: GitFiles, settings: CloneSettings): Promise<void> {
  const { remote, url, refspec, branch, filter, withoutTags } = settings
  const sections = [
    section('remote', remote, {
      url,
      ...(withoutTags && { tagOpt: '--no-tags' }),
      fetch: refspec,
      ...(filter !== null && { promisor: 'true', partialclonefilter: filter }),
    }),
    ...(branch === null ? [] : [section('branch', branch, { remote, merge: `refs/heads/${branch}` })]),
  ]
  await files.update('config', (current) => {
    const text = new TextDecoder().decode(current ?? new Uint8Array(0))
    // What a partial clone needs is no part of version 0: a program that does not know it must not touch it.
    const core = filter === null ? text : text.replace(/^(\s*repositoryformatversion\s*=\s*)0\s*$/im, '$11')
    return new TextEncoder().encode(core.replace(/\n*$/, '\n') + sections.join(''))
  })
}

function section(name: string, subsection: string, values: { readonly [name: string]: string }): string {
  const lines = Object.entries(values).map(([key, value]) => `\t${key} = ${quoted(value)}\n`)
  return `[${name} "${subsection.replace(/["\\]/g, '\\$&')}"]\n${lines.join('')}`
}

function quoted(value: string): string {
  return /[#;"\\]|^\s|\s$/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
}
