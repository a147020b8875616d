/** What a tool is: one row of facts, a schema for what it takes and gives, and a function over a view. */
import type { z } from 'zod'
import type { Side } from '../core/change.ts'
import type { Hasher } from '../core/hash.ts'
import type { Path } from '../core/path.ts'
import type { View } from '../core/view.ts'
import type { IgnoreRules } from '../text/ignore.ts'
import type { FactsCache } from '../text/text_facts.ts'

/** Whether a path was declared to be read, to be changed, or to be acted on as an entry (a link itself, not its target). */
export type TargetUse = 'read' | 'change' | 'change-entry'

/** A path that a call names, before it is resolved. */
export interface Target {
  readonly path: unknown
  /** The argument that holds it. */
  readonly field: string
  readonly use: TargetUse
}

/** Permissions that a call asks for; each is refused or granted by policy. */
export interface Allowances {
  readonly ignored: boolean
  readonly sensitive: boolean
}

/** What happened to one path, re-read after the commit. */
export interface PathReceipt {
  readonly path: Path
  readonly before: Side | null
  readonly after: Side | null
  readonly backupId: string | null
  /** The path was read again and holds what was intended (or nothing, after a removal). */
  readonly verified: boolean
  readonly problem: string | null
}

/** What a commit did. */
export interface Receipt {
  /** The journal record's id. */
  readonly changeId: string
  readonly sequence: number
  readonly paths: readonly PathReceipt[]
}

/** What a tool may use while it plans. */
export interface ToolContext {
  readonly view: View
  /** Rules of `.gitignore` and `.ignore`, compiled once per view. */
  readonly ignore: IgnoreRules
  /** Totals and hashes of the files viewed last, one cache for a workspace. */
  readonly facts: FactsCache
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  now(): number
  /** A new backup or record id (contract P-11). */
  newId(): string
  /** Reports progress of long work; `total` is null while unknown. */
  progress(done: number, total: number | null): void
}

/** A tool's answer: the result so far, and how the receipt of the commit completes it. */
export interface Plan<Result> {
  /** The result of a read or a dry run; of a write, before its receipt. */
  readonly result: Result
  /** A dry run stages changes to describe them, and nothing is committed. */
  readonly dryRun?: boolean
  /** Called after the commit, with what it did. Absent for reads, and for writes that changed nothing. */
  readonly complete?: (receipt: Receipt) => Result
}

/** One tool. The name is its wire name and its file name. */
export interface Tool<Args = unknown, Result extends object = object> {
  readonly name: string
  readonly title: string
  /** For models: what it does, when to use it, what it refuses. */
  readonly description: string
  readonly kind: 'read' | 'write'
  /** A repeated call with the same arguments has no further effect. */
  readonly idempotent: boolean
  /** A write that can lose what was there before it. */
  readonly destructive: boolean
  /**
   * Arguments. `null` members are dropped before it is asked (P-6). A strict object refuses unknown members, naming the nearest known
   * one; any other ignores them (W-5).
   */
  readonly input: z.ZodType<Args>
  readonly output: z.ZodType<Result>
  /**
   * The directory that takes the place of the workspace's root for one call (contract F-6, B-2): what the call names is below it.
   * Default: the root itself.
   */
  root?(args: Args): Omit<Target, 'use'>
  /** The paths that a call names, for the guards (asked before `run`). */
  targets(args: Args): readonly Target[]
  /**
   * True when the call is a small, reversible change although it replaces content, so that nobody need approve it while a backup
   * is kept (P-159). Default: false.
   */
  small?(args: Args): boolean
  /** What the call asks to be allowed. Default: nothing. */
  allowances?(args: Args): Allowances
  /** The fields of a failed call: empty, zero or false (P-1). Receives the arguments as sent, unchecked. */
  failed(args: { readonly [key: string]: unknown }, hasher: Hasher): Partial<Result>
  /** Plans the call on a view. Throws {@link FilewrightError}; never writes. Run again from the start when another commit came between. */
  run(context: ToolContext, args: Args): Promise<Plan<Result>>
  /** The text block of a success: what a model should read of a view, a line or two of anything else. */
  text(result: Result): string
}

/** A tool whose types are checked against its schemas here, and are of no concern to those who only call it by name. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType<object>>(
  tool: Tool<z.output<Input>, z.output<Output>> & { readonly input: Input; readonly output: Output },
): Tool {
  return tool as Tool
}
