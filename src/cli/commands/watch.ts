/** `filewright watch`: records what other programs do to the files. */
import { untilInterrupted } from '../interrupted.ts'
import type { Output, Streams } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { visibleJson } from '../terminal.ts'
import { logLine } from './journal.ts'

/** Records once, or until an interrupt, and prints each record: a line of the log, or of JSON. */
export async function watch(settings: Settings, output: Output, streams: Streams, once: boolean): Promise<void> {
  await withWorkspace(settings, output, async (workspace) => {
    if (once) {
      const record = await workspace.observe()
      output.answer({ record }, () => (record ? logLine(entryOf(record), output.paint) : 'Nothing new.'))
      return
    }
    const stop = workspace.subscribe((event) => {
      if (event.type !== 'change') return
      const { record } = event
      streams.stdout.write(`${output.json ? visibleJson({ record }, 0) : logLine(entryOf(record), output.paint)}\n`)
    })
    if (output.terminal && !output.json) output.note('Watching; Ctrl-C ends it.')
    await untilInterrupted((signal) => workspace.watch(signal)).finally(stop)
  })
}

function entryOf(record: Parameters<typeof logLine>[0]['record']): Parameters<typeof logLine>[0] {
  return { record, undone: false, paths: (record.changes ?? []).slice(0, 3).map(({ path }) => path) }
}
