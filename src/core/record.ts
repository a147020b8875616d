/** The journal: a hash-chained log of what was changed, by whom, and what was there before. */
import type { RecordedChange } from './change.ts'
import { FilewrightError } from './errors.ts'
import type { Hash, Hasher } from './hash.ts'

/** What kind of act a record tells of. `external` is a change that another program made; `purge` and `git`, which moves references of a repository, change no file. */
export type RecordKind = 'call' | 'import' | 'undo' | 'redo' | 'external' | 'purge' | 'git'

/** What the next commit of a repository begins with, as names of commits. */
export interface Basis {
  /** What status compares with; null in a repository without commits. */
  readonly base: string | null
  /** Its other parent, after a merge. */
  readonly merging: string | null
}

/** What the caller of a commit knows about it. */
export interface RecordDraft {
  readonly id: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string
  readonly kind: RecordKind
  /** Who asked: `local`, a token's subject, an MCP client's name. */
  readonly subject: string
  /** The tool or command. */
  readonly tool: string
  /** Digest of the call's arguments; null when there was no call. */
  readonly call: Hash | null
  /** The id of the record that this one takes back, or puts back. */
  readonly target?: string
  /** The id of the approval that a person gave, and that this act used up. */
  readonly approval?: string
  /** The contents that this act took out of history, for good. */
  readonly purged?: readonly Hash[]
  /** Only where the files are those of a git commit: how the act moves what the next commit begins with, in one with its changes. */
  readonly basis?: { readonly before: Basis; readonly after: Basis }
  /** A line for people. */
  readonly note?: string
}

/** One act, as stored. */
export interface JournalRecord extends RecordDraft {
  /** 1 for the first record of a workspace, then without gaps. */
  readonly sequence: number
  readonly count: number
  /** The changes; null when they are many and stored as the object `changesHash` instead. */
  readonly changes: readonly RecordedChange[] | null
  /** Hash of the changes as canonical JSON. */
  readonly changesHash: Hash
  /** Hash of the record before; null for the first. */
  readonly previous: Hash | null
  /** Hash over all of the above but `changes`, as canonical JSON. */
  readonly hash: Hash
}

/** Which records are wanted, newest first. */
export interface RecordQuery {
  /** Only records with a lower sequence. */
  readonly before?: number
  /** Only this record. */
  readonly id?: string
  /** At most this many; default 100. */
  readonly limit?: number
}

/** The place in the chain that a new record is appended to. */
export interface ChainHead {
  readonly sequence: number
  readonly hash: Hash | null
}

/** The head of an empty journal. */
export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: null }

/** Changes whose JSON is longer than this are stored as an object of their own. */
export const INLINE_CHANGES_BYTES: number = 64 * 1024

/** JSON with sorted keys and no white space, so that equal values have equal bytes. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  const members = value as { readonly [key: string]: unknown }
  let text = ''
  for (const key of Object.keys(members).sort()) {
    const member = members[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}

/** A record ready to store; `object` holds the changes when they are too many to stand in it. */
export interface SealedRecord {
  readonly record: JournalRecord
  readonly object: Uint8Array | null
}

/** Chains a draft and its changes to `head`. The only way a record comes to be, on every adapter. */
export function sealRecord(hasher: Hasher, draft: RecordDraft, changes: readonly RecordedChange[], head: ChainHead): SealedRecord {
  const json = new TextEncoder().encode(canonicalJson(changes))
  const inline = json.length <= INLINE_CHANGES_BYTES
  const header = {
    ...draft,
    sequence: head.sequence + 1,
    count: changes.length,
    changesHash: hasher.hash(json),
    previous: head.hash,
  }
  const record = { ...header, changes: inline ? changes : null, hash: hashHeader(hasher, header) }
  return { record, object: inline ? null : json }
}

/** The place after `record`. */
export function headAfter(record: JournalRecord | undefined): ChainHead {
  return record ? { sequence: record.sequence, hash: record.hash } : EMPTY_CHAIN
}

/** What a query asks for, out of all records of a workspace, oldest first. */
export function selectRecords(
  records: readonly JournalRecord[],
  { before = Number.POSITIVE_INFINITY, id, limit = 100 }: RecordQuery = {},
): JournalRecord[] {
  const wanted: JournalRecord[] = []
  // Sequence numbers have no gaps: record n stands at n - 1.
  for (let at = Math.min(before - 1, records.length) - 1; at >= 0 && wanted.length < limit; at--) {
    const record = records[at] as JournalRecord
    if (id === undefined || record.id === id) wanted.push(record)
  }
  return wanted
}

/** Checks one record against the one before it. Throws `corrupt`, naming the record. */
export function verifyRecord(hasher: Hasher, record: JournalRecord, head: ChainHead, changes: readonly RecordedChange[]): void {
  const { changes: _, hash, ...header } = record
  const json = new TextEncoder().encode(canonicalJson(changes))
  const sound =
    record.sequence === head.sequence + 1 &&
    record.previous === head.hash &&
    record.changesHash === hasher.hash(json) &&
    record.count === changes.length &&
    hash === hashHeader(hasher, header)
  if (!sound) throw new FilewrightError('corrupt', `Journal record ${record.sequence} does not match its hash.`)
}

function hashHeader(hasher: Hasher, header: object): Hash {
  return hasher.hash(new TextEncoder().encode(canonicalJson(header)))
}
