/** `filewright git commit`: commits what changed to the workspace's branch. */
import { gitCommit } from '../../tools/git/git_commit.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { act } from './act.ts'

/** What is committed, and what may be. */
export interface CommitFlags {
  readonly message: string
  readonly paths: readonly string[]
  readonly allowIgnored: boolean
  readonly allowSensitive: boolean
  readonly allowMarkers: boolean
  readonly dryRun: boolean
}

/** Commits, and prints what the commit took. */
export function commit(settings: Settings, output: Output, flags: CommitFlags): Promise<number> {
  const { message, paths, allowIgnored, allowSensitive, allowMarkers, dryRun } = flags
  return act(settings, output, gitCommit, {
    message,
    ...(paths.length > 0 && { paths }),
    allow_ignored: allowIgnored,
    allow_sensitive: allowSensitive,
    allow_markers: allowMarkers,
    dry_run: dryRun,
  })
}
