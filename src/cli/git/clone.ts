/** `filewright git clone`: a repository from a server, in a folder or a database. */
import { rmSync } from 'node:fs'
import { cloneInto } from '../../git/wire/clone.ts'
import { parseRemote } from '../../git/wire/credentials.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { makeRepository } from './init.ts'
import { speak } from './remote.ts'

/** What is copied. */
export interface CloneFlags {
  readonly depth: number | undefined
  readonly branch: string | undefined
  readonly singleBranch: boolean
  readonly filter: string | undefined
}

/** Clones. A repository that could not be finished is removed. */
export async function clone(settings: Settings, output: Output, url: string, folder: string | undefined, flags: CloneFlags): Promise<void> {
  const { depth, branch, singleBranch, filter } = flags
  const address = parseRemote(url)
  const made = await makeRepository(settings, folder ?? (settings.db === undefined ? nameOf(address.url) : undefined), {
    bare: true,
    initialBranch: 'main',
  })
  let done = false
  try {
    const wish = {
      ...(depth !== undefined && { depth }),
      ...(branch !== undefined && { branch }),
      ...(singleBranch && { singleBranch }),
      ...(filter !== undefined && { filter }),
    }
    const cloned = await speak(settings, output, (speaking) => cloneInto(made.directory, url, { ...speaking, ...wish }), address.url)
    done = true
    output.answer({ ...cloned, url: address.url, repository: made.place }, () => {
      const at =
        cloned.head === null
          ? 'which is empty'
          : `${counted(cloned.objects, 'object')}, HEAD is ${visibleName(cloned.branch ?? cloned.head)}`
      return `Cloned ${visibleName(address.url)} into ${visibleName(made.place)}: ${at}.`
    })
  } finally {
    await made.directory.close()
    if (!done) for (const path of made.made) rmSync(path, { recursive: true, force: true })
  }
}

/** The folder that git would make: the last part of the address, as a bare repository's. */
function nameOf(url: string): string {
  const last = decodeURIComponent(new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? '').replace(/\.git$/, '')
  return `${last.replace(/[^\w.-]/g, '-').replace(/^[.-]+/, '') || 'repository'}.git`
}
