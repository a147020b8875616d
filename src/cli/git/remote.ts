/** What the commands that speak with a remote have in common. */
import { FilewrightError } from '../../core/errors.ts'
import type { GitDirectory } from '../../git/directory.ts'
import type { GitProgress } from '../../git/objects.ts'
import type { WireOptions } from '../../git/wire/transport.ts'
import { untilInterrupted } from '../interrupted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { credentialsOf } from './credentials.ts'
import { openDirectory, repositoryPlace } from './places.ts'
import { onGit } from './session.ts'

/** What speaks with a remote: who is asked, how it is told, and when it ends. */
export interface Speaking extends WireOptions {
  readonly onProgress: GitProgress
}

/** Runs `use` on the repository of the settings. Throws `read_only` where the operator lets nothing change. */
export async function withDirectory<Result>(
  settings: Settings,
  output: Output,
  act: string,
  use: (directory: GitDirectory, speaking: Speaking) => Promise<Result>,
): Promise<Result> {
  const given = onGit(settings)
  if (given.readOnly) throw new FilewrightError('read_only', `The workspace is read-only: ${act} is refused.`)
  const directory = await openDirectory(repositoryPlace(given), given)
  try {
    return await speak(given, output, (speaking) => use(directory, speaking))
  } finally {
    await directory.close()
  }
}

/** Runs what speaks with a remote until it ends, or the person ends it. `named` is the remote's address where the person wrote it. */
export function speak<Result>(
  settings: Settings,
  output: Output,
  use: (speaking: Speaking) => Promise<Result>,
  named?: string,
): Promise<Result> {
  let told = 0
  const onProgress: GitProgress = (phase, done, total) => {
    const now = Date.now()
    if (now - told < 100 && done !== total) return
    told = now
    output.progress(`${phase}: ${total === null ? done : `${done} of ${total}`}`)
  }
  const credentials = credentialsOf({ helpers: settings.credentials === true, ...(named !== undefined && { named }) })
  return untilInterrupted((signal) => use({ credentials, onProgress, signal })).finally(() => output.progress(''))
}
