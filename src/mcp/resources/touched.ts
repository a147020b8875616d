/** What changes of the journal mean for resources: which of them read otherwise now, and whether others are listed. */
import type { RecordedChange } from '../../core/change.ts'
import type { FileSystem } from '../../core/file_system.ts'
import { type Path, parentOf } from '../../core/path.ts'
import type { JournalRecord } from '../../core/record.ts'
import { historyOf } from '../../workspace/past/journal.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** What one or more changes touched. */
export interface Touched {
  readonly files: ReadonlySet<Path>
  readonly directories: ReadonlySet<Path>
  /** Something came or went. */
  readonly listed: boolean
}

/** Entries below a moved directory that are told one by one. */
const MOST_MOVED = 10_000
/** Shortest time between two notices, in milliseconds: what happens meanwhile is told once. */
const INTERVAL_MS = 100

/** What is watched. */
export type Watched = Pick<Workspace, 'fs' | 'subscribe'>

/** Tells a listener what was touched. Returns how to stop; nothing is told after that. */
export function watchTouched({ fs, subscribe }: Watched, listener: (touched: Touched) => void): () => void {
  let waiting: JournalRecord[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  let stopped = false

  async function tell(): Promise<void> {
    const records = waiting
    waiting = []
    const touched = { files: new Set<Path>(), directories: new Set<Path>(), listed: false }
    for (const record of records) await touchAll(fs, record, touched)
    if (!stopped) listener(touched)
  }

  const unsubscribe = subscribe((event) => {
    if (event.type !== 'change' || event.record.count === 0) return
    if (waiting.push(event.record) === 1) timer = setTimeout(tell, INTERVAL_MS)
  })
  return () => {
    stopped = true
    if (timer !== null) clearTimeout(timer)
    unsubscribe()
  }
}

interface Touching {
  readonly files: Set<Path>
  readonly directories: Set<Path>
  listed: boolean
}

async function touchAll(fs: FileSystem, record: JournalRecord, touched: Touching): Promise<void> {
  try {
    for (const change of await historyOf(fs).changes(record)) await touch(fs, change, touched)
  } catch {
    // Nobody can tell what it changed: whoever wants to know lists anew.
    touched.listed = true
  }
}

async function touch(fs: FileSystem, change: RecordedChange, touched: Touching): Promise<void> {
  const { kind, path, to, before, after } = change
  if (kind === 'snapshot') return
  const side = after ?? before
  const isDirectory = kind === 'makeDirectory' || side?.kind === 'directory'
  for (const place of to === undefined ? [path] : [path, to]) {
    ;(isDirectory ? touched.directories : touched.files).add(place)
    touched.directories.add(parentOf(place))
  }
  if (kind === 'move' || before === null || after === null) touched.listed = true
  if (kind === 'move' && isDirectory && to !== undefined) await touchMoved(fs, path, to, touched)
}

/** What is in a moved directory went along, and is at neither place as it was. */
async function touchMoved(fs: FileSystem, from: Path, to: Path, touched: Touching): Promise<void> {
  let left = MOST_MOVED
  try {
    for await (const page of fs.scan(to)) {
      for (const entry of page) {
        const kind = entry.kind === 'directory' ? touched.directories : touched.files
        kind.add(entry.path).add((from + entry.path.slice(to.length)) as Path)
        if (--left === 0) return
      }
    }
  } catch {
    // It moved on already: the next notice tells of that.
  }
}
