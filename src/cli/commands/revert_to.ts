/** `filewright revert-to`: takes back all that came after a change. */
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'

/** Goes back, or tells which paths that would change. */
export async function revertTo(settings: Settings, output: Output, which: string, dryRun: boolean): Promise<void> {
  const reverted = await withWorkspace(settings, output, (workspace) => workspace.revertTo(which, { dryRun }))
  const { record, sequence, paths } = reverted
  output.answer(reverted, () => {
    if (paths.length === 0) return `Nothing came after change ${sequence} that still stands.`
    if (record) return `Back to change ${sequence}. This is change ${record.sequence}, with ${counted(record.count, 'path')}.`
    return [`Going back to change ${sequence} would change:`, ...paths.map((path) => `  ${visibleName(path)}`)].join('\n')
  })
}
