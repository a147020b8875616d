/** A repository in memory, as an open workspace. */
import { createMemoryFs } from '../fs/memory.ts'
import { openWorkspace } from '../workspace/open.ts'
import type { Workspace, WorkspaceOptions } from '../workspace/workspace.ts'
import { testClock, testIds } from './clock.ts'
import { type FixtureFiles, overlay } from './fixture.ts'

/** How the workspace of a test is opened. */
export interface RepoOptions extends Omit<WorkspaceOptions, 'fs'> {}

/**
 * Opens a workspace in memory that holds these files. Clock and ids are those of {@link testClock} and {@link testIds}
 * unless others are given, so that two runs of the same calls have the same hashes.
 */
export async function repo(files: FixtureFiles, options: RepoOptions = {}): Promise<Workspace> {
  const now = options.now ?? testClock()
  const newId = options.newId ?? testIds(now)
  const workspace = await openWorkspace({ ...options, now, newId, fs: createMemoryFs({ now, newId }) })
  if (Object.keys(files).length > 0) await overlay(workspace, files)
  return workspace
}
