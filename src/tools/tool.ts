/** What a tool is: one row of facts, a schema for what it takes and gives, and a function over a view. */
import type { z } from 'zod'
import type { Change, Side } from '../core/change.ts'
import type { FilewrightError } from '../core/errors.ts'
import type { Hasher } from '../core/hash.ts'
import type { History } from '../core/history.ts'
import type { OutsideReader } from '../core/outside.ts'
import type { Path } from '../core/path.ts'
import type { JournalRecord } from '../core/record.ts'
import type { Oid, TreeChange } from '../core/repository.ts'
import type { Risk } from '../core/risk.ts'
import type { RunOutcome, RunRequest } from '../core/runner.ts'
import type { View } from '../core/view.ts'
import type { IgnoreRules } from '../text/glob/ignore.ts'
import type { FactsCache } from '../text/window/text_facts.ts'

/**
 * Whether a path was declared to be read, to be changed, to be acted on as an entry (a link itself, not its target), or to be a
 * folder of backups, which may lie where files are ignored.
 */
export type TargetUse = 'read' | 'change' | 'change-entry' | 'backups'

/** A path that a call names, before it is resolved. */
export interface Target {
  readonly path: unknown
  /** What errors call it; default: `path` itself. */
  readonly as?: string
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
  readonly kind: Change['kind']
  readonly path: Path
  /** Where a moved entry was, or what a copy was made of; null for all else. */
  readonly from: Path | null
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
  /** One for each change, in the order in which they were staged. */
  readonly paths: readonly PathReceipt[]
}

/** Somebody, as commits name them. */
export interface Identity {
  readonly name: string
  readonly email: string
}

/** What a tool may use while it plans. */
export interface ToolContext {
  readonly view: View
  /** Rules of `.gitignore` and `.ignore`, compiled once per view. */
  readonly ignore: IgnoreRules
  /** Totals and hashes of the files viewed last, one cache for a workspace. */
  readonly facts: FactsCache
  /** What was done before this call. */
  readonly history: History
  /** Reads files beyond the workspace; null where the operator does not let that happen. */
  readonly outside: OutsideReader | null
  /** Whose commits are made where a call names nobody. */
  readonly author: Identity
  readonly signal: AbortSignal
  /**
   * Plans another call on the same view, with guards of its own, as a batch does. Takes checked arguments. Throws what that call
   * throws; what it staged until then stays staged.
   */
  perform(tool: Tool, args: unknown): Promise<Plan<object>>
  /** Milliseconds since 1970. */
  now(): number
  /** A new backup or record id (contract P-11). */
  newId(): string
  /** Reports progress of long work; `total` is null while unknown. */
  progress(done: number, total: number | null): void
}

/** A file that a call was to write, and that holds just that already. */
export interface UnchangedFile {
  readonly path: Path
  readonly state: Side
}

/** A tool's answer: the result so far, and how the receipt of the commit completes it. */
export interface Plan<Result> {
  /** The result of a read or a dry run; of a write, before its receipt. */
  readonly result: Result
  /** A dry run stages changes to describe them, and nothing is committed. */
  readonly dryRun?: boolean
  /** Called after the commit, with what it did. Absent for reads, and for writes that changed nothing. */
  readonly complete?: (receipt: Receipt) => Result
  /** The id of the record that the call takes back: what it changes is recorded as the undo of that one. */
  readonly undoes?: string
  /** A part of the call failed: what is staged is committed all the same, and the call is answered as failed. */
  readonly failure?: FilewrightError
  /** Told by tools whose every success counts as a change (contract B-72): nothing is staged for these, and nothing committed. */
  readonly unchanged?: readonly UnchangedFile[]
}

/**
 * What a call comes to that runs a command. Nothing is staged beside it: the workspace runs it once the call is cleared and, where a
 * person must be asked, approved; so that a command never runs by planning alone.
 */
export interface CommandPlan<Result> {
  readonly command: RunRequest
  /** The command as its caller wrote it, for people: in approvals and in the journal. */
  readonly title: string
  /** The result, from what the command came to. */
  readonly conclude: (outcome: RunOutcome) => Result
}

/** Something that is to be done to the repository, as data: shown to people, judged by guards, and what an approval is bound to. */
export type RepositoryAct =
  | {
      readonly kind: 'commit'
      /** The workspace's own. */
      readonly branch: string
      readonly parents: readonly Oid[]
      readonly message: string
      readonly author: Identity
      /** What it takes, and nothing else. */
      readonly changes: readonly TreeChange[]
      /** That may be nothing: the caller wants it so, or it ends a merge. */
      readonly allowEmpty: boolean
      /** Of these, what git ignores unless it is told otherwise. */
      readonly ignored: ReadonlySet<Path>
    }
  | { readonly kind: 'create-branch'; readonly name: string; readonly at: Oid }
  /** `lost` commits are then on no branch and no tag. */
  | { readonly kind: 'delete-branch'; readonly name: string; readonly at: Oid; readonly lost: number }
  /** With a message it is an object of its own, by `author`. */
  | { readonly kind: 'create-tag'; readonly name: string; readonly at: Oid; readonly message?: string; readonly author: Identity }

/** What became of an act. */
export interface ActDone {
  readonly record: JournalRecord
  /** Of a commit: its name. */
  readonly commit: Oid | null
}

/**
 * What a call comes to that acts on the repository. Nothing is staged beside it: the workspace does it in its turn, once the call is
 * cleared and, where a person must be asked, approved; so that no reference is moved by planning alone. The act is its own record.
 */
export interface ActPlan<Result> {
  readonly act: RepositoryAct
  /** The act in words, for people who are to approve it: all of it but what is in the files. */
  readonly title: string
  /** The result of a dry run. */
  readonly result: Result
  /** The act is only told. */
  readonly dryRun?: boolean
  readonly afterAct: (done: ActDone) => Result
}

/** What is published of a tool. The name is its wire name and its file name. */
export interface ToolFacts<Args = unknown, Result extends object = object> {
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
   * Where there is none it is not listed, and a call of it is `unsupported`. With a runner its plan is a {@link CommandPlan}, with a
   * repository an {@link ActPlan} if it changes anything.
   */
  readonly needs?: 'runner' | 'repository'
  /**
   * Arguments. `null` members are dropped before it is asked (P-6). A strict object refuses unknown members, naming the nearest known
   * one; any other ignores them (W-5).
   */
  readonly input: z.ZodType<Args>
  readonly output: z.ZodType<Result>
}

/** One tool. */
export interface Tool<Args = unknown, Result extends object = object> extends ToolFacts<Args, Result> {
  /**
   * The directory that takes the place of the workspace's root for one call (contract F-6, B-2): what the call names is below it.
   * Default: the root itself.
   */
  root?(args: Args): Omit<Target, 'use'>
  /** The paths that a call names, for the guards (asked before `run`). */
  targets(args: Args): readonly Target[]
  /** It does nothing itself but perform other calls, each with its own guards. */
  readonly performs?: true
  /** How much a person cares about the call. Default: `replaces` for a destructive tool, else `small`. */
  risk?(args: Args): Risk
  /** What the call asks to be allowed. Default: nothing. */
  allowances?(args: Args): Allowances
  /** It puts back what stood there with somebody's leave: ignored and sensitive files are not refused (P-140). Default: false. */
  unguarded?(args: Args): boolean
  /** The fields of a failed call: empty, zero or false (P-1). Receives the arguments as sent, unchecked. */
  failed(args: { readonly [key: string]: unknown }, hasher: Hasher): Partial<Result>
  /** Plans the call on a view. Throws {@link FilewrightError}; never writes, and never runs anything. Run again from the start when another commit came between. */
  run(context: ToolContext, args: Args): Promise<Plan<Result> | CommandPlan<Result> | ActPlan<Result>>
  /** The text block of a success: what a model should read of a view, a line or two of anything else. */
  text(result: Result): string
}

/** A tool whose types are checked against its schemas here, and are of no concern to those who only call it by name. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType<object>>(
  tool: Tool<z.output<Input>, z.output<Output>> & { readonly input: Input; readonly output: Output },
): Tool {
  return tool as Tool
}
