/** `filewright import`: brings a folder into the workspace as one change. */

import type { Output } from '../output.ts'
import { importFolder } from '../seed.ts'
import { noteSkipped, withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'

/** Brings a folder in and tells what came along. */
export async function importCommand(
  settings: Settings,
  output: Output,
  folder: string,
  options: { readonly replace: boolean; readonly note?: string },
): Promise<void> {
  const imported = await withWorkspace(settings, output, (workspace) =>
    importFolder(workspace, folder, {
      ...options,
      onProgress: (files) => files % 100 === 0 && output.progress(`Importing: ${files} files`),
    }),
  )
  output.progress('')
  if (!output.json) noteSkipped(imported.skipped, output)
  const change = imported.record ? ` as change ${imported.record.sequence}` : ''
  output.answer(imported, () => `Imported ${imported.files} files with ${imported.bytes} bytes${change}.`)
}
