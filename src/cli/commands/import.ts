/** `filewright import`: brings a folder into the workspace as one change, or a whole workspace with its history. */
import { FilewrightError } from '../../core/errors.ts'
import { counted } from '../counted.ts'
import { readFileParts } from '../files.ts'
import type { Output } from '../output.ts'
import { importFolder } from '../seed.ts'
import { noteSkipped, withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'

/** Brings a folder in and tells what came along; or takes over a workspace with its history. */
export async function importCommand(
  settings: Settings,
  output: Output,
  folder: string | undefined,
  { history, ...options }: { readonly history?: string; readonly replace: boolean; readonly note?: string },
): Promise<void> {
  if ((folder === undefined) === (history === undefined)) {
    throw new FilewrightError('invalid_argument', 'Name a folder to import, or --history FILE; one of them.', { field: 'dir' })
  }
  if (history !== undefined) await importHistory(settings, output, history, options)
  else await bringFolder(settings, output, folder as string, options)
}

async function importHistory(
  settings: Settings,
  output: Output,
  file: string,
  options: { readonly replace: boolean; readonly note?: string },
): Promise<void> {
  if (options.replace || options.note !== undefined) {
    throw new FilewrightError('invalid_argument', '--replace and --note have no meaning with --history.', { field: 'history' })
  }
  const restored = await withWorkspace(settings, output, (workspace) =>
    workspace.restore(readFileParts(file), {
      onProgress: (entries) => entries % 100 === 0 && output.progress(`Reading: ${entries} entries`),
    }),
  )
  output.progress('')
  const { records, files } = restored
  output.answer(restored, () => `Took over ${counted(files, 'file')} and ${counted(records, 'change')}, all of them checked.`)
}

async function bringFolder(
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
