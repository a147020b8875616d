/** `filewright export`: changes as a patch or as data, or the workspace with its history. */
import { FilewrightError } from '../../core/errors.ts'
import type { RecordRange } from '../../workspace/past/range.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { sized } from '../counted.ts'
import { STANDARD, writeFileParts } from '../files.ts'
import type { Output, Streams } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { paintDiff, visible, visibleName } from '../terminal.ts'

/** What is exported, and where to. */
export interface ExportFlags {
  readonly patch: string | undefined
  readonly records: string | undefined
  readonly history: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Writes one of them, to a file that must not be there yet, or to standard output. */
export async function exportCommand(settings: Settings, output: Output, streams: Streams, flags: ExportFlags): Promise<void> {
  const { kind, file } = chosen(flags)
  if (kind === 'history' && (flags.from ?? flags.to) !== undefined) {
    throw new FilewrightError('invalid_argument', '--from and --to have no meaning with --history, which is whole.', { field: 'from' })
  }
  if (file === STANDARD && output.json) {
    throw new FilewrightError('invalid_argument', `--json would stand in the midst of what --${kind} - prints: name a file.`, {
      field: kind,
    })
  }
  if (file === STANDARD && output.terminal && kind === 'history') {
    throw new FilewrightError('invalid_argument', 'An archive is not for a terminal: name a file.', { field: kind })
  }
  const range: RecordRange = { ...(flags.from !== undefined && { from: flags.from }), ...(flags.to !== undefined && { to: flags.to }) }
  const skipped: string[] = []
  const bytes = await withWorkspace(settings, output, async (workspace) => {
    // What is wrong with the changes is told before a file is made.
    const parts = await begun(partsOf(kind, workspace, range, output, file === STANDARD && output.terminal, skipped))
    return writeFileParts(file, parts, streams)
  })
  output.progress('')
  for (const path of skipped) output.note(`left out ${JSON.stringify(path)}: git does not take its own files from a patch`)
  if (file !== STANDARD) output.answer({ file, bytes, skipped }, () => `Wrote ${sized(bytes)} to ${visibleName(file)}.`)
}

type Kind = 'patch' | 'records' | 'history'

function chosen(flags: ExportFlags): { readonly kind: Kind; readonly file: string } {
  const kinds = (['patch', 'records', 'history'] as const).filter((kind) => flags[kind] !== undefined)
  const [kind] = kinds
  if (kind !== undefined && kinds.length === 1) return { kind, file: flags[kind] as string }
  throw new FilewrightError('invalid_argument', 'Say what to export: --patch FILE, --records FILE or --history FILE; one of them.', {
    field: kinds[1] ?? 'patch',
  })
}

function partsOf(
  kind: Kind,
  workspace: Workspace,
  range: RecordRange,
  output: Output,
  shown: boolean,
  skipped: string[],
): AsyncIterable<Uint8Array> {
  if (kind === 'records') return workspace.exportRecords(range)
  if (kind === 'patch') return patchParts(workspace, range, output, shown, skipped)
  return workspace.archive({ onProgress: (entries) => entries % 100 === 0 && output.progress(`Writing: ${entries} entries`) })
}

async function* patchParts(
  workspace: Workspace,
  range: RecordRange,
  output: Output,
  shown: boolean,
  skipped: string[],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const { path, text } of workspace.patch(range)) {
    if (text === null) skipped.push(path)
    else yield encoder.encode(shown ? paintDiff(visible(text), output.paint) : text)
  }
}

/** The same parts, once the first is there. */
async function begun(parts: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const rest = parts[Symbol.asyncIterator]()
  let next = await rest.next()
  return (async function* () {
    for (; !next.done; next = await rest.next()) yield next.value
  })()
}
