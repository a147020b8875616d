/** What a workspace can do only because the operator said so: run commands, and read files of the machine. */
import { FilewrightError } from '../core/errors.ts'
import type { FileSystem } from '../core/file_system.ts'
import type { WorkspaceOptions } from '../workspace/workspace.ts'
import type { Settings } from './settings.ts'

/** The capabilities that checked settings give. */
export async function openCapabilities(settings: Settings, fs: FileSystem): Promise<Pick<WorkspaceOptions, 'runner' | 'unconfinedReads'>> {
  return {
    ...(settings.runner !== undefined && { runner: (await import('../runner/local.ts')).createLocalRunner(fs.traits.root) }),
    ...(settings.unconfinedFileBytes && { unconfinedReads: (await import('../fs/node.ts')).createUnconfinedReads() }),
  }
}

/**
 * Refuses what cannot be had, before anything is opened. Throws `unsupported` for a runner elsewhere, which a later version will have,
 * and for a local one where there is no folder to run in; `invalid_argument` for any other, and for reads outside of where there is no
 * outside.
 */
export function checkCapabilities({ runner, unconfinedFileBytes, fs = 'node' }: Settings): void {
  if (runner !== undefined && runner !== 'local') {
    if (URL.canParse(runner)) throw refused('unsupported', 'runner', `--runner ${runner} is not available in this version; choose local.`)
    throw refused('invalid_argument', 'runner', '--runner must be local.')
  }
  if (runner !== undefined && fs !== 'node') {
    throw refused('unsupported', 'runner', `--runner local runs commands in a folder on disk, which --fs ${fs} has not: use --fs node.`)
  }
  if (unconfinedFileBytes && fs !== 'node') {
    throw refused('invalid_argument', 'unconfined-file-bytes', `--unconfined-file-bytes has no meaning with --fs ${fs}.`)
  }
}

function refused(code: 'unsupported' | 'invalid_argument', field: string, message: string): FilewrightError {
  return new FilewrightError(code, message, { field })
}
