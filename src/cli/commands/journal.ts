/** `filewright log`, `show`, `undo`, `redo`, `verify`: what the journal tells, and going back. */
import type { JournalRecord } from '../../core/record.ts'
import type { LogEntry, ShownChange, ShownRecord } from '../../workspace/workspace.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { type Paint, paintDiff, visible, visibleName } from '../terminal.ts'

/** Prints records, newest first. */
export async function log(settings: Settings, output: Output, query: { readonly limit: number; readonly before?: number }): Promise<void> {
  const entries = await withWorkspace(settings, output, (workspace) => workspace.log(query))
  output.answer({ entries }, () => entries.map((entry) => logLine(entry, output.paint)).join('\n') || 'No changes yet.')
}

/** Prints one record with its diffs. */
export async function show(settings: Settings, output: Output, which: string, options: { readonly diff: boolean }): Promise<void> {
  const shown = await withWorkspace(settings, output, (workspace) => workspace.show(which, options))
  output.answer(shown, () => [...recordLines(shown, output.paint), ...shown.changes.map((change) => changeText(change, output))].join('\n'))
}

/** Takes one record back. */
export async function undo(settings: Settings, output: Output, which: string): Promise<void> {
  const record = await withWorkspace(settings, output, (workspace) => workspace.undo(which))
  tellRecord(record, output)
}

/** Takes the newest undo back. */
export async function redo(settings: Settings, output: Output): Promise<void> {
  const record = await withWorkspace(settings, output, (workspace) => workspace.redo())
  tellRecord(record, output)
}

/** Checks the hash chain. */
export async function verify(settings: Settings, output: Output): Promise<void> {
  const chain = await withWorkspace(settings, output, (workspace) => workspace.verify())
  output.answer(chain, () =>
    chain.head === null ? 'No changes yet.' : `${counted(chain.records, 'record')}, all sound. Head: ${chain.head}`,
  )
}

function tellRecord(record: JournalRecord, output: Output): void {
  const text = `${record.note ?? record.kind}. This is change ${record.sequence}, with ${counted(record.count, 'path')}.`
  output.answer({ record }, () => visibleName(text))
}

/** A record as a line of the log. */
export function logLine({ record, undone, paths }: LogEntry, paint: Paint): string {
  const shown = paths.map(visibleName)
  const more = record.count - paths.length
  if (more > 0) shown.push(paths.length === 0 ? counted(more, 'path') : `and ${more} more`)
  if (record.count === 0 && record.note !== undefined) shown.push(visibleName(record.note))
  const what = record.tool === record.kind || record.kind === 'call' ? record.tool : `${record.kind} ${record.tool}`
  return [
    paint.yellow(String(record.sequence).padStart(5)),
    paint.dim(record.time.slice(0, 19).replace('T', ' ')),
    visibleName(record.subject),
    paint.bold(visibleName(what)),
    shown.join(', '),
    ...(undone ? [paint.red('(undone)')] : []),
  ].join('  ')
}

function recordLines({ record, undone }: ShownRecord, paint: Paint): string[] {
  return [
    paint.yellow(`change ${record.sequence}  ${record.id}${undone ? '  (undone)' : ''}`),
    `${paint.dim('Time:')}    ${record.time}`,
    `${paint.dim('By:')}      ${visibleName(record.subject)}`,
    `${paint.dim('Tool:')}    ${visibleName(record.tool)}`,
    ...(record.approval === undefined ? [] : [`${paint.dim('Grant:')}   ${visibleName(record.approval)}`]),
    ...(record.note === undefined ? [] : [`${paint.dim('Note:')}    ${visibleName(record.note)}`]),
    ...(record.purged === undefined ? [] : [`${paint.dim('Purged:')}  ${counted(record.purged.length, 'content')}`]),
    `${paint.dim('Hash:')}    ${record.hash}`,
    `${paint.dim('Changes:')} ${counted(record.count, 'path')}`,
    '',
  ]
}

function changeText(change: ShownChange, output: Output): string {
  // A diff that goes to another program must stay the bytes that it is.
  if (change.diff !== null) return output.terminal ? paintDiff(visible(change.diff), output.paint) : change.diff
  const to = change.to === undefined ? '' : ` -> ${visibleName(change.to)}`
  const note = change.note === null ? '' : `  (${visibleName(change.note)})`
  return `${change.kind} ${visibleName(change.path)}${to}${note}`
}
