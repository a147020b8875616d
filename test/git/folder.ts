/** Folders that are gone when their test is over. */
import { onTestFinished } from 'vitest'
import { tempDir } from './real_git.ts'

export function temporaryFolder(): string {
  const { dir, remove } = tempDir()
  onTestFinished(remove)
  return dir
}
