/** Whether a text that is not in a file was there before, and which change took it away. */
import type { RecordedChange, Side } from '../core/change.ts'
import { isFilewrightError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { History } from '../core/history.ts'
import { isWithin, type Path } from '../core/path.ts'
import { readAll } from '../core/read.ts'
import type { JournalRecord } from '../core/record.ts'
import { findExact } from '../text/edit/match.ts'
import { encodeText } from '../text/utf8.ts'
import type { ToolContext } from './tool.ts'

/** Records that are looked at, the newest ones. */
const MOST_RECORDS = 200
/** Bytes of earlier versions that are searched in all. */
const MOST_BYTES = 8 * 1024 * 1024

/** The change that removed or altered a text. */
export interface PastChange {
  readonly change_id: string
  readonly sequence: number
  readonly tool: string
  readonly subject: string
  readonly time: string
}

/**
 * The newest change before which the file held the text; null when none is known. `now` is what the file holds. Follows the file
 * back through its moves, as far as the journal tells without a gap. Bounded: of a long past only the newest part is looked at,
 * and versions that are not kept cannot be.
 */
export async function changeThatRemoved(context: ToolContext, path: Path, now: Hash, text: string): Promise<PastChange | null> {
  const { history, signal } = context
  const holds = createFinder(context, text)
  let name = path
  let following: Hash | null = now
  let records = 0
  for await (const page of history.records()) {
    for (const record of page) {
      signal.throwIfAborted()
      if (++records > MOST_RECORDS) return null
      for (const change of (record.changes ?? (await history.changes(record))).toReversed()) {
        if (change.path === name && change.to === undefined) {
          // Something that the journal does not tell of came between: it may be what removed the text.
          if (hashOf(change.after) !== following && (await holds(change.after)) !== false) return null
          const held = await holds(change.before)
          if (held !== false) return held ? told(record) : null
          following = hashOf(change.before)
        }
        name = nameBefore(change, name)
      }
    }
  }
  return null
}

function hashOf(side: Side | null): Hash | null {
  return side?.kind === 'file' ? side.hash : null
}

/** Tells whether a state of the file holds the text; null when nobody can. */
function createFinder({ history }: ToolContext, text: string): (side: Side | null) => Promise<boolean | null> {
  const search = { search: encodeText(text), replace: new Uint8Array() }
  const known = new Map<Hash, boolean | null>()
  let left = MOST_BYTES
  return async (side) => {
    if (side?.kind !== 'file') return false
    let found = known.get(side.hash)
    if (found === undefined) {
      left -= side.size
      const bytes = left < 0 ? null : await versionOf(history, side.hash)
      found = bytes && findExact(bytes, search, { start: 0, end: bytes.length }, 1).places.count > 0
      known.set(side.hash, found)
    }
    return found
  }
}

/** The name that a file had before a change. */
function nameBefore({ path, to }: RecordedChange, name: Path): Path {
  return to !== undefined && isWithin(name, to) ? ((path + name.slice(to.length)) as Path) : name
}

async function versionOf(history: History, hash: Hash): Promise<Uint8Array | null> {
  try {
    const reader = await history.object(hash)
    return await readAll(reader, MOST_BYTES, hash).finally(() => reader.close())
  } catch (error) {
    // What is purged or damaged cannot help, and is no reason to answer anything else than that the text is not there.
    if (isFilewrightError(error)) return null
    throw error
  }
}

function told({ id, sequence, tool, subject, time }: JournalRecord): PastChange {
  return { change_id: id, sequence, tool, subject, time }
}
