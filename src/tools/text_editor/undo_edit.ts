/** `undo_edit`: takes back the last edit of a file that still stands, as the journal tells it. */
import { z } from 'zod'
import type { RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { History } from '../../core/history.ts'
import { isWithin, type Path } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import type { JournalRecord } from '../../core/record.ts'
import type { Resolved } from '../../core/resolve.ts'
import { textEnd } from '../../text/lines.ts'
import { bomLength, decodeLossy, isBinary } from '../../text/utf8.ts'
import { readExisting } from '../existing_file.ts'
import { requireWritable } from '../guarded.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { numbered } from './numbered.ts'
import { changeTarget, editedPath, type Place, saying } from './place.ts'

const input = z.object({ path: editedPath })

/** Undoes one edit; called again, the one before it. What it takes back can be put back by `redo`. */
export function undoEditCommand(place: Place): Tool {
  return defineTool({
    name: 'undo_edit',
    title: 'Undo edit',
    description: 'Takes back the last edit of a file; called again, the one before. Refused when something else changed the file since.',
    kind: 'write',
    idempotent: false,
    destructive: true,
    input,
    ...saying,
    targets: changeTarget(place),
    risk: () => 'always',
    async run(context, { path }) {
      const target = await place.resolve(context.view, path, { field: 'path' })
      const edit = await lastEdit(context, target)
      const text = await stageBefore(context, target, edit)
      return { result: { text: `Last edit to ${path} undone successfully. ${text}` }, undoes: edit.record.id }
    },
  })
}

/** A record that stands, and what it did to one file. */
interface Edit {
  readonly record: JournalRecord
  readonly before: FileSide | null
  readonly after: FileSide | null
}

type FileSide = Extract<Side, { kind: 'file' }>

/** Bytes of the longest file that is shown once it is restored. */
const MOST_SHOWN = 100_000

async function lastEdit({ history, signal }: ToolContext, { path, given }: Resolved): Promise<Edit> {
  /** What the newest undo or redo of a record says: true for undone. */
  const undone = new Map<string, boolean>()
  for await (const page of history.records()) {
    for (const record of page) {
      signal.throwIfAborted()
      const { kind, target } = record
      if (kind === 'undo' || kind === 'redo') {
        if (target !== undefined && !undone.has(target)) undone.set(target, kind === 'undo')
        continue
      }
      if (undone.get(record.id)) continue
      const changes = await changesOf(history, record)
      if (changes.some((change) => touches(change, path))) return editOf(record, changes, path, given)
    }
  }
  throw noHistory(given)
}

async function changesOf(history: History, record: JournalRecord): Promise<readonly RecordedChange[]> {
  return record.changes ?? (await history.changes(record))
}

/** Whether a change is of the file itself or brought it here or away, alone or with its directory. */
function touches({ kind, path: changed, to }: RecordedChange, path: Path): boolean {
  if (kind === 'snapshot') return false
  return changed === path || (to !== undefined && (isWithin(path, to) || isWithin(path, changed)))
}

/** The edit that a record is. Throws where it is none that can be taken back alone. */
function editOf(record: JournalRecord, changes: readonly RecordedChange[], path: Path, given: string): Edit {
  const which = `change ${record.sequence} (${record.tool} by ${record.subject}, ${record.time})`
  if (record.kind === 'import') throw noHistory(given)
  if (record.kind === 'external')
    throw refused('conflict', `the last change of ${given} was made by another program: ${which}. View it again`)
  const own = changes.filter((change) => touches(change, path))
  const others = changes.filter((change) => change.kind !== 'snapshot' && !own.includes(change) && !isMadeFor(change, path))
  if (own.some(({ to }) => to !== undefined)) throw refused('unsupported', `${which} moved ${given}. Undo that change as a whole`)
  if (others.length > 0) throw refused('unsupported', `${which} changed other files along with ${given}. Undo it as a whole`)
  const [{ before }, { after }] = [own[0] as RecordedChange, own.at(-1) as RecordedChange]
  if (!own.every(({ kept }) => kept)) throw refused('unsupported', `what ${given} held before ${which} was not kept`)
  if (!isFileOrNothing(before) || !isFileOrNothing(after)) throw refused('unsupported', `${which} made ${given} another kind of thing`)
  return { record, before, after }
}

/** A directory that was made for the file to be in. It stays: other files may be in it by now. */
function isMadeFor({ kind, path: made }: RecordedChange, path: Path): boolean {
  return kind === 'makeDirectory' && isWithin(path, made)
}

function isFileOrNothing(side: Side | null): side is FileSide | null {
  return side === null || side.kind === 'file'
}

/** Stages what the file was before, and tells it. */
async function stageBefore(context: ToolContext, target: Resolved, { record, before, after }: Edit): Promise<string> {
  const { view } = context
  const { given } = target
  const existing = await readExisting(view, target)
  if ((existing?.hash ?? null) !== (after?.hash ?? null)) {
    throw refused('conflict', `${given} is not what change ${record.sequence} left: something else changed it since. View it again`)
  }
  if (existing) await requireWritable(view, target)
  const expect = existing ? { hash: existing.hash } : 'absent'
  if (before === null) {
    view.remove(target, { expect, keep: 'undo' })
    return 'The file was not there before that edit, and is gone again.'
  }
  const text = await textOf(context, target, before)
  const { hash, size, mode } = before
  view.write(target, { hash, size }, { expect, keep: 'undo', ...(after?.mode !== mode && { mode }) })
  return text
}

async function textOf({ history }: ToolContext, { given }: Resolved, { hash, size }: FileSide): Promise<string> {
  try {
    const reader = await history.object(hash)
    try {
      if (size > MOST_SHOWN) return `It has ${size} bytes again.`
      const bytes = await readAll(reader, MOST_SHOWN, given)
      if (isBinary(bytes)) return `It has ${size} bytes again.`
      const body = bytes.subarray(bomLength(bytes))
      const lines = decodeLossy(body.subarray(0, textEnd(body, 0, body.length))).text
      return `Here's the result of running \`cat -n\` on ${given}:\n${lines === '' && body.length === 0 ? '[empty file]' : numbered(lines, 1)}`
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (!isFilewrightError(error, 'not_found')) throw error
    throw refused('unsupported', `what ${given} held before is not kept any more`)
  }
}

function refused(code: 'conflict' | 'unsupported', why: string): FilewrightError {
  return new FilewrightError(code, `Nothing was undone: ${why}.`, { field: 'path' })
}

function noHistory(given: string): FilewrightError {
  return new FilewrightError('not_found', `No edit history found for ${given}.`, { field: 'path' })
}
