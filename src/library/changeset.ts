/** The list of what calls changed, with hashes from before and after (contract B-70 to B-73). */
import type { Side } from '../core/change.ts'
import type { Hash } from '../core/hash.ts'
import type { CallChange, CallResult } from '../workspace/workspace.ts'

/** What happened to a path: told from what was there before and after, not from the tool's name. */
export type ChangeOperation = 'create' | 'modify' | 'delete' | 'move'

/** One change of one path. */
export interface ChangeSetEntry {
  readonly operation: ChangeOperation
  /** As the tool's answer gives it: absolute. Of a move, where the entry went. */
  readonly path: string
  /** SHA-256 of the bytes that were there; null for a create, and for what has no bytes of its own (a link, a directory). */
  readonly before_hash: Hash | null
  /** SHA-256 of the bytes that are there now; null for a delete, and for a link or a directory. */
  readonly after_hash: Hash | null
  readonly metadata: ChangeMetadata
}

/** What else is known of a change. A host may add what it likes. */
export interface ChangeMetadata {
  readonly [name: string]: unknown
  /** The tool that was called. */
  readonly tool: string
  /** Bytes; null where there were none to count. */
  readonly size_before: number | null
  readonly size_after: number | null
  /** When the change was noted (RFC 3339). */
  readonly timestamp: string
  /** Id of the journal's record, by which the change can be undone; null for a write that left the same bytes. */
  readonly change_id: string | null
  /** Of a move, where the entry was. */
  readonly from?: string
}

/** Counts of a {@link ChangeSet}. */
export interface ChangeSetSummary {
  readonly plan_id: string
  readonly total: number
  readonly create: number
  readonly modify: number
  readonly delete: number
  readonly move: number
  /** Each path once, in the order in which they were first changed. */
  readonly paths: readonly string[]
}

/** What was changed under one plan, in order. */
export interface ChangeSet {
  readonly plan_id: string
  readonly entries: readonly ChangeSetEntry[]
  summary(): ChangeSetSummary
}

/** A {@link ChangeSet} that grows with each call that it is told of. */
export interface ChangeSetCapture extends ChangeSet {
  /**
   * Notes what a call changed. `registerFileToolsWithChangeset` does so for the tools that write; a host that wraps other tools
   * calls it with their answers, whatever the profile: that is where moves come from.
   */
  record(tool: string, outcome: Pick<CallResult, 'changes' | 'changeId'>): void
}

/** Options of {@link ChangeSetCapture}. */
export interface CaptureOptions {
  /** Milliseconds since 1970; default the system's clock. */
  readonly now?: () => number
}

/** An empty capture for one plan. */
export function ChangeSetCapture(planId: string, { now = Date.now }: CaptureOptions = {}): ChangeSetCapture {
  const entries: ChangeSetEntry[] = []
  return {
    plan_id: planId,
    entries,
    summary: () => summaryOf(planId, entries),
    record(tool, { changes, changeId }) {
      const timestamp = new Date(now()).toISOString()
      for (const change of changes) {
        const operation = operationOf(change)
        if (operation === null) continue
        const { path, from, before, after } = change
        const sizes = { size_before: sizeOf(before), size_after: sizeOf(after) }
        const metadata = { tool, ...sizes, timestamp, change_id: changeId, ...(operation === 'move' && from !== null && { from }) }
        entries.push({ operation, path, before_hash: hashOf(before), after_hash: hashOf(after), metadata })
      }
    },
  }
}

/** Null for what a set of changed files does not tell: a directory that was made or removed, and a backup. */
function operationOf({ kind, before, after }: CallChange): ChangeOperation | null {
  if (kind === 'move') return 'move'
  if (kind === 'snapshot') return null
  const sides = [before, after].filter((side) => side !== null)
  if (sides.length === 0 || sides.every((side) => side.kind === 'directory')) return null
  if (before === null) return 'create'
  return after === null ? 'delete' : 'modify'
}

function hashOf(side: Side | null): Hash | null {
  return side?.kind === 'file' ? side.hash : null
}

function sizeOf(side: Side | null): number | null {
  return side?.kind === 'file' ? side.size : null
}

function summaryOf(plan_id: string, entries: readonly ChangeSetEntry[]): ChangeSetSummary {
  const counts = { create: 0, modify: 0, delete: 0, move: 0 }
  for (const { operation } of entries) counts[operation]++
  return { plan_id, total: entries.length, ...counts, paths: [...new Set(entries.map(({ path }) => path))] }
}
