/** Each file has the line, and has lost nothing. */
import type { Path, Workspace } from '../../../src/index.ts'
import { assertFile } from '../../../src/testing/index.ts'

export async function check(workspace: Workspace): Promise<void> {
  const entries = await (await workspace.view()).list('src/v4/mini' as Path)
  for (const { path, kind } of entries) if (kind === 'file') await assertFile(workspace, path, /^\/\/ zod\/mini\n[^\n]*\S/)
}
