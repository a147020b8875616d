/** A storage in memory for a profile: one with a repository where its tools need that. */
import type { FileSystem } from '../../src/core/file_system.ts'
import { createGitFs } from '../../src/fs/git.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { initGitDirectory } from '../../src/git/open.ts'
import { profileNamed } from '../../src/profiles/index.ts'

export async function storageOf(profile: string): Promise<FileSystem> {
  const { tools } = await profileNamed(profile)
  if (!tools.some(({ tool }) => tool.needs === 'repository')) return createMemoryFs()
  return createGitFs({ git: await initGitDirectory(createMemoryGitFiles()) })
}
