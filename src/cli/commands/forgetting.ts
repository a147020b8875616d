/** `filewright gc` and `purge`: what history gives up. */
import { counted, sized } from '../counted.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'

/** Drops the contents that only older changes need, as the settings say. */
export async function gc(settings: Settings, output: Output, dryRun: boolean): Promise<void> {
  const { keepRecords, keepDays, keepBytes } = settings
  const limits = { keepRecords, keepDays, keepBytes }
  const collected = await withWorkspace(settings, output, (workspace) => workspace.collect({ ...limits, dryRun }))
  const { records, recordsKept, objects, objectsDropped, bytesFreed } = collected
  output.answer({ ...collected, dryRun }, () => {
    const lines = [`${recordsKept} of ${counted(records, 'change')} can be taken back; all of them stay in the log.`]
    const left = `${counted(objects - objectsDropped, 'content')} ${objects - objectsDropped === 1 ? 'is' : 'are'} kept.`
    lines.push(`${dryRun ? 'Would drop' : 'Dropped'} ${counted(objectsDropped, 'content')} with ${sized(bytesFreed)}; ${left}`)
    if (Object.values(limits).every((limit) => limit === undefined)) {
      lines.push('Nothing is dropped without a limit: --keep-records, --keep-days, --keep-bytes.')
    }
    return lines.join('\n')
  })
}

/** Takes contents out of history. */
export async function purge(
  settings: Settings,
  output: Output,
  what: string,
  { containing, ...options }: { readonly containing: string | undefined; readonly force: boolean; readonly dryRun: boolean },
): Promise<void> {
  const target = /^[0-9a-fA-F]{64}$/.test(what) ? { hash: what } : { path: what }
  const purged = await withWorkspace(settings, output, (workspace) =>
    workspace.purge(target, { ...options, ...(containing !== undefined && { containing }) }),
  )
  output.answer({ ...purged, dryRun: options.dryRun }, () => {
    const contents = `${counted(purged.objects, 'content')} of ${visibleName(what)} with ${sized(purged.bytes)}`
    if (options.dryRun) return `Would purge ${contents}.`
    return `Purged ${contents}: change ${purged.records.map(({ sequence }) => sequence).join(', ')} tells of it. Copies elsewhere, such as archives, still hold it.`
  })
}
