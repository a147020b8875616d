/** One command's workspace: opened, seeded, used, exported, closed. */
import { FilewrightError } from '../core/errors.ts'
import { ROOT } from '../core/path.ts'
import { openWorkspace } from '../workspace/open.ts'
import type { OperatorSettings, Workspace } from '../workspace/workspace.ts'
import { parseAuthor } from './author.ts'
import { checkCapabilities, openCapabilities } from './capabilities.ts'
import type { Output } from './output.ts'
import type { Settings } from './settings.ts'
import { openStorage } from './storage.ts'
import { readTrustPolicy } from './trust_policy.ts'

/**
 * Opens the workspace that the settings describe, runs `use` on it, and then exports and closes it, also when `use` failed:
 * what was done by then is kept. Throws what opening, seeding, `use`, the export and closing throw.
 */
export async function withWorkspace<Result>(
  settings: Settings,
  output: Output,
  use: (workspace: Workspace) => Promise<Result>,
): Promise<Result> {
  checkCapabilities(settings)
  const operator = operatorSettings(settings)
  if (settings.export !== undefined) (await import('./export.ts')).prepareExport(settings.export)
  const fs = await openStorage(settings)
  let workspace: Workspace | undefined
  try {
    if (settings.seed !== undefined) await seed(await openWorkspace({ fs }), settings.seed, output)
    workspace = await openWorkspace({
      fs,
      settings: operator,
      ...(await openCapabilities(settings, fs)),
      ...(settings.profile !== undefined && { profile: settings.profile }),
      ...(settings.subject !== undefined && { subject: settings.subject }),
      ...(process.env.FILEWRIGHT_DEBUG && { onFailure: (error: unknown) => console.error(error) }),
    })
    try {
      return await use(workspace)
    } finally {
      if (settings.export !== undefined) await exportTo(workspace, settings.export, output)
    }
  } finally {
    await (workspace ?? fs).close()
  }
}

function operatorSettings(settings: Settings): OperatorSettings {
  const { readOnly, disable, approval, allowGitInternals, portableNames, author } = settings
  const trustPolicy = readTrustPolicy(settings)
  return {
    ...(readOnly !== undefined && { readOnly }),
    ...(disable !== undefined && { disabled: disable }),
    ...(approval !== undefined && { approval }),
    ...(trustPolicy && { trustPolicy }),
    ...(allowGitInternals !== undefined && { allowGitInternals }),
    ...(portableNames !== undefined && { portableNames }),
    ...(author !== undefined && { author: parseAuthor(author) }),
  }
}

/** The seed is the operator's, so no setting for calls applies to it. */
async function seed(workspace: Workspace, folder: string, output: Output): Promise<void> {
  if ((await workspace.fs.list(ROOT)).length > 0) {
    throw new FilewrightError('already_exists', '--seed fills an empty workspace, and this one has files: use `filewright import`.')
  }
  const { importFolder } = await import('./seed.ts')
  const { skipped } = await importFolder(workspace, folder, {
    note: 'Seed',
    onProgress: (files) => files % 100 === 0 && output.progress(`Loading: ${files} files`),
  })
  output.progress('')
  noteSkipped(skipped, output)
}

/** Says on standard error what could not be brought in. */
export function noteSkipped(skipped: readonly { readonly path: string; readonly why: string }[], output: Output): void {
  for (const { path, why } of skipped) output.note(`skipped ${JSON.stringify(path)}: ${why}`)
}

async function exportTo(workspace: Workspace, folder: string, output: Output): Promise<void> {
  const { exportWorkspace } = await import('./export.ts')
  await exportWorkspace(workspace.fs, folder, (files) => output.progress(`Exporting: ${files} files`))
  output.progress('')
}
